import type { Compiled } from '../compile.js';
import { exampleQuery } from '../graphql/page/example.js';
import { DIALECTS } from '../soap/dialect.js';

/** Where it can be reached. */
export interface Running {
  readonly url: string;
  readonly urls: readonly string[];
  readonly adminUrl: string;
}

/** The text for people once a gateway runs; null for none. */
export type Introduction = (running: Running, compiled: Compiled) => string | null;

/** The addresses of the demonstration and three things to try. */
export const demoIntroduction: Introduction = ({ url, adminUrl }, compiled) => {
  if (compiled.config.demo === undefined) return null;
  const [service] = compiled.services;
  const graphql = `${url}${compiled.graph.path}`;
  const soap = `${url}${service?.path ?? '/'}`;
  const order = '<GetOrder xmlns="http://legacy.example.com/desk"><id>7</id></GetOrder>';
  const envelope = `<Envelope xmlns="${DIALECTS['1.1'].envelopeUri}"><Body>${order}</Body></Envelope>`;
  return `
Soapstone runs on its demonstration: a legacy order desk behind the gateway.

  SOAP     ${soap}   (WSDL: ${soap}?wsdl)
  GraphQL  ${graphql}
  Console  ${adminUrl}/   (metrics: ${adminUrl}/metrics)

Three things to try:

  curl -s ${soap} -H 'Content-Type: text/xml' -d '${envelope}'

  curl -s ${graphql} -H 'Content-Type: application/json' -d '{"query":"{ order(id: 7) { status total lines { sku quantity } } }"}'

  In the browser: ${graphql}

Stop it with Ctrl-C.`;
};

/** The addresses of the services of a WSDL, and a query to begin with. */
export const trialIntroduction: Introduction = ({ url, adminUrl }, { services, graph }) => `
Soapstone runs in front of ${services.length === 1 ? 'the service' : `${services.length} services`} of the WSDL.

  GraphiQL ${url}${graph.path}
  Console  ${adminUrl}/   (each operation with a sample, which can be sent from there)
${services.map(({ path }) => `  SOAP     ${url}${path}`).join('\n')}

In GraphiQL, or with curl to the same address:

${exampleQuery(graph.schema).replaceAll(/^(?!$)/gm, '  ')}
The configuration is in a folder that goes when this ends; \`soapstone import\` writes one to keep. Stop it with Ctrl-C.`;
