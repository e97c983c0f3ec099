import type { Socket } from 'node:net';
import t, { type Test } from 'tap';

import { Suspicions } from '../../src/core/shared/suspicions.js';
import { redisSuspicions } from '../../src/redis/suspicion-channel.js';
import { startScriptedBackend } from '../kit/backend.js';
import { envelope, operationIn, postSoap } from '../kit/envelope.js';
import type { TestGateway } from '../kit/gateway.js';
import { useGateway } from '../kit/use.js';
import { MISSING, type RedisServer, until, useConnection, useRedis } from './kit.js';

/** Suspicions of addresses that replicas share. */

const http = (operation: string, text: string): string => {
  const body = envelope(
    `<${operation}Response xmlns="urn:desk"><value>${text}</value></${operation}Response>`,
  );
  return (
    'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
};

async function useDesk(t: Test, redis: RedisServer) {
  const desk = { asked: 0, last: null as Socket | null };
  const backend = await startScriptedBackend((socket, request) => {
    desk.asked++;
    desk.last = socket;
    socket.write(http(operationIn(request), 'own'));
  });
  t.teardown(() => backend.close());
  const config = `redis: { url: "${redis.url}", operationMillis: 500 }
services:
  desk:
    url: ${backend.url}/
    namespace: urn:desk
    types: |
      type Query { get(id: String!): String }
      type Mutation { pay(id: String!): String }
    operations:
      Get: { field: Query.get, read: { cacheMillis: 600000, scope: shared } }
      Pay: { field: Mutation.pay, response: PayResponse, idempotency: {} }
`;
  return { desk, config };
}

const send = async ({ url }: TestGateway, operation: string, key = ''): Promise<string> => {
  const message = envelope(`<${operation} xmlns="urn:desk"><id>1</id></${operation}>`);
  const headers = key === '' ? {} : { 'idempotency-key': key };
  return (await postSoap(`${url}/soap/desk`, message, headers)).text();
};

const isSuspended = async (gateway: TestGateway): Promise<boolean> =>
  /^soapstone_upstream_reuse_suspended\{service="desk"[^}]*\} 1$/m.test(await gateway.metrics());

t.test(
  'what replicas keep of an address is dropped when one finds its sign',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const { desk, config } = await useDesk(t, redis);
    const [a, b] = [await useGateway(t, config), await useGateway(t, config)];
    t.match(await send(b, 'Get'), 'own');
    t.match(await send(a, 'Pay', 'k'), 'own');
    t.match(await send(b, 'Pay', 'k'), 'own', 'kept in Redis');
    t.equal(desk.asked, 2);
    t.match(await send(a, 'Pay'), 'own');
    desk.last?.write(http('Pay', 'of another'));
    await until(() => isSuspended(a), 'a sign');
    await until(() => isSuspended(b), 'the other replica knows');
    t.match(
      await send(b, 'Pay', 'k'),
      'IDEMPOTENCY_OUTCOME_UNKNOWN',
      'the stored source is suspected',
    );
    t.equal(desk.asked, 3);
    t.match(await send(b, 'Get'), 'own');
    t.equal(desk.asked, 4, 'the cached reply was dropped');
  },
);

t.test(
  'a replica that begins when all others have ended reads what is stored',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const { desk, config } = await useDesk(t, redis);
    const first = await useGateway(t, config);
    await until(async () => (await first.metrics()).includes('soapstone_redis_up 1'), 'up');
    t.match(await send(first, 'Pay', 'k'), 'own');
    desk.last?.write(http('Pay', 'of another'));
    await until(() => isSuspended(first), 'a sign');
    const connection = await useConnection(t, redis.url);
    const stored = () => connection.command('t', ['ZCARD', 'soapstone:v1:suspected']);
    await until(async () => (await stored()) === 1, 'stored');
    await first.close();
    const next = await useGateway(t, config);
    await until(() => isSuspended(next), 'it was read');
    t.match(await send(next, 'Pay', 'k'), 'IDEMPOTENCY_OUTCOME_UNKNOWN');
  },
);

const signOf = (address: string, suspendedMillis = 60_000) => ({
  address,
  atMillis: Date.now(),
  suspendedMillis,
  reachMillis: 600_000,
});

async function useChannel(t: Test, url: string, replica: string) {
  const connection = await useConnection(t, url);
  const subscriber = await useConnection(t, url);
  const suspicions = new Suspicions();
  const channel = redisSuspicions(connection, subscriber, 'p:', replica);
  channel.receive(
    (suspicion) => suspicions.add(suspicion),
    () => suspicions.list(),
  );
  return { channel, suspicions, connection };
}

t.test(
  'a replica whose subscription begins later asks the others',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const one = await useChannel(t, redis.url, 'one');
    one.suspicions.add(signOf('a:80/'));
    // Nothing of it is in Redis.
    t.equal(await one.connection.command('t', ['ZCARD', 'p:v1:suspected']), 0);
    const two = await useChannel(t, redis.url, 'two');
    await until(() => two.suspicions.of('a:80/') !== null, 'the answer of the first');
    t.equal(two.suspicions.of('a:80/')?.suspendedMillis, 60_000);
  },
);

t.test(
  'what is stored ends with its suspension, and nothing else is read',
  { skip: MISSING },
  async (t) => {
    const redis = await useRedis(t);
    const one = await useChannel(t, redis.url, 'one');
    const run = (...words: string[]) => one.connection.command('t', words);
    const stored = () => run('ZRANGEBYSCORE', 'p:v1:suspected', '-inf', '+inf');
    one.channel.publish(signOf('short', 50));
    await until(async () => String(await stored()) === '50 600000 short', 'stored');
    await new Promise((resolve) => setTimeout(resolve, 100));
    one.channel.publish(signOf('host/a path'));
    await until(
      async () => String(await stored()) === '60000 600000 host/a path',
      'the other is gone',
    );
    t.ok(Number(await run('PTTL', 'p:v1:suspected')) > 3_600_000);
    for (const member of [
      'x',
      ' b',
      '-1 b',
      'NaN b',
      '60000 b',
      '60000 99999999999 b',
      `60000 600000 ${'b'.repeat(3_000)}`,
    ])
      await run('ZADD', 'p:v1:suspected', String(Date.now() + 60_000), member);
    one.suspicions.list();
    const two = await useChannel(t, redis.url, 'two');
    await until(() => two.suspicions.of('host/a path') !== null, 'read');
    t.same(
      two.suspicions.list().map(({ address }) => address),
      ['host/a path'],
    );
  },
);
