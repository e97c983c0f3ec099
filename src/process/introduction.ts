import type { Compiled } from '../compile.js';
import { pageExample } from '../flow/graphql/page-example.js';
import { DIALECTS } from '../soap/index.js';
import { type TrialCalls, trialCalls } from './trial-calls.js';

/** The URLs at which a gateway that runs can be reached. */
export interface Running {
  readonly url: string;
  readonly urls: readonly string[];
  readonly adminUrl: string;
}

/**
 * Makes the text for people once a gateway runs, null for none, of a configuration that is not kept
 * for it.
 */
export type Introduction = (compiled: Compiled) => (running: Running) => string | null;

/** The addresses of the demonstration and four calls to try. */
export const demoIntroduction: Introduction = (compiled) => {
  const { config, services, graph, mcp } = compiled;
  const paths = {
    soap: services[0]?.path ?? '/',
    graphql: graph.path,
    hasRest: config.services['orders']?.rest !== undefined,
    mcp: mcp?.path ?? null,
    hasHome: config.home,
  };
  return config.demo === undefined ? () => null : (running) => introduceDemo(running, paths);
};

interface DemoPaths {
  readonly soap: string;
  readonly graphql: string;
  /** Whether the orders are offered over REST, as the configuration of the demonstration does. */
  readonly hasRest: boolean;
  readonly mcp: string | null;
  readonly hasHome: boolean;
}

function introduceDemo({ url, adminUrl }: Running, paths: DemoPaths): string {
  const graphql = `${url}${paths.graphql}`;
  const soap = `${url}${paths.soap}`;
  const order = '<GetOrder xmlns="http://legacy.example.com/desk"><id>7</id></GetOrder>';
  const envelope = `<Envelope xmlns="${DIALECTS['1.1'].envelopeUri}"><Body>${order}</Body></Envelope>`;
  const calls = [
    `curl -s ${soap} -H 'Content-Type: text/xml' -d '${envelope}'`,
    `curl -s ${graphql} -H 'Content-Type: application/json' \
-d '{"query":"{ order(id: 7) { status total lines { sku quantity } } }"}'`,
    ...(paths.hasRest ? [`curl -s '${url}/rest/orders/GetOrder?id=7&fields=status,total'`] : []),
    ...(paths.mcp === null ? [] : [toolCall(`${url}${paths.mcp}`)]),
  ];
  return `
Soapstone runs on its demonstration: a legacy order desk behind the gateway.

${paths.hasHome ? `  Start    ${url}/\n` : ''}\
  SOAP     ${soap}   (WSDL: ${soap}?wsdl)
  GraphQL  ${graphql}   (in a browser: GraphiQL)
${paths.hasRest ? `  REST     ${url}/rest/openapi.html\n` : ''}\
${paths.mcp === null ? '' : `  MCP      ${url}${paths.mcp}   (tools for agents)\n`}\
  Console  ${adminUrl}/   (metrics: ${adminUrl}/metrics)

To try:

${calls.map((call) => `  ${call}\n\n`).join('')}\
Stop it with Ctrl-C.`;
}

const toolCall = (address: string): string =>
  `curl -s ${address} -H 'Content-Type: application/json' \
-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":\
{"name":"order","arguments":{"id":7,"fields":"status,total"}}}'`;

/** The addresses of the services of a WSDL, and calls to begin with. */
export const trialIntroduction: Introduction = (compiled) => {
  const { services, graph, mcp } = compiled;
  const query = pageExample(compiled);
  const parts = {
    paths: services.map(({ path }) => path),
    graphqlPath: graph.path,
    tools:
      mcp === null
        ? null
        : { path: mcp.path, areReads: [...mcp.tools.values()].every(({ isRead }) => isRead) },
    query,
    calls: trialCalls(compiled, query),
  };
  return (running) => introduceTrial(running, parts);
};

interface TrialParts {
  readonly paths: readonly string[];
  readonly graphqlPath: string;
  /** The tools of agents; null for none. */
  readonly tools: { readonly path: string; readonly areReads: boolean } | null;
  readonly query: string;
  readonly calls: TrialCalls;
}

function introduceTrial(
  { url, adminUrl }: Running,
  { paths, graphqlPath, tools, query, calls }: TrialParts,
): string {
  const rest = calls.rest(url);
  const tool = calls.mcp(url);
  const served = paths.length === 1 ? 'the service' : `${paths.length} services`;
  const effect = tools?.areReads ? 'change nothing' : 'may change something';
  return `
Soapstone runs in front of ${served} of the WSDL.

  GraphiQL ${url}${graphqlPath}
  Console  ${adminUrl}/   (each operation with a sample, which can be sent from there)
${paths.map((path) => `  SOAP     ${url}${path}`).join('\n')}
  OpenAPI  ${url}/rest/openapi.html
${tools === null ? '' : `  MCP      ${url}${tools.path}   (its tools ${effect})\n`}
In GraphiQL, or with curl to the same address:

${query.replaceAll(/^(?!$)/gm, '  ')}
${rest === null ? '' : `The same over REST:\n\n  ${rest}\n\n`}\
${tool === null ? '' : `As a tool of an agent:\n\n  ${tool}\n\n`}\
The configuration is in a folder that goes when this ends; \`soapstone import\` writes one to \
keep. Stop it with Ctrl-C.`;
}
