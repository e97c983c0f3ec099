// Apollo's composition and gateway in front of subgraphs, of which the one named `soap` is another process. Reads the folder
// of its packages and its tasks as JSON from the arguments: the SDL of all subgraphs, the URL of `soap`, queries, and
// header fields that are sent on. Prints the answers, and the composition errors, of each task as JSON.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { localSubgraph } from './local-subgraph.mjs';

const { folder, tasks } = JSON.parse(process.argv[2] ?? '{}');
const require = createRequire(join(folder, 'package.json'));
const { ApolloGateway, RemoteGraphQLDataSource } = require('@apollo/gateway');
const { composeServices } = require('@apollo/composition');
const graphql = require('graphql');
const { parse } = graphql;

/** A subgraph of this process. */
function local(subgraph) {
  const answer = localSubgraph(graphql, subgraph);
  return { process: async ({ request }) => answer(request) };
}

async function run({ soap, others, queries, headers }) {
  const { supergraphSdl, errors = [] } = composeServices([
    { name: 'soap', url: soap.url, typeDefs: parse(soap.sdl) },
    ...others.map(({ name, sdl }) => ({ name, url: 'http://127.0.0.1:9', typeDefs: parse(sdl) })),
  ]);
  if (errors.length > 0) {
    return { errors: errors.map(({ message }) => message) };
  }

  class Forwarding extends RemoteGraphQLDataSource {
    willSendRequest({ request }) {
      for (const [name, value] of Object.entries(headers)) request.http.headers.set(name, value);
    }
  }

  const gateway = new ApolloGateway({
    supergraphSdl,
    logger: { debug() {}, info() {}, warn() {}, error: console.error },
    buildService: ({ name, url }) =>
      name === 'soap' ? new Forwarding({ url }) : local(others.find((each) => each.name === name)),
  });
  const { executor } = await gateway.load();
  const answers = [];
  for (const query of queries) {
    const { data, errors: failed } = await executor({
      document: parse(query),
      request: { query, variables: {} },
      queryHash: createHash('sha256').update(query).digest('hex'),
      context: {},
      metrics: {},
      schema: gateway.schema,
      cache: new Map(),
      overallCachePolicy: { policyIfCacheable: () => null },
    });
    answers.push({ data, ...(failed && { errors: failed }) });
  }
  await gateway.stop();
  return { answers };
}

const results = [];
for (const task of tasks) results.push(await run(task));
process.stdout.write(JSON.stringify(results));
