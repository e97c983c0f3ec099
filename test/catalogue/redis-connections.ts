import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Test } from 'tap';
import { NO_EVENTS } from '../../src/budget/budget.js';
import { defaultsOf } from '../../src/core/limit.js';
import { MemoryPersistedStore } from '../../src/graphql/admission/document-cache.js';
import { hashOf } from '../../src/graphql/admission/persisted.js';
import { PERSISTED_LIMITS } from '../../src/graphql/admission/persisted-limits.js';
import { redisPersistedStore } from '../../src/redis/documents/persisted-store.js';
import { PUBLISH, REPLAY } from '../../src/redis/events/event-scripts.js';
import { EXCHANGE, HEARTBEAT } from '../../src/redis/lease/lease-scripts.js';
import { makeScript } from '../../src/redis/script.js';
import { SharedState } from '../../src/redis/shared-state.js';
import { listen } from '../kit/listen.js';
import { accountOf, startReplica } from '../redis/fleet.js';
import {
  connect,
  RecordedEvents,
  settingsOf,
  turn,
  until,
  useConnection,
  useRedis,
} from '../redis/kit.js';
import type { Rows } from './rows.js';

/** Permissions of the user of Redis, as in the manual. */
const ACL =
  'on >secret-of-redis resetkeys ~test:* resetchannels &test:* -@all +eval +evalsha ' +
  '+time +ping +info|memory ' +
  '+get +set +getex +del +incr +pexpire +zadd +zrem +zcard +zcount +zrangebyscore ' +
  '+zremrangebyscore +zscore +hset ' +
  '+hget +hmget +hdel +rpush +lindex +ltrim +xadd +xrange +publish +subscribe +unsubscribe';

/** Calls with a rate and with idempotency keys, and polls. */
async function shareCalls(shared: SharedState, text: string): Promise<void> {
  await shared.slots.take(text, { perSecond: 10, burst: 2 }, 3);
  // The key is a digest, as requests make it.
  const claim = {
    key: 'digest',
    owner: 'one',
    fingerprint: text,
    keepMillis: 60_000,
    callMillis: 1000,
  };
  await shared.outcomes.claim(claim);
  shared.outcomes.settle(claim, { status: 200, contentType: '', body: Buffer.from(text) });
  await until(async () => (await shared.outcomes.claim(claim)).kind === 'answered', 'settled');
  const poll = shared.makePollSharing(1000)?.join(text, () => {});
  await poll?.acquire();
  poll?.publish({ kind: 'failed', code: 'UPSTREAM_TIMEOUT' }, 1);
  poll?.release();
  poll?.leave();
}

export function testConnections(t: Test, rows: Rows): void {
  const test = (name: string, run: (t: Test) => Promise<void>): void => {
    void t.test(name, { buffered: true }, run);
  };

  test('R02: five late answers in a row are enough', async (t) => {
    const server = await useRedis(t);
    const recorded = new RecordedEvents();
    const connection = await useConnection(t, server.url, recorded, { operationMillis: 20 });
    server.stop();
    const before = performance.now();
    const get = () =>
      connection.command('get', ['GET', 'test:a']).catch((error: Error) => error.message);
    for (let count = 0; count < 20; count += 1) await get();
    const millis = performance.now() - before;
    t.equal(rows.answer('R02', 'operations in a row'), '5 late, then none is tried');
    t.equal(recorded.operations.get('get timeout'), 5);
    t.equal(recorded.operations.get('get down'), 15);
    t.ok(millis < 20_000, `${millis} ms for all of them`);
    t.same(recorded.changes, ['up', 'down timeout']);
    server.resume();
    await until(() => connection.isUp, 'up again');
    await until(() => recorded.changes.length === 3, 'recorded');
    t.same(recorded.changes, ['up', 'down timeout', 'up'], 'each change is reported once');
  });

  test('R06: a primary becomes a replica', async (t) => {
    rows.answer('R06', 'a primary becomes a replica');
    const server = await useRedis(t);
    const recorded = new RecordedEvents();
    const connection = await useConnection(t, server.url, recorded);
    const operator = await useConnection(t, server.url);
    await operator.tryCommand(['REPLICAOF', '127.0.0.1', '1']);
    await connection.command('set', ['SET', 'test:a', '1']).catch(() => {});
    t.same(recorded.changes, ['up', 'down READONLY']);
    await turn(300);
    t.notOk(connection.isUp, 'a Redis without writes counts as down');
    await operator.tryCommand(['REPLICAOF', 'NO', 'ONE']);
    await until(() => connection.isUp, 'up again');
    await until(() => recorded.changes.length === 3, 'recorded');
    t.same(recorded.changes, ['up', 'down READONLY', 'up']);
  });

  for (const [word, message] of [
    ['LOADING', 'LOADING Redis is loading the dataset in memory'],
    ['MOVED', 'MOVED 3999 127.0.0.1:6381'],
    [
      'MASTERDOWN',
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    ],
  ] as const) {
    test(`R06: ${word}`, async (t) => {
      let isWell = true;
      const server = createServer((socket) => {
        socket.on('data', () => socket.write(isWell ? '+OK\r\n' : `-${message}\r\n`));
      });
      const { port } = await listen(t, server);
      const recorded = new RecordedEvents();
      const connection = await useConnection(t, `redis://127.0.0.1:${port}`, recorded);
      isWell = false;
      await t.rejects(connection.command('get', ['GET', 'test:a']));
      t.equal(rows.answer('R06', word), 'down');
      t.notOk(connection.isUp);
      t.same(recorded.changes, ['up', `down ${word}`]);
      isWell = true;
      await until(() => connection.isUp, 'up again');
    });
  }

  test('R07: Redis forgets its scripts', async (t) => {
    const server = await useRedis(t);
    const recorded = new RecordedEvents();
    const connection = await useConnection(t, server.url, recorded);
    const script = makeScript("return redis.call('INCR', KEYS[1])");
    for (let count = 1; count <= 20; count += 1) {
      await connection.tryCommand(['SCRIPT', 'FLUSH']);
      t.equal(await connection.script('count', script, ['test:count'], []), count);
    }
    t.equal(rows.answer('R07', 'before each of 20 scripts'), '0 errors');
    t.same([...recorded.operations], [['count ok', 20]]);
  });

  test('R08: no memory left, and a policy that forgets', async (t) => {
    const server = await useRedis(t, '--maxmemory', '1mb', '--maxmemory-policy', 'allkeys-lru');
    const recorded: string[] = [];
    const shared = new SharedState(
      { ...settingsOf(server.url, { operationMillis: 1000 }), replicas: 1 },
      100,
      {
        budget: NO_EVENTS,
        operation() {},
        event: (level, message, { reason = '', policy = '' }) =>
          recorded.push(`${level} ${message} ${policy}${reason}`),
      },
    );
    shared.start();
    t.teardown(() => shared.close());
    await until(
      () => recorded.some((line) => /^warn .*noeviction allkeys-lru$/.test(line)),
      'a warning',
    );
    rows.answer('R08', 'a policy that evicts');

    const full = await useRedis(t, '--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    const changes = new RecordedEvents();
    const connection = connect(full.url, changes, { operationMillis: 2000 });
    t.teardown(() => connection.close());
    await until(() => changes.changes.length > 0, 'recorded');
    t.same(changes.changes, [rows.answer('R08', 'no memory left')]);
  });

  test('R12, R13: persisted documents', async (t) => {
    const server = await useRedis(t);
    const limits = defaultsOf(PERSISTED_LIMITS);
    let alerts = 0;
    const replica = async (recorded: RecordedEvents) => {
      const connection = await useConnection(t, server.url, recorded);
      const room = { entries: 5, bytes: 1000 };
      const options = {
        prefix: 'test:',
        keptMillis: 60_000,
        textBytes: 65_536,
        ...room,
        onPoisoned: () => (alerts += 1),
      };
      return {
        connection,
        texts: redisPersistedStore(new MemoryPersistedStore(limits), connection, options),
      };
    };
    const recorded = new RecordedEvents();
    const a = await replica(new RecordedEvents());
    const b = await replica(recorded);
    const [text, other] = ['{ a }', '{ b }'];
    await a.texts.set(hashOf(text), text);
    rows.answer('R13', 'used on B');
    t.equal(await b.texts.get(hashOf(text)), text, 'found');
    t.equal(await b.texts.get(hashOf(other)), null);

    const key = `test:v1:document:${hashOf(other)}`;
    await a.connection.command('poison', ['SET', key, 'mutation { deleteAll }']);
    rows.answer('R12', 'another text under the hash');
    t.equal(await b.texts.get(hashOf(other)), null, 'not found');
    t.equal(alerts, 1, 'reported once');
    t.equal(await a.connection.command('look', ['GET', key]), null, 'dropped');

    const kept = async (): Promise<readonly string[]> => {
      const found = await a.connection.tryCommand(['KEYS', 'test:v1:document:*']);
      return Array.isArray(found) ? found.map(String) : [];
    };
    const isKept = async (asked: string): Promise<boolean> =>
      (await kept()).some((name) => name.endsWith(hashOf(asked)));
    for (let at = 0; at < 20; at++) {
      await a.texts.set(hashOf(`{ a${at} }`), `{ a${at} }`);
      t.ok(await isKept(`{ a${at} }`));
      // A used document stays, also where only another replica has it.
      t.equal(await (await replica(new RecordedEvents())).texts.get(hashOf(text)), text);
      t.ok((await kept()).length <= 5, 'bounded in entries');
      await turn(2);
    }
    t.equal((await kept()).length, 5);
    for (let at = 0; at < 4; at++) {
      const long = `{ ${'a'.repeat(300 + at)} }`;
      await a.texts.set(hashOf(long), long);
      await turn(2);
    }
    t.equal((await kept()).length, 3, 'bounded in bytes as well');
    t.notOk(await isKept('{ a19 }'));
    t.equal(
      await a.connection.tryCommand(['HGET', 'test:v1:documents:bytes', 'all']),
      String(305 + 306 + 307),
    );
    await a.connection.command('look', ['SET', 'test:v1:documents', 'not ours']);
    await a.texts.set(hashOf(text), text);
    t.equal(
      await (await replica(new RecordedEvents())).texts.get(hashOf(text)),
      text,
      'an index of another type is created anew',
    );

    await a.texts.set(hashOf(other), other);
    await server.kill();
    rows.answer('R13', 'while Redis is down');
    t.equal(await b.texts.get(hashOf(other)), null, 'not found');
    t.equal(await b.texts.get(hashOf(text)), text, 'a document of this process is found');
    await b.texts.set(hashOf(other), other);
    t.equal(await b.texts.get(hashOf(other)), other, 'stored in this process');
  });

  test('R18: a user with least permissions', async (t) => {
    const server = await useRedis(t);
    const operator = await useConnection(t, server.url);
    t.equal(await operator.tryCommand(['ACL', 'SETUSER', 'soapstone', ...ACL.split(' ')]), 'OK');
    const url = server.url.replace('redis://', 'redis://soapstone:secret-of-redis@');
    const replica = await startReplica(url, 1);
    t.teardown(() => replica.close());
    const { budgets, connection, recorded } = replica;
    const client = accountOf('a', { maximum: 100, restoreRate: 10 });
    let admitted = 0;
    const startedAt = performance.now();
    for (let round = 0; round < 100; round += 1) {
      while (budgets.take(client, 1).isGranted) admitted += 1;
      await turn();
    }
    rows.answer('R18', 'the user of the manual');
    const bound = 1.05 * (100 + (performance.now() - startedAt) / 100) + 20;
    t.ok(admitted >= 80 && admitted <= bound, `${admitted} points of at most ${bound}`);
    t.same(recorded.changes, ['up']);
    t.same(
      [...recorded.operations.keys()].filter((key) => !key.endsWith('ok')),
      [],
    );
    const manual =
      /ACL SETUSER soapstone (.*)/.exec(readFileSync('config/manual/operations.md', 'utf8'))?.[1] ??
      '';
    t.equal(
      manual.replace('PASSWORD', 'secret-of-redis').replaceAll('soapstone:', 'test:'),
      ACL,
      'as the manual has it',
    );
    const failed: string[] = [];
    const persisted = defaultsOf(PERSISTED_LIMITS);
    const settings = {
      ...settingsOf(url, { operationMillis: 1000 }),
      replicas: 1,
      secret: 'a secret of the replicas',
    };
    const shared = new SharedState(settings, 100, {
      budget: NO_EVENTS,
      operation: (operation, outcome) => outcome === 'ok' || failed.push(`${operation} ${outcome}`),
      event: () => {},
    });
    const texts = shared.makePersistedStore(new MemoryPersistedStore(persisted), {
      ...persisted,
      textBytes: 1000,
    });
    const transport = shared.makeEventTransport({
      historyEvents: 10,
      resumeMillis: 0,
      queueBytes: 100_000,
    });
    shared.start();
    t.teardown(() => shared.close());
    await until(() => shared.isUp, 'up');
    const hostile = "') redis.call('FLUSHALL') --\r\nFLUSHALL\r\n";
    await texts.set(hashOf(hostile), hostile);
    t.equal(await texts.get(hashOf('unknown')), null);
    const nonce = { key: hostile, equivalentKeys: [`${hostile}${hostile}`] };
    t.equal(await shared.nonces.claim(hostile, nonce, 60_000), 'new');
    t.equal(await shared.nonces.claim(hostile, nonce, 60_000), 'seen');
    const like = { key: 'another', equivalentKeys: ['unknown', hostile] };
    t.equal(await shared.nonces.claim(hostile, like, 60_000), 'seen', 'by a equivalentKey');
    t.equal(await shared.nonces.claim('another', like, 60_000), 'new', 'of this service');
    await shareCalls(shared, hostile);
    const received: number[] = [];
    const receiver = {
      message: ({ sequence }: { sequence: number }) => received.push(sequence),
      resumed() {},
      lost() {},
    };
    const leave = transport?.subscribe('on a', receiver);
    await until(async () => {
      const reply = await operator.tryCommand(['PUBSUB', 'NUMSUB', 'test:v1:events:on a']);
      return Array.isArray(reply) && Number(reply[1]) === 1;
    }, 'subscribed');
    const id = randomUUID();
    const atOnce = async (): Promise<void> => {};
    transport?.publish('on a', id, { text: hostile });
    await until(() => received.length > 0, 'heard');
    t.same((await transport?.replay('on a', id, atOnce))?.missed, []);
    t.equal((await transport?.replay('on a', null, atOnce))?.position, id);
    transport?.skip('on b');
    leave?.();
    await transport?.close();
    t.same(failed, [], 'every operation of the gateway is permitted');
    rows.answer('R18', 'texts of callers');
    const keys: unknown = await operator.tryCommand(['KEYS', '*']);
    t.notMatch(JSON.stringify(keys), 'FLUSHALL');
    t.notMatch(
      HEARTBEAT.text + EXCHANGE.text + PUBLISH.text + REPLAY.text,
      /loadstring|dofile|\$\{/,
      'scripts are constant',
    );
    rows.answer('R18', 'the same user elsewhere');
    for (const words of [
      ['GET', 'other'],
      ['CONFIG', 'GET', '*'],
      ['FLUSHALL'],
      ['KEYS', '*'],
      ['SCRIPT', 'FLUSH'],
    ]) {
      t.equal(await connection.tryCommand(words), null, `${words[0]} is refused`);
    }
    const wrong = new RecordedEvents();
    const intruder = connect(
      server.url.replace('redis://', 'redis://soapstone:wrong-secret@'),
      wrong,
      {
        operationMillis: 2000,
      },
    );
    t.teardown(() => intruder.close());
    await until(() => wrong.changes.length > 0, 'recorded');
    t.same(wrong.changes, ['down WRONGPASS'], 'without its secret');
  });
}
