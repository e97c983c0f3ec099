import { createHash } from 'node:crypto';
import { createClient } from 'graphql-ws';
import t from 'tap';
import { WebSocket } from 'ws';
import { MIB } from '../../src/core/limit.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { RedisPollSharing } from '../../src/redis/polling/poll-sharing.js';
import { answerWith } from '../kit/backend.js';
import { envelope, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useBackend, useGateway } from '../kit/use.js';
import { MISSING, until, useConnection, useProxy, useRedis } from './kit.js';

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

const CALL = envelope('<GetOrder xmlns="urn:orders"/>');
const REPLY = envelope('<GetOrderResponse xmlns="urn:orders"><id>7</id></GetOrderResponse>');

const soap = async ({ url }: TestGateway): Promise<string> => {
  const response = await postSoap(`${url}/soap/orders`, CALL, { 'x-api-key': KEY });
  return response.ok
    ? 'ok'
    : ((await response.text()).match(/[A-Z]+_[A-Z_]+/)?.[0] ?? String(response.status));
};

const graphql = async ({ url }: TestGateway, body: object): Promise<string> => {
  const response = await postGraphql(url, body, { 'x-api-key': KEY });
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return errors?.[0]?.extensions.code ?? 'ok';
};

t.test('two gateways and one Redis', { skip: MISSING }, async (t) => {
  const redis = await useRedis(t, '--requirepass', SECRET);
  const backend = await useBackend(t, answerWith(REPLY));
  const a = await useGateway(t, config(backend.url, redis.url));
  const b = await useGateway(t, config(backend.url, redis.url));
  const gateways = [a, b];
  // A replica credits shared time only after the recovery of a new Redis.
  const operator = await useConnection(t, redis.url, undefined, { password: SECRET });
  await until(
    async () => (await operator.tryCommand(['HLEN', 'soapstone:v1:credited'])) === gateways.length,
    'both share',
  );

  t.test('one budget for both, over SOAP and GraphQL', async (t) => {
    const answers: string[] = [];
    for (let round = 0; round < 3; round += 1)
      for (const gateway of gateways) answers.push(await soap(gateway));
    answers.push(await graphql(b, { query: '{ order(id: 1) { id } }' }));
    // The rest may be split over two leases, until one of them is returned.
    const count = answers.filter((answer) => answer === 'ok').length;
    t.ok(count === 3 || count === 4, `${count} of 50 points each`);
    t.same([...new Set(answers)].toSorted(), ['RATE_LIMITED', 'ok']);
  });

  t.test('a document that one persists is found by the other', async (t) => {
    const query = '{ __typename }';
    const extensions = {
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    };
    t.equal(await graphql(b, { extensions }), 'PERSISTED_QUERY_NOT_FOUND');
    t.equal(await graphql(a, { query, extensions }), 'ok');
    await until(async () => (await graphql(b, { extensions })) === 'ok', 'the other has it');
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
    t.match(
      await a.metrics(),
      /^soapstone_redis_operations_total\{operation="heartbeat",outcome="ok"\} [1-9]/m,
    );
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    t.equal(await graphql(b, { extensions }), 'PERSISTED_QUERY_NOT_FOUND');
    t.equal(await graphql(b, { query: '{ __typename }' }), 'ok');
  });

  t.test('no secret in any line', async (t) => {
    const lines = gateways.map((gateway) => JSON.stringify(gateway.logLines())).join();
    t.notMatch(lines, new RegExp(`${SECRET}|${KEY}`));
  });
});

const stock = (
  backend: string,
  redis: string,
): string => `redis: { url: ${redis}, operationMillis: 500 }
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

t.test(
  'a write through one gateway invalidates what the other has cached',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const proxy = await useProxy(t, redis.port);
    const calls = { GetCount: 0, SetCount: 0 };
    const backend = await useBackend(t, (message, response) => {
      const name = message.body.includes('SetCount') ? 'SetCount' : 'GetCount';
      calls[name]++;
      answerWith(REPLY.replaceAll('GetOrder', name).replace('urn:orders', 'urn:stock'))(
        message,
        response,
      );
    });
    const a = await useGateway(t, stock(backend.url, redis.url));
    const b = await useGateway(t, stock(backend.url, proxy.url));
    for (const gateway of [a, b]) await gateway.logLine('Redis is there');
    const operator = await useConnection(t, redis.url);
    const areSubscribed = async (count: number): Promise<boolean> => {
      const reply = await operator.tryCommand(['PUBSUB', 'NUMSUB', 'soapstone:v1:invalidations']);
      return Array.isArray(reply) && Number(reply[1]) === count;
    };
    await until(() => areSubscribed(2), 'both are subscribed');
    const ask = async ({ url }: TestGateway, query: string): Promise<void> => {
      t.equal((await postGraphql(url, { query }, {})).status, 200);
    };
    const read = (gateway: TestGateway): Promise<void> => ask(gateway, '{ count(id: 1) { id } }');
    const write = (gateway: TestGateway): Promise<void> =>
      ask(gateway, 'mutation { setCount(id: 1) { id } }');
    /** Reads until the backend is called for it. */
    const isCalled = async (gateway: TestGateway): Promise<boolean> => {
      const before = calls.GetCount;
      await read(gateway);
      return calls.GetCount > before;
    };
    // Before its subscription is up, a gateway takes all it has for invalid.
    for (const gateway of [a, b])
      await until(async () => !(await isCalled(gateway)), 'it is cached');

    await write(a);
    await until(() => isCalled(b), 'the other calls the backend');
    await until(async () => !(await isCalled(b)), 'its next reply is cached');
    t.equal(await isCalled(a), true, 'so does the one with the write');

    proxy.cut();
    await b.logLine('Redis is away: this process goes on with its share');
    await write(a);
    t.equal(await isCalled(b), false, 'one that is cut off has what it had');
    await write(b);
    t.equal(await isCalled(b), true, 'its own writes count');
    await read(a);
    proxy.mend();
    await until(() => isCalled(b), 'it takes all for invalid when it is back');
    await until(() => isCalled(a), 'what it could not publish is published now');
    t.match(
      await a.metrics(),
      /^soapstone_redis_operations_total\{operation="invalidate",outcome="ok"\} [1-9]/m,
    );

    // What others publish there may be anything.
    for (const text of [
      '',
      'x',
      'x [',
      'x [1]',
      'x [["stock.GetCount"]]',
      `x ${'['.repeat(300_000)}`,
    ]) {
      await until(async () => !(await isCalled(a)), 'it is cached');
      await operator.tryCommand(['PUBLISH', 'soapstone:v1:invalidations', text]);
      await until(() => isCalled(a), 'a message that cannot be read invalidates all');
    }
  },
);

const polled = (
  backend: string,
  redis: string,
): string => `redis: { url: ${redis}, operationMillis: 500, secret: secret-of-replicas }
services:
  stock:
    url: ${backend}/stock
    namespace: urn:stock
    types: |
      type Query { count(id: ID!): Count }
      type Count { id: ID, left: Int, note: String }
    operations:
      GetCount: { field: Query.count }
limits: { cache: { replyBytes: 1KiB } }
subscriptions:
  countChanged: { poll: { operation: stock.GetCount, everyMillis: 100 } }
`;

t.test(
  'one of two gateways polls for both, and the other takes over',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const proxy = await useProxy(t, redis.port);
    const stock = { left: 1, note: 'a' };
    let isFailing = false;
    const backend = await useBackend(t, (message, response) => {
      if (isFailing) return answerWith('no envelope', 'text/plain', 503)(message, response);
      const content = `<id>1</id><left>${stock.left}</left><note>${stock.note}</note>`;
      const reply = `<GetCountResponse xmlns="urn:stock">${content}</GetCountResponse>`;
      answerWith(envelope(reply))(message, response);
    });
    const a = await useGateway(t, polled(backend.url, redis.url));
    const b = await useGateway(t, polled(backend.url, proxy.url));
    const clients = [a, b].map(({ url }) =>
      createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
      }),
    );
    t.teardown(async () => {
      for (const client of clients) await client.dispose();
    });
    for (const gateway of [a, b]) await gateway.logLine('Redis is there');
    /** The values that a client of one of them has got, as texts. */
    const subscribe = (at: number, selection: string) => {
      const values: string[] = [];
      const query = `subscription { countChanged(id: 1) { ${selection} } }`;
      const end = clients[at]?.subscribe(
        { query },
        { next: (value) => void values.push(JSON.stringify(value)), error() {}, complete() {} },
      );
      return { values, end: () => end?.() };
    };
    const polls = (gateway: TestGateway): number =>
      gateway.logLines().filter(({ method }) => method === 'POLL').length;
    /** Waits for so many further polls: how many each gateway made. */
    const watch = async (count: number): Promise<readonly number[]> => {
      const before = [a, b].map(polls);
      const made = (): readonly number[] =>
        [a, b].map((gateway, at) => polls(gateway) - (before[at] ?? 0));
      await until(async () => made().reduce((sum, each) => sum + each, 0) >= count, 'polls');
      return made();
    };
    const isAlone = async (): Promise<boolean> => Math.min(...(await watch(10))) === 0;
    const hasLast = (values: readonly string[], part: string): Promise<void> =>
      until(async () => values.at(-1)?.includes(part) === true, `a value with ${part}`);

    const one = subscribe(0, 'left');
    await hasLast(one.values, '"left":1');
    const other = subscribe(1, 'id note');
    await hasLast(other.values, '"note":"a"');
    await until(isAlone, 'one polls for both');
    const [ofA = 0] = await watch(10);
    t.ok(ofA > 0, 'the first one goes on');
    stock.left = 2;
    await hasLast(one.values, '"left":2');
    stock.note = 'b';
    await hasLast(other.values, '"note":"b"');
    t.equal(one.values.length, 2, 'each gets what it has selected');
    t.equal(other.values.length, 2);
    isFailing = true;
    await hasLast(one.values, '"errors"');
    await hasLast(other.values, '"errors"');
    isFailing = false;
    await hasLast(one.values, '"left":2');
    await hasLast(other.values, '"note":"b"');

    // A reply that is too long is given to nobody.
    stock.note = 'c'.repeat(1024);
    await hasLast(other.values, 'ccc');
    await until(async () => Math.min(...(await watch(10))) > 0, 'each polls by itself');
    stock.note = 'b';
    await hasLast(other.values, '"note":"b"');
    await until(isAlone, 'one polls for both again');

    one.end();
    await until(
      async () => (await watch(5))[1] === 5,
      'the other polls at once when the first has left',
    );
    const third = subscribe(0, 'left');
    await hasLast(third.values, '"left":2');
    await until(isAlone, 'one polls for both');

    const operator = await useConnection(t, redis.url);
    const channels = await operator.tryCommand(['PUBSUB', 'CHANNELS', 'soapstone:v1:polled:*']);
    const [channel] = Array.isArray(channels) ? channels.map(String) : [];
    await operator.tryCommand([
      'PUBLISH',
      channel ?? '',
      `${'0'.repeat(64)} {"values":{"kind":"failed","code":"INTERNAL"}}`,
    ]);
    await until(
      async () => /operation="poll_receive",outcome="forged"\} 1/.test(await a.metrics()),
      'it is counted',
    );

    proxy.cut();
    stock.left = 3;
    stock.note = 'c';
    await hasLast(third.values, '"left":3');
    await hasLast(other.values, '"note":"c"');
    await until(async () => Math.min(...(await watch(10))) > 0, 'each polls by itself');
    proxy.mend();
    await until(isAlone, 'one polls for both again');
    stock.left = 4;
    stock.note = 'd';
    await hasLast(third.values, '"left":4');
    await hasLast(other.values, '"note":"d"');
    t.notMatch(JSON.stringify([third.values, other.values]), 'INTERNAL');

    await backend.close();
    await hasLast(third.values, '"errors"');
    await hasLast(other.values, '"errors"');
    await until(
      async () => Math.min(...(await watch(10))) > 0,
      'each tries to reach the backend in its turn',
    );
  },
);

t.test('the lease of a poll', { skip: MISSING }, async (t) => {
  const redis = await useRedis(t);
  const up = (): Promise<RedisConnection> => useConnection(t, redis.url);
  const join = async (replyBytes = 100) => {
    const options = {
      prefix: 'test:',
      secret: 'secret-of-replicas',
      replyBytes,
      onForged: () => forged++,
    };
    const sharing = new RedisPollSharing(await up(), await up(), { ...options, leaseMillis: 2000 });
    const received: string[] = [];
    const poll = sharing.join('a poll', (reply) =>
      received.push(reply.kind === 'reply' ? String(reply.body) : reply.kind),
    );
    return { poll, received, replyBytes: sharing.replyBytes };
  };
  let forged = 0;
  const [one, other] = [await join(), await join()];
  const operator = await up();
  const [channel] =
    ((await operator.tryCommand(['PUBSUB', 'CHANNELS', 'test:v1:polled:*'])) as string[]) ?? [];
  const key = channel?.replace('polled', 'poll') ?? '';
  const reply = (text: string) =>
    ({ kind: 'reply', status: 200, contentType: 'text/xml', body: Buffer.from(text) }) as const;
  const areSubscribed = async (): Promise<boolean> => {
    const counts = await operator.tryCommand(['PUBSUB', 'NUMSUB', channel ?? '']);
    return Array.isArray(counts) && Number(counts[1]) === 2;
  };
  await until(areSubscribed, 'both are subscribed');

  t.equal(await one.poll.acquire(), true);
  t.equal(await other.poll.acquire(), false);
  t.equal(await one.poll.acquire(), true, 'it keeps the lease');
  other.poll.publish(reply('of the other'), 0);
  one.poll.publish(reply('first'), 0);
  one.poll.publish({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }, 0);
  one.poll.publish({ kind: 'long' }, 0);
  await until(() => other.received.length === 3, 'received');
  t.same(other.received, ['first', 'failed', 'long']);
  let last = Number.POSITIVE_INFINITY;
  let renewals = 0;
  await until(async () => {
    const left = Number(await operator.tryCommand(['PTTL', key]));
    if (left > last) renewals += 1;
    last = left;
    return renewals === 5;
  }, 'it is renewed for longer than it lasts');
  t.equal(await other.poll.acquire(), false, 'it is renewed');

  // The lease of one is lost in a failover, and the other has it.
  await operator.tryCommand(['DEL', key]);
  t.equal(await other.poll.acquire(), true);
  one.poll.publish(reply('late'), 0);
  other.poll.publish(reply('second'), 0);
  await until(() => one.received.length === 1, 'received');
  t.same(one.received, ['second']);
  t.same(other.received.length, 3, 'one that lost the lease publishes nothing');
  t.equal(await one.poll.acquire(), false);
  await operator.tryCommand(['DEL', key]);
  await operator.tryCommand(['LPUSH', key, 'no lease']);
  t.equal(await one.poll.acquire(), true, 'a key of another type is replaced');
  one.poll.publish(reply('x'.repeat(10_000)), 0);
  await until(() => other.received.length === 4, 'received');
  t.equal(other.received[3], 'long', 'a process with another limit');
  one.poll.leave();
  await until(() => other.poll.acquire(), 'it takes over at once');
  other.poll.leave();
  await until(
    async () => (await operator.tryCommand(['EXISTS', key])) === 0,
    'the lease is released',
  );

  const [sender, receiver] = [await join(16 * MIB), await join(16 * MIB)];
  await until(areSubscribed, 'both are subscribed');
  t.equal(await sender.poll.acquire(), true);
  const longest = 'x'.repeat(sender.replyBytes);
  sender.poll.publish(reply(longest), 0);
  await until(() => receiver.received.length > 0 || forged > 0, 'received');
  t.ok(receiver.received[0] === longest, 'the longest reply arrives');
  t.equal(forged, 0);
});
