import { createHash } from 'node:crypto';
import t from 'tap';

import { answerWith, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { connect, MISSING, RecordedEvents, RedisProxy, RedisServer, untilAsync } from './kit.js';

/** Two gateways that share a Redis, from outside. */

const KEY = 'key-of-the-web-000001';
const SECRET = 'password-of-redis';

const config = (backend: string, redis: string): string => `redis:
  url: ${redis}
  password: ${SECRET}
  replicas: 2
  operationMillis: 500
clients:
  apiKeys: { clients: { web: { class: partner, keys: [${KEY}] } } }
  classes: { partner: { budget: { maximum: 200, restoreRate: 1 } } }
graphql: { persisted: { automatic: true } }
limits: { persisted: { registrationCost: 0 } }
services:
  orders:
    url: ${backend}/orders
    namespace: urn:orders
    types: |
      type Query { order(id: ID!): Order }
      type Order { id: ID }
    operations:
      GetOrder: { field: Query.order, weight: 50 }
`;

const ENVELOPE =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><GetOrder xmlns="urn:orders"/></E:Body></E:Envelope>';
const REPLY =
  '<E:Envelope xmlns:E="http://schemas.xmlsoap.org/soap/envelope/"><E:Body><GetOrderResponse xmlns="urn:orders"><id>7</id></GetOrderResponse></E:Body></E:Envelope>';

const soap = async ({ url }: TestGateway): Promise<string> => {
  const headers = { 'content-type': 'text/xml', 'x-api-key': KEY };
  const response = await fetch(`${url}/soap/orders`, { method: 'POST', headers, body: ENVELOPE });
  return response.ok ? 'ok' : ((await response.text()).match(/[A-Z]+_[A-Z_]+/)?.[0] ?? String(response.status));
};

const graphql = async ({ url }: TestGateway, body: object): Promise<string> => {
  const response = await postGraphql(url, body, { 'x-api-key': KEY });
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return errors?.[0]?.extensions.code ?? 'ok';
};

t.test('two gateways and one Redis', { skip: MISSING }, async (t) => {
  const redis = await RedisServer.start('--requirepass', SECRET);
  const backend = await startRecordingBackend(answerWith(REPLY));
  const gateways = await Promise.all([0, 1].map(() => startTestGateway(config(backend.url, redis.url))));
  t.teardown(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await backend.close();
    await redis.close();
  });
  const [a, b] = gateways;
  if (a === undefined || b === undefined) throw new Error('two gateways');
  // A replica credits shared time only after the recovery of a new Redis.
  const operator = connect(redis.url, new RecordedEvents(), { operationMillis: 2000, password: SECRET });
  t.teardown(() => operator.close());
  await untilAsync(
    async () => (await operator.tryCommand(['HLEN', 'soapstone:v1:credited'])) === gateways.length,
    'both share',
  );

  t.test('one budget for both, over SOAP and GraphQL', async (t) => {
    const answers: string[] = [];
    for (let round = 0; round < 3; round += 1) for (const gateway of gateways) answers.push(await soap(gateway));
    answers.push(await graphql(b, { query: '{ order(id: 1) { id } }' }));
    // The rest may be split over two leases, until one of them is returned.
    const count = answers.filter((answer) => answer === 'ok').length;
    t.ok(count === 3 || count === 4, `${count} of 50 points each`);
    t.same([...new Set(answers)].toSorted(), ['RATE_LIMITED', 'ok']);
  });

  t.test('a document that one persists is found by the other', async (t) => {
    const query = '{ __typename }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
    t.equal(await graphql(b, { extensions }), 'PERSISTED_QUERY_NOT_FOUND');
    t.equal(await graphql(a, { query, extensions }), 'ok');
    await untilAsync(async () => (await graphql(b, { extensions })) === 'ok', 'the other has it');
  });

  t.test('Redis hangs: no request fails for it', async (t) => {
    redis.stop();
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'b'.repeat(64) } };
    for (let count = 0; count < 10; count += 1) {
      t.equal(await graphql(a, { query: '{ __typename }' }), 'ok');
      t.equal(await graphql(a, { extensions }), 'PERSISTED_QUERY_NOT_FOUND');
    }
    await a.logLine('Redis is away: this process goes on with its share');
    redis.resume();
  });

  t.test('Redis is killed: no request fails for it', async (t) => {
    await redis.kill();
    await a.logLine('Redis is away: this process goes on with its share');
    t.match(await a.metrics(), /^soapstone_redis_up 0$/m);
    t.match(await a.metrics(), /^soapstone_redis_operations_total\{operation="heartbeat",outcome="ok"\} [1-9]/m);
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    t.equal(await graphql(b, { extensions }), 'PERSISTED_QUERY_NOT_FOUND');
    t.equal(await graphql(b, { query: '{ __typename }' }), 'ok');
  });

  t.test('no secret in any line', async (t) => {
    const lines = gateways.map((gateway) => JSON.stringify(gateway.logLines())).join();
    t.notMatch(lines, new RegExp(`${SECRET}|${KEY}`));
  });
});

const stock = (backend: string, redis: string): string => `redis: { url: ${redis}, operationMillis: 500 }
services:
  stock:
    url: ${backend}/stock
    namespace: urn:stock
    types: |
      type Query { count(id: ID!): Count }
      type Mutation { setCount(id: ID!): Count }
      type Count { id: ID }
    operations:
      GetCount: { field: Query.count, read: { cacheMillis: 600000, scope: shared } }
      SetCount: { field: Mutation.setCount, write: { invalidates: [GetCount] } }
`;

t.test('a write through one gateway invalidates what the other has cached', { skip: MISSING }, async (t) => {
  const redis = await RedisServer.start();
  const proxy = await RedisProxy.to(redis.port);
  const calls = { GetCount: 0, SetCount: 0 };
  const backend = await startRecordingBackend((message, response) => {
    const name = message.body.includes('SetCount') ? 'SetCount' : 'GetCount';
    calls[name]++;
    answerWith(REPLY.replaceAll('GetOrder', name).replace('urn:orders', 'urn:stock'))(message, response);
  });
  const a = await startTestGateway(stock(backend.url, redis.url));
  const b = await startTestGateway(stock(backend.url, proxy.url));
  t.teardown(async () => {
    await Promise.all([a, b].map((gateway) => gateway.close()));
    await Promise.all([backend.close(), proxy.close()]);
    await redis.close();
  });
  for (const gateway of [a, b]) await gateway.logLine('Redis is there');
  const operator = connect(redis.url, new RecordedEvents(), { operationMillis: 2000 });
  t.teardown(() => operator.close());
  const areSubscribed = async (count: number): Promise<boolean> => {
    const reply = await operator.tryCommand(['PUBSUB', 'NUMSUB', 'soapstone:v1:invalidations']);
    return Array.isArray(reply) && Number(reply[1]) === count;
  };
  await untilAsync(() => areSubscribed(2), 'both are subscribed');
  const ask = async ({ url }: TestGateway, query: string): Promise<void> => {
    t.equal((await postGraphql(url, { query }, {})).status, 200);
  };
  const read = (gateway: TestGateway): Promise<void> => ask(gateway, '{ count(id: 1) { id } }');
  const write = (gateway: TestGateway): Promise<void> => ask(gateway, 'mutation { setCount(id: 1) { id } }');
  /** Reads until the backend is called for it. */
  const isCalled = async (gateway: TestGateway): Promise<boolean> => {
    const before = calls.GetCount;
    await read(gateway);
    return calls.GetCount > before;
  };
  // Before its subscription is up, a gateway takes all it has for invalid.
  for (const gateway of [a, b]) await untilAsync(async () => !(await isCalled(gateway)), 'it is cached');

  await write(a);
  await untilAsync(() => isCalled(b), 'the other calls the backend');
  t.equal(await isCalled(b), false, 'once');
  t.equal(await isCalled(a), true, 'so does the one with the write');

  proxy.cut();
  await b.logLine('Redis is away: this process goes on with its share');
  await write(a);
  t.equal(await isCalled(b), false, 'one that is cut off has what it had');
  await write(b);
  t.equal(await isCalled(b), true, 'its own writes count');
  await read(a);
  proxy.mend();
  await untilAsync(() => isCalled(b), 'it takes all for invalid when it is back');
  await untilAsync(() => isCalled(a), 'what it could not publish is published now');
  t.match(await a.metrics(), /^soapstone_redis_operations_total\{operation="invalidate",outcome="ok"\} [1-9]/m);

  // What others publish there may be anything.
  for (const text of ['', 'x', 'x [', 'x [1]', 'x [["stock.GetCount"]]', `x ${'['.repeat(300_000)}`]) {
    await untilAsync(async () => !(await isCalled(a)), 'it is cached');
    await operator.tryCommand(['PUBLISH', 'soapstone:v1:invalidations', text]);
    await untilAsync(() => isCalled(a), 'a message that cannot be read invalidates all');
  }
});
