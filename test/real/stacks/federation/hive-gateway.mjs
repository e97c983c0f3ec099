// Hive's composition and gateway in front of subgraphs, of which the one named `soap` is another process. Reads the folder
// of its packages and its tasks as JSON from the arguments, in the form of apollo-gateway.mjs, and prints the same results.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

import { localSubgraph } from './local-subgraph.mjs';

const { folder, tasks } = JSON.parse(process.argv[2] ?? '{}');
const require = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { createGatewayRuntime } = await load('@graphql-hive/gateway-runtime');
const { default: http } = await load('@graphql-mesh/transport-http');
const { composeServices } = await load('@theguild/federation-composition');
const graphql = await load('graphql');
const { parse } = graphql;

/** A subgraph of this process, over HTTP. */
async function listen(subgraph) {
  const execute = localSubgraph(graphql, subgraph);
  const server = createServer(async (request, response) => {
    const answer = await execute(await json(request));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function run({ soap, others, queries }) {
  const servers = await Promise.all(others.map(listen));
  const { supergraphSdl: supergraph, errors = [] } = composeServices([
    { name: 'soap', url: soap.url, typeDefs: parse(soap.sdl) },
    ...others.map(({ name, sdl }, index) => ({
      name,
      typeDefs: parse(sdl),
      url: `http://127.0.0.1:${servers[index].address().port}/`,
    })),
  ]);
  if (errors.length > 0) return { errors: errors.map(({ message }) => message) };
  const gateway = createGatewayRuntime({
    supergraph,
    transports: { http },
    logging: false,
    maskedErrors: false,
  });
  const answers = [];
  for (const query of queries) {
    const answer = await gateway.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    answers.push(await answer.json());
  }
  await gateway[Symbol.asyncDispose]();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  return { answers };
}

const results = [];
for (const task of tasks) results.push(await run(task));
// Connections that its HTTP client keeps would keep the process.
process.stdout.write(JSON.stringify(results), () => process.exit());
