import type { Compiled } from '../compile.js';
import { DIALECTS } from '../soap/dialect.js';

/** Where it can be reached. */
export interface Running {
  readonly url: string;
  readonly urls: readonly string[];
  readonly adminUrl: string;
}

/** Prints the addresses of the demonstration and three things to try. */
export function thingsToTry({ url, adminUrl }: Running, compiled: Compiled): string {
  const [service] = compiled.services;
  const graphql = `${url}${compiled.graph.path}`;
  const soap = `${url}${service?.path ?? '/'}`;
  const order = '<GetOrder xmlns="http://legacy.example.com/desk"><id>7</id></GetOrder>';
  const envelope = `<Envelope xmlns="${DIALECTS['1.1'].envelopeUri}"><Body>${order}</Body></Envelope>`;
  return `
Soapstone runs on its demonstration: a legacy order desk behind the gateway.

  SOAP     ${soap}   (WSDL: ${soap}?wsdl)
  GraphQL  ${graphql}
  Metrics  ${adminUrl}/metrics

Three things to try:

  curl -s ${soap} -H 'Content-Type: text/xml' -d '${envelope}'

  curl -s ${graphql} -H 'Content-Type: application/json' -d '{"query":"{ order(id: 7) { status total lines { sku quantity } } }"}'

  In the browser: ${graphql}

Stop it with Ctrl-C.`;
}
