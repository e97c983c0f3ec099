import { createHash } from 'node:crypto';
import t from 'tap';

import { answerWith, startRecordingBackend } from '../kit/backend.js';
import { startTestGateway, type TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { connect, MISSING, RecordedEvents, RedisServer, untilAsync } from './kit.js';

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
