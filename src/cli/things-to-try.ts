import type { Compiled } from '../compile.js';
import type { Gateway } from '../server.js';
import { DIALECTS } from '../soap/dialect.js';

/** What the demonstration prints: the addresses and three things to try. */
export function thingsToTry(gateway: Gateway, compiled: Compiled): string {
  const [service] = compiled.services;
  const graphql = `${gateway.url}${compiled.graph.path}`;
  const soap = `${gateway.url}${service?.path ?? '/'}`;
  const order = '<GetOrder xmlns="http://legacy.example.com/desk"><id>7</id></GetOrder>';
  const envelope = `<Envelope xmlns="${DIALECTS['1.1'].envelopeUri}"><Body>${order}</Body></Envelope>`;
  return `
Soapstone runs on its demonstration: a legacy order desk behind the gateway.

  SOAP     ${soap}   (WSDL: ${soap}?wsdl)
  GraphQL  ${graphql}
  Metrics  ${gateway.adminUrl}/metrics

Three things to try:

  curl -s ${soap} -H 'Content-Type: text/xml' -d '${envelope}'

  curl -s ${graphql} -H 'Content-Type: application/json' -d '{"query":"{ order(id: 7) { status total lines { sku quantity } } }"}'

  In the browser: ${graphql}

Stop it with Ctrl-C.`;
}
