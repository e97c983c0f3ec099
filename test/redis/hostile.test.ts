import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { NO_EVENTS } from '../../src/budget/budget.js';
import { bucketKey } from '../../src/redis/lease/lease-store.js';
import { SharedState } from '../../src/redis/shared-state.js';
import { listen } from '../kit/listen.js';
import { accountOf } from './fleet.js';
import {
  MISSING,
  type RedisServer,
  settingsOf,
  turn,
  until,
  useConnection,
  useProxy,
  useRedis,
} from './kit.js';

/**
 * Servers that are no Redis, or a Redis that fails: no request is denied for it, and it is logged
 * once.
 */

const RULE = { maximum: 100, restoreRate: 50 };

/** The shared state of one process, with the time limits of the gateway, and its log. */
function share(t: Test, url: string, password?: string) {
  const lines: string[] = [];
  const operations = new Map<string, number>();
  const settings = { ...settingsOf(url, password === undefined ? {} : { password }), replicas: 2 };
  const shared = new SharedState(settings, 100, {
    budget: NO_EVENTS,
    operation: (operation, outcome) =>
      operations.set(
        `${operation} ${outcome}`,
        (operations.get(`${operation} ${outcome}`) ?? 0) + 1,
      ),
    event: (_level, message, { reason = '' }) =>
      lines.push(`${message.split(':')[0]} ${reason}`.trim()),
  });
  shared.start();
  t.teardown(() => shared.close());
  return { shared, lines, operations };
}

/** Logged failures, without timeouts that were over soon: the machine was busy. */
function failures({ lines }: { readonly lines: readonly string[] }): readonly string[] {
  const left: string[] = [];
  for (const line of lines) {
    if (line !== 'Redis is there') left.push(line);
    else if (left.at(-1) === 'Redis is away timeout') left.pop();
    else if (left.length > 0) left.push(line);
  }
  return left;
}

/**
 * Sends requests for some time, few enough for a lease to last until Redis counts as away. Counts
 * denials.
 */
async function ask({ shared }: ReturnType<typeof share>, millis: number): Promise<number> {
  const client = accountOf('one', RULE);
  let refused = 0;
  for (const end = performance.now() + millis; performance.now() < end; await turn(100)) {
    if (!shared.budgets.take(client, 1).isGranted) refused += 1;
  }
  return refused;
}

/** The same, once it shares and has spent some. */
async function sharing(t: Test, url: string, password?: string): Promise<ReturnType<typeof share>> {
  const one = share(t, url, password);
  await until(() => one.shared.budgets.isShared, 'it shares');
  await ask(one, 300);
  return one;
}

t.test('servers that are no Redis', async (t) => {
  t.jobs = 4;
  const servers: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['one that says nothing', () => {}],
    ['one that ends every connection', (socket) => socket.end()],
    ['one that resets every connection', (socket) => socket.resetAndDestroy()],
    [
      'one that speaks HTTP',
      (socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ],
    [
      'one that answers everything with a number',
      (socket) => socket.on('data', () => socket.write(':1\r\n')),
    ],
    [
      'one that answers everything with nothing',
      (socket) => socket.on('data', () => socket.write('*-1\r\n')),
    ],
    [
      'one that answers more than it is asked',
      (socket) => socket.on('data', () => socket.write('+OK\r\n'.repeat(9))),
    ],
    [
      'one that announces much',
      (socket) => socket.on('data', () => socket.write('$536870911\r\nx')),
    ],
    ['one that nests', (socket) => socket.on('data', () => socket.write('*1\r\n'.repeat(2000)))],
    [
      'one without scripts',
      (socket) =>
        socket.on('data', (bytes) =>
          socket.write(bytes.includes('EVAL') ? "-ERR unknown command 'EVAL'\r\n" : '+OK\r\n'),
        ),
    ],
    [
      'one that permits no scripts',
      (socket) =>
        socket.on('data', (bytes) =>
          socket.write(bytes.includes('EVAL') ? '-NOPERM no\r\n' : '+OK\r\n'),
        ),
    ],
    [
      'one of a cluster that has the keys elsewhere',
      (socket) =>
        socket.on('data', (bytes) =>
          socket.write(bytes.includes('EVAL') ? '-MOVED 1 a:1\r\n' : '+OK\r\n'),
        ),
    ],
    [
      'one that wants a password',
      (socket) => socket.on('data', () => socket.write('-NOAUTH Authentication required.\r\n')),
    ],
  ];
  for (const [name, serve] of servers) {
    void t.test(name, { buffered: true }, async (t) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.resume();
        socket.on('close', () => sockets.delete(socket));
        serve(socket);
      });
      const one = share(t, `redis://127.0.0.1:${(await listen(t, server)).port}`);
      t.equal(await ask(one, 3000), 0, 'no request is denied');
      // A connection that is up for a second is logged too, the next one only after two.
      t.ok(one.lines.length <= 4, `it is not logged each time: ${one.lines}`);
      t.ok(sockets.size <= 2, `${sockets.size} connections`);
    });
  }
});

t.test('a Redis that fails', { skip: MISSING }, async (t) => {
  t.jobs = 4;
  const test = (
    name: string,
    run: (t: Test, server: RedisServer) => Promise<void>,
    ...options: string[]
  ): void => {
    void t.test(name, { buffered: true }, async (t) => {
      await run(t, await useRedis(t, ...options));
    });
  };

  test(
    'the password is wrong',
    async (t, server) => {
      const one = share(t, server.url, 'another password');
      t.equal(await ask(one, 2500), 0, 'no request is denied');
      t.same(failures(one), ['Redis is away WRONGPASS']);
    },
    '--requirepass',
    'the password',
  );

  test(
    'the password is changed while it is used',
    async (t, server) => {
      const one = await sharing(t, server.url, 'the password');
      const operator = await useConnection(t, server.url, undefined, { password: 'the password' });
      await operator.tryCommand(['CONFIG', 'SET', 'requirepass', 'another']);
      await operator.tryCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no']);
      t.equal(await ask(one, 2500), 0, 'no request is denied');
      t.equal(failures(one).length, 1, `${one.lines}`);
    },
    '--requirepass',
    'the password',
  );

  test('its memory is full', async (t, server) => {
    const one = await sharing(t, server.url);
    const operator = await useConnection(t, server.url);
    await operator.tryCommand(['CONFIG', 'SET', 'maxmemory', '1']);
    t.equal(await ask(one, 2500), 0, 'no request is denied');
    t.same(failures(one), ['Redis is away OOM']);
    await operator.tryCommand(['CONFIG', 'SET', 'maxmemory', '0']);
    await until(() => one.shared.budgets.isShared, 'it shares again');
  });

  test('it becomes a replica', async (t, server) => {
    const one = await sharing(t, server.url);
    const operator = await useConnection(t, server.url);
    await operator.tryCommand(['REPLICAOF', '127.0.0.1', '1']);
    t.equal(await ask(one, 2500), 0, 'no request is denied');
    t.same(failures(one), ['Redis is away READONLY']);
  });

  test('all keys hold something else', async (t, server) => {
    const one = await sharing(t, server.url);
    const operator = await useConnection(t, server.url);
    let refused = 0;
    for (let round = 0; round < 5; round += 1) {
      for (const key of [
        'test:v1:clock',
        'test:v1:replicas',
        'test:v1:credited',
        bucketKey('test:', 'one'),
      ]) {
        await operator.tryCommand(['SET', key, 'not ours']);
      }
      refused += await ask(one, 500);
    }
    t.equal(refused, 0, 'no request is denied');
    await until(() => failures(one).length === 0, 'no failure lasts');
    await until(() => one.shared.budgets.isShared, 'it shares again');
  });

  test('a network with a delay of five seconds', async (t, server) => {
    const proxy = await useProxy(t, server.port);
    const one = await sharing(t, proxy.url);
    proxy.delayMillis = 5000;
    t.equal(await ask(one, 7000), 0, 'no request is denied');
    t.same(failures(one), ['Redis is away timeout']);
    proxy.delayMillis = 0;
    await until(() => one.shared.budgets.isShared, 'it shares again');
  });

  test('scripts are forgotten before each use', async (t, server) => {
    const one = share(t, server.url);
    const operator = await useConnection(t, server.url);
    await until(() => one.shared.isUp, 'up');
    const forgetting = setInterval(() => void operator.tryCommand(['SCRIPT', 'FLUSH']), 5);
    t.teardown(() => clearInterval(forgetting));
    await until(() => one.shared.budgets.isShared, 'it shares');
    await ask(one, 300);
    t.equal(await ask(one, 1000), 0, 'no request is denied');
    await until(() => failures(one).length === 0, 'no failure lasts');
    t.same(
      [...one.operations.keys()].filter((key) => key.endsWith(' error')),
      [],
    );
  });
});
