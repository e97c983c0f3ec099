// Apollo's composition and gateway in front of two subgraphs, of which the one named `soap` is another process. Reads its
// task as JSON from the arguments: the SDL of both, the URL of `soap`, queries, and header fields that are sent on.
// Prints the answers, and the composition errors, as JSON.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { folder, soap, other, queries, headers } = JSON.parse(process.argv[2] ?? '{}');
const require = createRequire(join(folder, 'package.json'));
const { ApolloGateway, RemoteGraphQLDataSource } = require('@apollo/gateway');
const { composeServices } = require('@apollo/composition');
const { parse } = require('graphql');

const { supergraphSdl, errors = [] } = composeServices([
  { name: 'soap', url: soap.url, typeDefs: parse(soap.sdl) },
  { name: 'other', url: 'http://127.0.0.1:9', typeDefs: parse(other.sdl) },
]);
if (errors.length > 0) {
  process.stdout.write(JSON.stringify({ errors: errors.map(({ message }) => message) }));
  process.exit(0);
}

class Forwarding extends RemoteGraphQLDataSource {
  willSendRequest({ request }) {
    for (const [name, value] of Object.entries(headers)) request.http.headers.set(name, value);
  }
}

/** The subgraph of this process: fixed values, by root field and by type. */
const local = {
  async process({ request: { query, variables } }) {
    if (!query.includes('_entities')) return { data: other.roots };
    const entities = variables.representations.map(({ __typename }) => ({
      __typename,
      ...other.entities[__typename],
    }));
    return { data: { _entities: entities } };
  },
};
const gateway = new ApolloGateway({
  supergraphSdl,
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
  buildService: ({ name, url }) => (name === 'soap' ? new Forwarding({ url }) : local),
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
process.stdout.write(JSON.stringify({ answers }));
