import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { envelope } from '../kit/envelope.js';
import { freePort } from '../kit/free-port.js';
import {
  areAnswering,
  childrenOf,
  type GatewayProcess,
  MAIN,
  startProcess,
  terminate,
} from '../kit/gateway-process.js';
import { post, RawClient } from '../kit/raw-client.js';
import { until } from '../kit/until.js';
import { useBackend, useFolder } from '../kit/use.js';
import { allFine, ask, connectTo, GET, SERVICES, start, statusesOf, WSDL } from './process-kit.js';

/** Processes of their own from start to end: signals, drains, and workers that die. */

/** A call without an answer of its own. */
const NOTIFICATION = post(
  '/soap/orders',
  'text/xml',
  envelope(
    '<NotifyShipment xmlns="http://legacy.example.com/desk"><orderId>7</orderId>' +
      '<carrier>a</carrier></NotifyShipment>',
  ),
);

/** Stops the process as the system does that has no time for it. */
async function holdUp(child: ChildProcess, meanwhile: () => Promise<void>): Promise<void> {
  child.kill('SIGSTOP');
  await meanwhile();
  child.kill('SIGCONT');
}

t.test('an idle gateway with a small WSDL takes little memory of its own', async (t) => {
  // A cache of compiled code that the kit shares between processes would count here, and users have
  // none.
  const { child } = await startProcess(t, SERVICES, { environment: { NODE_COMPILE_CACHE: '' } });
  // What processes share, such as the pages of Node's program, counts with how many the system
  // keeps in memory.
  const megabytes = (): number => {
    const [, kilobytes = ''] =
      /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  };
  // 41 to 44 on Node 20; 58 to 69 on 22 and 24, which leave more garbage of the start.
  const most = process.versions.node.startsWith('20.') ? 46 : 76;
  t.ok(megabytes() > 20, 'memory is read');
  // A busy machine frees the garbage of the start later.
  await until(() => megabytes() < most);
});

t.test(
  'a drain loses no request that has reached the machine, though the process is held up',
  async (t) => {
    const { child, url, line } = await start(t, '');
    const clients = await connectTo(url, 20);
    for (const client of clients) void client.send(GET);
    t.same(await statusesOf(clients), allFine(20), 'kept connections');
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await line('draining');
    await holdUp(child, async () => {
      for (const client of clients) await client.send(GET);
      // Longer than kept connections have to bring something.
      await delay(600);
    });
    t.same(await statusesOf(clients), allFine(20), 'every request is answered');
    t.same(await exit, [0, null]);
  },
);

t.test('a drain answers connections that were not accepted yet', async (t) => {
  for (const workers of [1, 2]) {
    const gateway = await start(t, `workers: ${workers}\n`);
    const { child, url } = gateway;
    await areAnswering(gateway, workers);
    const exit = once(child, 'exit');
    let clients: RawClient[] = [];
    await holdUp(child, async () => {
      clients = await connectTo(url, 60);
      for (const client of clients) await client.send(GET);
      child.kill('SIGTERM');
    });
    t.same(await statusesOf(clients), allFine(60), `every request is answered by ${workers}`);
    t.same(await exit, [0, null]);
  }
});

/** All requests that were counted, however they ended. */
async function requestsOf({ adminUrl }: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const values = [...text.matchAll(/^soapstone_requests_total\{.* (\d+)$/gm)].map(([, value]) =>
    Number(value),
  );
  return values.reduce((sum, value) => sum + value, 0);
}

t.test(
  'workers that die are replaced, also while they start and with a broken file on disk',
  async (t) => {
    const gateway = await start(t, 'workers: 2\n');
    const { child, lines } = gateway;
    const ended = (wasReady: boolean) => lines.filter((line) => line['wasReady'] === wasReady);
    await areAnswering(gateway, 2);
    await writeFile(gateway.file, 'services: [ broken');
    const [victim = 0] = childrenOf(child);
    const before = childrenOf(child);
    process.kill(victim, 'SIGKILL');
    await until(() => ended(true).length === 1);
    for (let killed = 1; killed <= 2; killed++) {
      await until(() => childrenOf(child).some((pid) => !before.includes(pid)));
      for (const pid of childrenOf(child)) if (!before.includes(pid)) process.kill(pid, 'SIGKILL');
      await until(() => ended(false).length === killed);
      t.equal(await ask(gateway), 200, 'the other one serves');
    }
    for (const { pauseMillis } of ended(false))
      t.ok(Number(pauseMillis) >= 250 && Number(pauseMillis) <= 2000);
    await areAnswering(gateway, 2);
    t.pass('both are back');
    for (const pid of childrenOf(child)) process.kill(pid, 'SIGKILL');
    await until(() => ended(true).length === 3);
    await areAnswering(gateway, 2);
    t.equal(await ask(gateway), 200, 'and again when both died');
    t.equal((await terminate(child)).code, 0);
  },
);

t.test('SIGUSR2 replaces all workers one by one, and no connection is refused', async (t) => {
  const gateway = await start(t, 'workers: 2\n');
  const { child, line, lines } = gateway;
  await areAnswering(gateway, 2);
  const before = childrenOf(child);
  const kept = await connectTo(gateway.url, 4);
  const statuses: number[] = [];
  let isOver = false;
  const asking = Promise.all(
    [0, 1, 2].map(async () => {
      while (!isOver) {
        statuses.push(await ask(gateway));
        await delay(5);
      }
    }),
  );
  for (const client of kept) void client.send(GET);
  t.same(await statusesOf(kept), allFine(4));
  child.kill('SIGUSR2');
  child.kill('SIGUSR2');
  await line('workers were replaced');
  for (const client of kept) client.close();
  isOver = true;
  await asking;
  t.same(new Set(statuses), new Set([200]), `${statuses.length} requests`);
  const after = childrenOf(child);
  t.equal(after.length, 2);
  t.notOk(
    after.some((pid) => before.includes(pid)),
    'both are new',
  );
  t.equal(lines.filter(({ msg }) => msg === 'a worker ended').length, 0);
  t.equal(lines.filter(({ msg }) => msg === 'workers were replaced').length, 1);
  const [worker = 0] = after;
  process.kill(worker, 'SIGKILL');
  await areAnswering(gateway, 2);
  t.equal(await ask(gateway), 200, 'a new worker that dies is replaced');
  t.equal((await terminate(child)).code, 0);
});

const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;
const SKIP_SYSTEMD = ['systemd-notify', 'python3'].every(hasProgram)
  ? false
  : 'needs systemd and python3: apt-get install';

/** Prints each datagram that comes to the socket of its argument in one line. */
const DATAGRAMS = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True: print(s.recv(4096).decode().replace('\\n', ' '), flush=True)`;

/** Starts a gateway for which systemd is a socket that records; returns what it was told. */
async function startNotifying(
  t: Test,
  yaml: string,
  environment: Readonly<Record<string, string>>,
) {
  // The path of a socket has 107 characters at most.
  const home = await useFolder(t);
  const socket = join(home, 's');
  const receiver = spawn('python3', ['-c', DATAGRAMS, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => receiver.kill('SIGKILL'));
  const states: string[] = [];
  // With `BARRIER=1` the program waits until its message was read.
  createInterface({ input: receiver.stdout }).on(
    'line',
    (text) => text === 'BARRIER=1' || states.push(text),
  );
  await until(() => existsSync(socket));
  const preset = `Object.assign(process.env,${JSON.stringify({ ...environment, NOTIFY_SOCKET: socket })})`;
  const options = [`--import=data:text/javascript,${encodeURIComponent(preset)}`];
  const gateway = await start(t, yaml, SERVICES, options);
  return { ...gateway, states };
}

t.test(
  'systemd is notified of the start, of reloads and of the end',
  { skip: SKIP_SYSTEMD },
  async (t) => {
    const { child, states } = await startNotifying(t, '', {});
    const has = (pattern: RegExp) => states.some((state) => pattern.test(state));
    await until(() => has(/READY=1/));
    states.length = 0;
    child.kill('SIGHUP');
    await until(() => has(/READY=1/));
    t.match(states[0], /RELOADING=1.*MONOTONIC_USEC=\d+/);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await until(() => has(/STOPPING=1/));
    t.same(await exit, [0, null]);
  },
);

t.test(
  'the watchdog of systemd is notified while all workers answer',
  { skip: SKIP_SYSTEMD },
  async (t) => {
    const yaml = 'workers: 2\nlimits: { overload: { hangMillis: 0 } }\n';
    const gateway = await startNotifying(t, yaml, { WATCHDOG_USEC: '2000000' });
    const { child, states } = gateway;
    await areAnswering(gateway, 2);
    const reports = (): number => states.filter((state) => /WATCHDOG=1/.test(state)).length;
    const reportsIn = async (millis: number): Promise<number> => {
      const before = reports();
      await delay(millis);
      return reports() - before;
    };
    await until(() => reports() > 1);
    const [worker = 0] = childrenOf(child);
    process.kill(worker, 'SIGSTOP');
    await until(async () => (await reportsIn(2000)) === 0);
    process.kill(worker, 'SIGCONT');
    const before = reports();
    await until(() => reports() > before + 1);
    t.pass('again when all answer');
  },
);

t.test('SIGUSR2 without workers is reported, and ends nothing', async (t) => {
  const gateway = await start(t, '');
  gateway.child.kill('SIGUSR2');
  t.match(await gateway.line(({ msg }) => /SIGUSR2/.test(String(msg))), { level: 'warn' });
  t.equal(await ask(gateway), 200);
});

t.test('metrics of workers are there while one hangs, and never go back', async (t) => {
  const gateway = await start(t, 'workers: 2\n');
  const { child } = gateway;
  await areAnswering(gateway, 2);
  t.equal(await gateway.metric('soapstone_workers'), 2);
  for (let n = 0; n < 10; n++) await ask(gateway);
  t.equal(await requestsOf(gateway), 10);
  const [first = 0, second = 0] = childrenOf(child);
  process.kill(first, 'SIGSTOP');
  for (let n = 0; n < 2; n++) {
    const begin = performance.now();
    t.equal(await requestsOf(gateway), 10, 'with what the other one had counted');
    t.ok(performance.now() - begin < 4000);
  }
  t.equal(await gateway.metric('soapstone_workers_answered'), 1);
  process.kill(first, 'SIGKILL');
  process.kill(second, 'SIGKILL');
  t.equal(await requestsOf(gateway), 10, 'they have ended');
  await areAnswering(gateway, 2);
  t.equal(await requestsOf(gateway), 10, 'others are there');
  for (let n = 0; n < 5; n++) await ask(gateway);
  const known = childrenOf(child);
  for (const pid of known) process.kill(pid, 'SIGTERM');
  await until(() => !known.some((pid) => childrenOf(child).includes(pid)));
  await until(async () => (await requestsOf(gateway)) >= 15);
  t.equal(await requestsOf(gateway), 15, 'workers that drain tell their last counts');
});

t.test('usage has what workers counted that have ended', async (t) => {
  const backend = await useBackend(t, (_message, response) => response.writeHead(202).end());
  const gateway = await start(
    t,
    'workers: 2\n',
    `services: { orders: { wsdl: "${WSDL}", url: "${backend.url}" } }\n`,
  );
  const counted = async (): Promise<unknown> => {
    const { clients } = JSON.parse(await (await fetch(`${gateway.adminUrl}/usage`)).text());
    return clients[0]?.soap['orders.NotifyShipment'];
  };
  const replaceAll = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const known = childrenOf(gateway.child);
    for (const pid of known) process.kill(pid, signal);
    await until(() => !known.some((pid) => childrenOf(gateway.child).includes(pid)));
    await areAnswering(gateway, 2);
  };
  const call = async (): Promise<void> => {
    const clients = await connectTo(gateway.url, 4);
    for (const client of clients) void client.send(NOTIFICATION);
    t.same(await statusesOf(clients), [202, 202, 202, 202]);
  };
  await areAnswering(gateway, 2);
  await call();
  await replaceAll('SIGTERM');
  t.equal(await counted(), 4, 'workers that drain report their last counts');
  await call();
  await until(async () => (await counted()) === 8);
  await replaceAll('SIGKILL');
  t.equal(await counted(), 8, 'what was seen of the others counts');
});

t.test(
  'one worker checks the health of backends for all, and another when it has died',
  async (t) => {
    let isFine = true;
    const backend = await useBackend(t, (_message, response) => {
      response.writeHead(isFine ? 204 : 500).end();
    });
    const everyMillis = 500;
    const health = `health: { everyMillis: ${everyMillis}, path: /health, up: 1, down: 1 }`;
    const services =
      `services: { orders: { wsdl: "${WSDL}", url: "${backend.url}", ` + `${health} } }\n`;
    const gateway = await start(t, 'workers: 3\n', services);
    const { child } = gateway;
    await areAnswering(gateway, 3);
    const ejections = () =>
      gateway.metric('soapstone_upstream_ejections_total{[^ ]*reason="health"}');
    const checksIn = async (millis: number): Promise<number> => {
      const before = backend.complete.length;
      await delay(millis);
      return backend.complete.length - before;
    };
    await until(() => backend.complete.length > 0);
    t.ok((await checksIn(6 * everyMillis)) <= 9, 'as often as one process checks');
    isFine = false;
    await until(async () => (await ejections()) === 3);
    const [leader = 0] = childrenOf(child);
    process.kill(leader, 'SIGKILL');
    await until(
      async () =>
        !childrenOf(child).includes(leader) &&
        (await gateway.metric('soapstone_workers_answered')) === 3,
    );
    await until(async () => (await ejections()) === 4);
    t.pass('the one in its place is told too');
    isFine = true;
    await delay(3 * everyMillis);
    isFine = false;
    await until(async () => (await ejections()) === 7);
    t.ok((await checksIn(6 * everyMillis)) <= 9, 'and so does the one that has taken over');
    t.equal((await terminate(child)).code, 0);
  },
);

t.test('a write through one worker invalidates what another has cached', async (t) => {
  const reads = { count: 0 };
  const backend = await useBackend(t, (message, response) => {
    const name = message.body.includes('SetCount') ? 'SetCount' : 'GetCount';
    if (name === 'GetCount') reads.count++;
    response
      .writeHead(200, { 'content-type': 'text/xml' })
      .end(envelope(`<${name}Response xmlns="urn:stock"/>`));
  });
  const operations =
    '{ GetCount: { field: Query.count, read: { cacheMillis: 600000, scope: ' +
    'shared } }, SetCount: { field: Mutation.setCount, write: { invalidates: [GetCount] } } }';
  const types = 'type Query { count: Int } type Mutation { setCount: Int }';
  const services =
    `services: { stock: { url: "${backend.url}", namespace: urn:stock, types: ` +
    `"${types}", operations: ${operations} } }\n`;
  const gateway = await start(t, 'workers: 2\n', services);
  await areAnswering(gateway, 2);
  const call = async (client: RawClient, name: string): Promise<void> => {
    await client.send(post('/soap/stock', 'text/xml', envelope(`<${name} xmlns="urn:stock"/>`)));
    t.equal((await client.reply()).status, 200);
  };
  /** Whether the backend was called for it. */
  const isCalled = async (client: RawClient): Promise<boolean> => {
    const before = reads.count;
    await call(client, 'GetCount');
    return reads.count > before;
  };
  /**
   * A connection to a worker that has cached nothing: they go to the workers in turn, but not to
   * one that is busy.
   */
  const connectToNext = async (): Promise<RawClient> => {
    for (;;) {
      const client = await RawClient.connect(gateway.url);
      if (await isCalled(client)) return client;
      client.close();
    }
  };
  const [one, other] = [await connectToNext(), await connectToNext()];
  t.same([await isCalled(one), await isCalled(other)], [false, false], 'each worker has a cache');
  await call(one, 'SetCount');
  await until(() => isCalled(other));
  await until(async () => !(await isCalled(other)));
});

t.test('the console shows all workers', async (t) => {
  const gateway = await start(t, 'workers: 2\nconsole: { tryOut: true }\n');
  const ask = async (path: string, init: RequestInit = {}) =>
    JSON.parse(await (await fetch(`${gateway.adminUrl}/console/${path}`, init)).text());
  await areAnswering(gateway, 2);
  t.match(await ask('description'), { services: [{ name: 'orders' }] });
  t.match(await ask('operation?service=orders&name=GetOrder'), { query: /getOrder\(id: 7\)/ });
  // Connections go to the workers in turn.
  const clients = await connectTo(gateway.url, 4);
  for (const client of clients)
    void client.send('POST /soap/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  await statusesOf(clients);
  await until(async () => (await ask('state')).recent.refused.length === 4);
  const { metrics } = await ask('state');
  t.match(metrics.soapstone_workers_answered, [{ value: 2 }]);
  const message = { path: '/soap/orders', headers: {}, body: '<a/>' };
  t.match(await ask('try', { method: 'POST', body: JSON.stringify(message) }), { status: Number });
});

t.test('a worker that a bug ends is replaced', async (t) => {
  const bug = 'process.on("SIGURG",()=>{throw new Error("a bug of a test")})';
  const options = [`--import=data:text/javascript,${encodeURIComponent(bug)}`];
  const gateway = await start(t, 'workers: 2\n', SERVICES, options);
  await areAnswering(gateway, 2);
  const [first = 0] = childrenOf(gateway.child);
  process.kill(first, 'SIGURG');
  t.match(await gateway.line('a worker ended'), { code: 1 });
  await areAnswering(gateway, 2);
});

const SKIP_ACTIVATE =
  !hasProgram('systemd-socket-activate') && 'needs systemd: apt-get install systemd';

t.test(
  'a socket of systemd is used, also by workers, and one it does not pass is named',
  { skip: SKIP_ACTIVATE },
  async (t) => {
    const directory = t.testdir({});
    const file = join(directory, 'soapstone.yaml');
    for (const [workers, name] of [
      [1, 'web'],
      [2, 'web'],
      [1, 'other'],
    ] as const) {
      await writeFile(
        file,
        `listen: systemd:web\nadmin: 127.0.0.1:0\nworkers: ${workers}\n${SERVICES}`,
      );
      const address = `127.0.0.1:${await freePort()}`;
      const args = [
        '-l',
        address,
        `--fdname=${name}`,
        '-E',
        'PATH',
        process.execPath,
        MAIN,
        'start',
        '-c',
        file,
      ];
      const child = spawn('systemd-socket-activate', args, { env: { PATH: process.env['PATH'] } });
      t.teardown(() => child.kill('SIGKILL'));
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output += chunk;
        });
      const exit = once(child, 'close');
      await until(() => output.includes('Listening on'));
      // The program is started by the first connection, which waits for it.
      const status = fetch(`http://${address}/soap/orders?wsdl`).then(
        (answer) => answer.status,
        () => 0,
      );
      if (name === 'other') t.same(await exit, [2, null]);
      t.equal(await status, name === 'other' ? 0 : 200, `${workers} ${name}`);
      if (name === 'other')
        t.match(output, /systemd:web.*is none of the sockets that systemd passes/);
      else {
        await until(() => output.includes('"ready"'));
        t.match(output, `http://${address}`);
        child.kill('SIGTERM');
        t.same(await exit, [0, null]);
      }
    }
  },
);

for (const workers of [1, 2])
  t.test(
    `a drain begins after its delay, without readiness meanwhile: ${workers} workers`,
    async (t) => {
      const gateway = await start(t, `workers: ${workers}\ndrainDelayMillis: 2000\n`);
      const { child, adminUrl } = gateway;
      const ready = async (): Promise<number> => (await fetch(`${adminUrl}/ready`)).status;
      t.equal(await ready(), 200);
      const ended = once(child, 'exit');
      const began = performance.now();
      child.kill('SIGTERM');
      await until(async () => (await ready()) === 503);
      t.match(await gateway.line('draining'), { signal: 'SIGTERM', delayMillis: 2000 });
      t.equal(await ask(gateway), 200, 'a new connection is accepted, and its request answered');
      t.same(await ended, [0, null]);
      t.ok(performance.now() - began >= 1900, 'not before the delay is over');
    },
  );

t.test('a second signal ends the delay of a drain, and the process', async (t) => {
  const gateway = await start(t, 'workers: 2\ndrainDelayMillis: 10m\n');
  const workers = childrenOf(gateway.child);
  t.equal(workers.length, 2);
  const ended = once(gateway.child, 'exit');
  gateway.child.kill('SIGTERM');
  await gateway.line('draining');
  gateway.child.kill('SIGTERM');
  t.same(await ended, [null, 'SIGTERM']);
  await until(() => workers.every((pid) => !isRunning(pid)));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
