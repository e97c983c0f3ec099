import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_EVENTS } from '../../src/budget/budget.js';
import { compileRedis } from '../../src/compile/backend/redis.js';
import { findingsBelow } from '../../src/config/keys/finding.js';
import { loadConfig, rootSection } from '../../src/config/load.js';
import { readRedis } from '../../src/config/plans/redis-plan.js';
import { defaultsOf } from '../../src/core/limit.js';
import { MemoryPersistedStore } from '../../src/graphql/admission/document-cache.js';
import { hashOf } from '../../src/graphql/admission/persisted.js';
import { PERSISTED_LIMITS } from '../../src/graphql/admission/persisted-limits.js';
import { SharedState } from '../../src/redis/shared-state.js';
import { Authority } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { useFolder } from '../kit/use.js';
import { accountOf } from './fleet.js';
import { MISSING, MISSING_VALKEY, RedisServer, turn, until, useRedis, VALKEY } from './kit.js';
import { ask, Cluster, replicate, SentinelDeployment } from './topologies.js';

/**
 * Redis behind Sentinel, in a cluster, behind TLS and a Unix socket, and Valkey: each from a
 * configuration file.
 */

const SECRET = 'password-of-the-servers';
const OF_SENTINELS = 'password-of-the-sentinels';

const folder = await useFolder(t);

type Shared = Awaited<ReturnType<typeof share>>;

/** The shared state of a process with this value of the key `redis`. */
async function share(t: Test, redis: string) {
  const file = join(folder, 'soapstone.yaml');
  writeFileSync(file, `services: { a: { url: http://a } }\nredis: ${redis}\n`);
  const { settings } = compileRedis(readRedis(rootSection(await loadConfig(file, {}))));
  if (settings === null) throw new Error('no Redis');
  const lines: string[] = [];
  const shared = new SharedState(settings, 100, {
    budget: NO_EVENTS,
    operation() {},
    event: (_level, message, { reason = '', server = '' }) =>
      lines.push(`${message.split(':')[0]} ${reason}${server}`),
  });
  shared.start();
  t.teardown(() => shared.close());
  return { shared, lines };
}

let nonces = 0;

/** Claims a new nonce: its key, and the answer. */
async function claim({
  shared,
}: Shared): Promise<{ readonly key: string; readonly answer: string }> {
  const key = `nonce ${nonces++}`;
  return { key, answer: await shared.nonces.claim('orders', { key, equivalentKeys: [] }, 600_000) };
}

const claimAgain = ({ shared }: Shared, key: string): Promise<string> =>
  shared.nonces.claim('orders', { key, equivalentKeys: [] }, 600_000);

/** Everything that a process shares: nonces, budgets, documents, events. */
async function useAll(t: Test, one: Shared, other: Shared): Promise<void> {
  await until(() => one.shared.isUp && other.shared.isUp, 'both are up');
  const { key, answer } = await claim(one);
  t.equal(answer, 'new');
  t.equal(await claimAgain(other, key), 'seen');
  const account = accountOf('one', { maximum: 100, restoreRate: 10 });
  await until(() => one.shared.budgets.isShared, 'budgets are shared');
  t.ok(one.shared.budgets.take(account, 1).isGranted);
  const limits = { ...defaultsOf(PERSISTED_LIMITS), textBytes: 1000 };
  const stores = [one, other].map(({ shared }) =>
    shared.makePersistedStore(new MemoryPersistedStore(defaultsOf(PERSISTED_LIMITS)), limits),
  );
  await stores[0]?.set(hashOf('{ a }'), '{ a }');
  await until(
    async () => (await stores[1]?.get(hashOf('{ a }'))) === '{ a }',
    'the other has the document',
  );
  const received: unknown[] = [];
  const receiver = {
    message: ({ values }: { values: unknown }) => received.push(values),
    resumed() {},
    lost() {},
  };
  const [from, to] = [one, other].map(({ shared }) =>
    shared.makeEventTransport({ historyEvents: 10, resumeMillis: 0, queueBytes: 100_000 }),
  );
  to?.subscribe('topic', receiver);
  await until(async () => {
    from?.publish('topic', `id ${nonces++}`, { value: 1 });
    await turn(20);
    return received.length > 0;
  }, 'the other has the event');
  await from?.close();
  await to?.close();
}

/**
 * Claims nonces until Redis has been away and is back, and spends points meanwhile: the nonces that
 * were new, and denials.
 */
async function claimThroughout(
  shared: Shared,
): Promise<{ readonly keys: readonly string[]; readonly denied: number }> {
  const account = accountOf('always', ALWAYS);
  const keys: string[] = [];
  let denied = 0;
  const end = performance.now() + 60_000;
  for (let wasAway = false, isNew = false; !wasAway || !isNew; await turn(20)) {
    if (performance.now() > end) throw new Error('Redis does not come back');
    const { key, answer } = await claim(shared);
    isNew = answer === 'new';
    if (isNew) keys.push(key);
    else wasAway = true;
    if (!shared.shared.budgets.take(account, 1).isGranted) denied++;
  }
  return { keys, denied };
}

const ALWAYS = { maximum: 100_000, restoreRate: 100_000 };

t.test('workers are replicas, though fewer are configured', async (t) => {
  for (const [keys, workers, expected] of [
    ['', null, 1],
    ['workers: 3\n', null, 3],
    ['workers: 3\n', 4, 4],
    ['workers: 3\n', 1, 2],
  ] as const) {
    const file = join(folder, 'workers.yaml');
    const replicas = expected === 2 ? ', replicas: 2' : '';
    writeFileSync(
      file,
      `${keys}services: { a: { url: http://a } }\nredis: { url: redis://localhost${replicas} }\n`,
    );
    t.equal(
      compileRedis(
        readRedis(rootSection(await loadConfig(file, {}, workers === null ? {} : { workers }))),
      ).settings?.replicas,
      expected,
    );
  }
});

t.test('secrets that go over the network in clear text are warned of', async (t) => {
  const warnings = async (redis: string): Promise<readonly string[]> => {
    const file = join(folder, 'warned.yaml');
    writeFileSync(file, `services: { a: { url: http://a } }\nredis: ${redis}\n`);
    const root = rootSection(await loadConfig(file, {}));
    const { warnings: found } = compileRedis(readRedis(root));
    return root
      .locateAll(findingsBelow(['redis'], found))
      .map(({ what, line }) => `${line}: ${what}`);
  };
  const open =
    '2: Redis gets its password without TLS: others on the network can read it, ' +
    'and what replicas share.';
  for (const [redis, expected] of [
    ['"redis://:secret@redis.internal"', [open]],
    ['{ url: redis://10.0.0.1, password: secret }', [open]],
    ['{ cluster: { nodes: ["127.0.0.1:7000", "10.0.0.1:7000"] }, password: secret }', [open]],
    ['{ sentinel: { master: m, nodes: ["a:26379"], tls: {} }, password: secret }', [open]],
    ['{ sentinel: { master: m, nodes: ["a:26379"] }, password: secret, tls: {} }', []],
    ['"rediss://:secret@redis.internal"', []],
    ['"redis://:secret@[::1]"', []],
    ['"redis://:secret@localhost:6380/1"', []],
    ['{ url: unix:/run/redis.sock, password: secret }', []],
    ['redis://redis.internal', []],
  ] as const) {
    t.same(await warnings(redis), expected, redis);
  }
});

t.test('Sentinel: a failover under traffic', { skip: MISSING }, async (t) => {
  const deployment = await SentinelDeployment.start(SECRET, OF_SENTINELS);
  t.teardown(() => deployment.close());
  const nodes = ['127.0.0.1:9', ...deployment.nodes].map((node) => `"${node}"`).join();
  const redis = (password: string): string =>
    `{ sentinel: { master: orders, nodes: [${nodes}], password: ${password} }, password: ` +
    `${SECRET}, operationMillis: 500, secret: 0123456789abcdef }`;
  const one = await share(t, redis(OF_SENTINELS));
  const other = await share(t, redis(OF_SENTINELS));
  await useAll(t, one, other);
  const [primary, replica] = deployment.servers;
  t.same(
    one.lines,
    [`Redis is there 127.0.0.1:${primary.port}`],
    'a sentinel that is gone is passed over',
  );

  const before = await claim(one);
  replicate(primary, '-a', SECRET);
  await primary.kill();
  const { keys, denied } = await claimThroughout(one);
  t.equal(denied, 0, 'no request is denied for it');
  t.equal(await claimAgain(one, before.key), 'seen', 'the nonces of before are known');
  t.same(new Set(await Promise.all(keys.map((key) => claimAgain(one, key)))), new Set(['seen']));
  await until(() => one.lines.length === 3, 'recorded');
  t.match(one.lines[1], /^Redis is away /);
  t.equal(one.lines[2], `Redis is there 127.0.0.1:${replica.port}`);

  // The old primary comes back as a replica; then its turn comes again by a planned failover.
  await primary.start('--replicaof', '127.0.0.1', String(replica.port));
  await until(async () => {
    const state = ask(replica.port, '-a', SECRET, 'info', 'replication');
    return state.includes(`port=${primary.port},state=online`);
  }, 'the old primary follows');
  await until(async () => {
    const [sentinel = ''] = deployment.nodes;
    return ask(
      Number(sentinel.split(':')[1]),
      '-a',
      OF_SENTINELS,
      'sentinel',
      'failover',
      'orders',
    ).includes('OK');
  }, 'the failover is begun');
  await claimThroughout(one);
  await until(async () => deployment.isPrimary(primary), 'it is the primary again');
  await useAll(t, one, other);

  const refused = await share(t, redis('wrong'));
  await until(() => refused.lines.length > 0, 'recorded');
  t.same(refused.lines, ['Redis is away sentinels: WRONGPASS']);
  t.notMatch(JSON.stringify([one.lines, other.lines, refused.lines]), /password-of/);
});

t.test('a cluster: slots that move, nodes that fail', { skip: MISSING }, async (t) => {
  const cluster = await Cluster.start();
  t.teardown(() => cluster.close());
  const redis =
    `{ cluster: { nodes: ["127.0.0.1:9", "${cluster.nodes[1]}"] }, operationMillis: ` +
    '500, secret: 0123456789abcdef }';
  const one = await share(t, redis);
  const other = await share(t, redis);
  await useAll(t, one, other);
  const owner = cluster.ownerOf('{soapstone:}');
  t.same(one.lines, [`Redis is there 127.0.0.1:${owner.port}`]);

  const before = await claim(one);
  const next = cluster.primaries().find((server) => server !== owner);
  if (next === undefined) throw new Error('no other node');
  await cluster.moveSlot('{soapstone:}', owner, next);
  const { keys } = await claimThroughout(one);
  t.equal(await claimAgain(one, before.key), 'seen', 'the nonces of before have moved');
  t.same(new Set(await Promise.all(keys.map((key) => claimAgain(one, key)))), new Set(['seen']));
  await until(() => one.lines.length >= 3, 'recorded');
  t.equal(one.lines.at(-1), `Redis is there 127.0.0.1:${next.port}`);
  await useAll(t, one, other);

  await cluster.addReplica(next);
  const last = await claim(one);
  t.equal(last.answer, 'new');
  replicate(next);
  await next.kill();
  const { denied } = await claimThroughout(one);
  t.equal(denied, 0, 'no request is denied for it');
  t.equal(await claimAgain(one, last.key), 'seen', 'the nonces of before are known');
  await useAll(t, one, other);
});

t.test(
  'TLS with a certificate of the gateway, whose files rotate',
  { skip: MISSING },
  async (t) => {
    const own = new Authority(mkdtempSync(join(folder, 'tls-')), 'own');
    const foreign = new Authority(mkdtempSync(join(folder, 'tls-')), 'foreign');
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const server = own.sign('redis.test');
    const files = [
      '--tls-cert-file',
      write('s.pem', server.cert),
      '--tls-key-file',
      write('s.key', server.key),
    ];
    const ca = write('ca.pem', own.ca.cert);
    const sockets = ['--port', '0', '--tls-ca-cert-file', ca];
    const port = String(await freePort());
    await useRedis(t, ...files, ...sockets, '--tls-port', port, '--requirepass', SECRET);
    const client = own.sign('gateway');
    write('c.pem', client.cert);
    write('c.key', client.key);
    write('password', `${SECRET}\n`);
    const tls = (ca: string): string =>
      `tls: { ca: { file: ${ca} }, cert: { file: c.pem }, key: { file: ` +
      'c.key }, servername: redis.test }';
    const url =
      `url: "rediss://127.0.0.1:${port}/3", password: { file: ` +
      'password }, operationMillis: 500';
    const secured = await share(t, `{ ${url}, ${tls('ca.pem')} }`);
    await until(() => secured.shared.isUp, 'up');
    t.equal((await claim(secured)).answer, 'new');

    const withoutIdentity = await share(t, `{ ${url}, tls: { ca: { file: ca.pem } } }`);
    write('foreign.pem', foreign.ca.cert);
    const withForeign = await share(t, `{ ${url}, ${tls('foreign.pem')} }`);
    const ofOther = await share(
      t,
      `{ ${url}, ${tls('ca.pem').replace('redis.test', 'other.test')} }`,
    );
    for (const each of [withoutIdentity, withForeign, ofOther])
      await until(() => each.lines.length > 0, 'recorded');
    t.same(
      [withoutIdentity, withForeign, ofOther].map(({ lines }) => lines[0]),
      [
        'Redis is away ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
        'Redis is away SELF_SIGNED_CERT_IN_CHAIN',
        'Redis is away ERR_TLS_CERT_ALTNAME_INVALID',
      ],
    );

    // The files of one that cannot connect are replaced: it connects.
    write('foreign.pem', own.ca.cert);
    await until(() => withForeign.shared.isUp, 'up with the new file');
  },
);

t.test('a Unix socket, a database and a user', { skip: MISSING }, async (t) => {
  const path = join(folder, 'redis.sock');
  const redis = await useRedis(t, '--unixsocket', path);
  t.equal(ask(redis.port, 'acl', 'setuser', 'web', 'on', `>${SECRET}`, '~*', '&*', '+@all'), 'OK');
  const text =
    `{ url: "unix:${path}", username: web, password: ${SECRET}, database: 2, operationMillis: ` +
    '500, secret: 0123456789abcdef }';
  const one = await share(t, text);
  const other = await share(t, text);
  await useAll(t, one, other);
  t.same(one.lines, [`Redis is there unix:${path}`]);
  t.equal(ask(redis.port, 'dbsize'), '0');
  t.not(ask(redis.port, '-n', '2', 'dbsize'), '0');
  const wrong = await share(t, `"redis://web:wrong@127.0.0.1:${redis.port}/2"`);
  await until(() => wrong.lines.length > 0, 'recorded');
  t.same(wrong.lines, ['Redis is away WRONGPASS']);
});

t.test('Valkey', { skip: MISSING_VALKEY }, async (t) => {
  const valkey = await RedisServer.startProgram(VALKEY);
  t.teardown(() => valkey.close());
  const text = `{ url: "${valkey.url}", operationMillis: 500, secret: 0123456789abcdef }`;
  const one = await share(t, text);
  const other = await share(t, text);
  await useAll(t, one, other);
  const { key } = await claim(one);
  await valkey.kill();
  await until(() => !one.shared.isUp, 'away');
  t.equal(await claimAgain(one, key), 'unknown');
  await valkey.start();
  await until(() => one.shared.isUp, 'up again');
});
