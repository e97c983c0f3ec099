import { createServer } from 'node:http';

import { announce, fileOf, isProgram, isQuick, print, startServer } from './kit.js';
import { Load } from './load.js';
import type { SmallCall } from './messages.js';
import { startKeys } from './soapstone.js';
import { compareWays } from './ways.js';

/**
 * 100 representations of a subgraph, answered by one call of the backend, beside the same objects
 * by the operation of the batch: CPU per request, in turn.
 */

const ENTITIES = 100;
const AT_ONCE = 8;
const BACKEND = 'backend';

const IDS = Array.from({ length: ENTITIES }, (_, at) => String(100_000 + at));

const configuration = (url: string): string => `services:
  shop:
    url: ${url}/shop
    namespace: urn:shop
    types: |
      type Query { order(id: Long!): Order, orders(ids: [Long!]): [Order!] }
      type Order { id: Long!, status: String, total: Decimal, customer: String, lines: Int }
    operations:
      GetOrder: { field: Query.order }
      GetOrders: { field: Query.orders }
graphql:
  federation:
    keys:
      Order:
        fields: id
        operation: shop.GetOrder
        batch: { operation: shop.GetOrders, argument: ids, key: id }
`;

const FIELDS = 'id status total customer lines';

const call = (query: string, variables: object): SmallCall => ({
  path: '/graphql',
  head: ['content-type', 'application/json'],
  body: Buffer.from(JSON.stringify({ query, variables })),
});

const DIRECT = call(`query ($ids: [Long!]) { orders(ids: $ids) { ${FIELDS} } }`, { ids: IDS });
const REPRESENTED = call(
  `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Order { ${FIELDS} } } }`,
  { r: IDS.map((id) => ({ __typename: 'Order', id })) },
);

function listenAsBackend(): void {
  const orders = IDS.map(
    (id) =>
      `<orders><id>${id}</id><status>SHIPPED</status><total>${id}.95</total>` +
      `<customer>Customer ${id}</customer><lines>3</lines></orders>`,
  );
  const reply = Buffer.from(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<GetOrdersResponse xmlns="urn:shop">${orders.join('')}</GetOrdersResponse>` +
      '</s:Body></s:Envelope>',
  );
  const head = ['content-type', 'text/xml', 'content-length', String(reply.length)];
  announce(
    createServer((request, response) => {
      request.on('end', () => response.writeHead(200, head).end(reply)).resume();
    }),
  );
}

export async function benchEntities(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('entities.js'), [BACKEND]);
  const gateway = await startKeys(configuration(backend.url));
  const load = new Load(gateway.url, undefined, AT_ONCE);
  const costs = await compareWays(
    gateway,
    [
      ['the batch', () => load.ask(DIRECT)],
      ['_entities', () => load.ask(REPRESENTED)],
    ],
    { count: quick ? 300 : 1_500, rounds: quick ? 5 : 15, atOnce: AT_ONCE },
  );
  print(`\n${ENTITIES} representations of a subgraph, and their batch\n\n${costs}`);
  await load.close();
  await gateway.stop();
  await backend.stop();
}

if (process.argv[2] === BACKEND) listenAsBackend();
else if (isProgram(import.meta.url)) await benchEntities(isQuick());
