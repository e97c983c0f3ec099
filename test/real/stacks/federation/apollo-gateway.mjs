// Apollo's composition and gateway in front of subgraphs, of which the one named `soap` is another process. Reads the folder
// of its packages and its tasks as JSON from the arguments: the SDL of all subgraphs, the URL of `soap`, queries, and
// header fields that are sent on. Prints the answers, and the composition errors, of each task as JSON.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { folder, tasks } = JSON.parse(process.argv[2] ?? '{}');
const require = createRequire(join(folder, 'package.json'));
const { ApolloGateway, RemoteGraphQLDataSource } = require('@apollo/gateway');
const { composeServices } = require('@apollo/composition');
const { parse } = require('graphql');

/** Whether an object differs in no simple value that both have. */
const agrees = (object, representation) =>
  Object.entries(representation).every(
    ([name, value]) =>
      name === '__typename' || typeof value === 'object' || object[name] === undefined || object[name] === value,
  );

/** A subgraph of this process: fixed values, by root field and by type. */
const local = ({ roots, entities = {} }) => ({
  async process({ request: { query, variables } }) {
    if (!query.includes('_entities')) return { data: roots };
    const found = variables.representations.map((representation) => {
      const object = entities[representation.__typename]?.find((each) => agrees(each, representation));
      return object === undefined ? null : { __typename: representation.__typename, ...object };
    });
    return { data: { _entities: found } };
  },
});

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
