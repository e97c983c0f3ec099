import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { defaultsOf } from '../../src/core/limit.js';
import { routeTo } from '../../src/upstream/dial/dial.js';
import { TlsMaterial } from '../../src/upstream/dial/tls.js';
import { HealthChecks, pathProbe } from '../../src/upstream/health.js';
import { UPSTREAM_LIMITS, type UpstreamLimits } from '../../src/upstream/limits.js';
import { Upstream, type UpstreamOptions } from '../../src/upstream/upstream.js';
import { Authority } from '../kit/certificates.js';
import { until } from '../kit/until.js';

const LIMITS: UpstreamLimits = {
  ...defaultsOf(UPSTREAM_LIMITS),
  resolveMillis: 20,
  connectMillis: 1_000,
};
const NAME = 'backend.example';

/** Servers on several addresses of this machine, with one port. */
async function startServers(
  t: Test,
  hosts: readonly string[],
  tls: { cert: string; key: string } | null = null,
) {
  const held: (() => void)[] = [];
  const open = new Map<string, number>();
  let isHolding = false;
  let port = 0;
  for (const host of hosts) {
    const answer: RequestListener = (_request, response) => {
      if (isHolding) held.push(() => response.end(host));
      else response.end(host);
    };
    const server = tls === null ? createServer(answer) : createSecureServer(tls, answer);
    server.on('connection', (socket) => {
      open.set(host, (open.get(host) ?? 0) + 1);
      socket.on('close', () => open.set(host, (open.get(host) ?? 0) - 1));
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    ({ port } = server.address() as AddressInfo);
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return {
    url: `http${tls === null ? '' : 's'}://${NAME}:${port}/`,
    open,
    held,
    hold: () => (isHolding = true),
  };
}

/** The answers of a name, which a test changes: `null` for no answer. */
class Zone {
  records: readonly string[] | null = null;
  asked = 0;
  readonly log: string[] = [];

  readonly resolveName = async (hostname: string): Promise<readonly string[]> => {
    this.asked++;
    if (this.records === null) throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
    return hostname === NAME ? this.records : [];
  };

  readonly events = {
    resolved: (host: string, records: number): void => void this.log.push(`${host} ${records}`),
    failed: (host: string, code: string): void => void this.log.push(`${host} ${code}`),
  };

  start(
    t: Test,
    url: string,
    records: readonly string[] | null,
    options: UpstreamOptions = {},
  ): Upstream {
    this.records = records;
    const upstream = new Upstream([url], LIMITS, { ...options, resolveName: this.resolveName });
    t.teardown(() => upstream.close());
    upstream.watchNames(this.events);
    return upstream;
  }
}

const ipsOf = (upstream: Upstream): string => upstream.addresses.all.map(({ ip }) => ip).join();

const answerOf = (upstream: Upstream): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    upstream.call(
      { method: 'GET', query: '', headers: [], body: null },
      {
        head() {},
        data(chunk) {
          text += chunk.toString();
        },
        end: () => resolve(text),
        failed: ({ code }) => resolve(code),
      },
    );
  });

const answersOf = async (upstream: Upstream, count: number): Promise<string> => {
  const answers: string[] = [];
  for (let call = 0; call < count; call++) answers.push(await answerOf(upstream));
  return [...new Set(answers)].sort().join();
};

t.test('calls are spread over all records of a name', async (t) => {
  const { url } = await startServers(t, ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  const upstream = new Zone().start(t, url, ['127.0.0.3', '127.0.0.1', '127.0.0.2', '127.0.0.1']);
  await until(() => ipsOf(upstream) === '127.0.0.1,127.0.0.2,127.0.0.3');
  t.equal(await answersOf(upstream, 6), '127.0.0.1,127.0.0.2,127.0.0.3');
  const [named] = upstream.addresses.named;
  t.equal(named?.totals.calls, 6, 'and are counted at the address of the configuration');
});

t.test(
  'records of a name that are new are called, and those that are gone are drained',
  async (t) => {
    const { url, open, held, hold } = await startServers(t, ['127.0.0.1', '127.0.0.2']);
    const zone = new Zone();
    const upstream = zone.start(t, url, ['127.0.0.1']);
    await until(() => ipsOf(upstream) === '127.0.0.1');
    await answerOf(upstream);
    hold();
    const slow = answerOf(upstream);
    await until(() => held.length === 1);
    zone.records = ['127.0.0.2'];
    await until(() => ipsOf(upstream) === '127.0.0.2');
    t.equal(upstream.active, 1, 'the call at the one that is gone goes on');
    held.pop()?.();
    t.equal(await slow, '127.0.0.1');
    await until(() => open.get('127.0.0.1') === 0 && upstream.active === 0);
    const next = answerOf(upstream);
    await until(() => held.length === 1);
    held.pop()?.();
    t.equal(await next, '127.0.0.2');
    t.equal(upstream.addresses.named[0]?.totals.calls, 3, 'counters do not go back');
    t.strictSame(zone.log, [`${NAME} 1`]);
  },
);

t.test(
  'a name that cannot be resolved keeps its last records, and this is reported once',
  async (t) => {
    const { url } = await startServers(t, ['127.0.0.1', '127.0.0.2']);
    const zone = new Zone();
    const upstream = zone.start(t, url, null);
    await until(() => zone.log.length === 1);
    t.strictSame(zone.log, [`${NAME} EAI_AGAIN`], 'at the start too, which does not fail');
    zone.records = ['127.0.0.1', '127.0.0.2'];
    await until(() => ipsOf(upstream) === '127.0.0.1,127.0.0.2');
    await until(() => zone.log.length === 2);
    zone.records = null;
    await until(() => zone.log.length === 3);
    zone.records = [];
    const { asked } = zone;
    await until(() => zone.asked > asked + 3);
    t.equal(ipsOf(upstream), '127.0.0.1,127.0.0.2');
    t.equal(await answersOf(upstream, 4), '127.0.0.1,127.0.0.2');
    t.strictSame(zone.log, [`${NAME} EAI_AGAIN`, `${NAME} 2`, `${NAME} EAI_AGAIN`]);
    zone.records = ['127.0.0.1'];
    await until(() => ipsOf(upstream) === '127.0.0.1');
    const { asked: askedUntilNow } = zone;
    await until(() => zone.asked > askedUntilNow + 1);
    t.strictSame(
      zone.log.slice(3),
      [`${NAME} 1`],
      'once, where the answer after a failure has other records',
    );
    t.ok((upstream.addresses.named[0]?.totals.failedLookups ?? 0) > 3);
  },
);

t.test('a record that no connection can be made to is not called before one can', async (t) => {
  const { url } = await startServers(t, ['127.0.0.1']);
  const zone = new Zone();
  const upstream = zone.start(t, url, ['::1', '127.0.0.1', '127.0.0.9']);
  await until(() => ipsOf(upstream) === '127.0.0.1');
  t.equal(await answersOf(upstream, 4), '127.0.0.1');
  t.equal(upstream.addresses.named[0]?.totals.failures.size, 0);
  const late = createServer((_request, response) => response.end('late'));
  await new Promise<void>((resolve) =>
    late.listen(Number(new URL(url).port), '127.0.0.9', resolve),
  );
  t.teardown(() => late.close());
  await until(() => ipsOf(upstream) === '127.0.0.1,127.0.0.9');
  zone.records = ['127.0.0.7', '127.0.0.8'];
  await until(() => ipsOf(upstream) === '127.0.0.7,127.0.0.8');
  t.equal(
    await answerOf(upstream),
    'UPSTREAM_UNREACHABLE',
    'where none can be reached all are called',
  );
  late.closeAllConnections();
});

t.test('records of a name are called under its name: TLS and Host', async (t) => {
  const authority = new Authority(t.testdir({}));
  const identity = authority.sign(NAME);
  const { url } = await startServers(t, ['127.0.0.1', '127.0.0.2'], identity);
  const parts = { ca: authority.ca.cert };
  const tls = new TlsMaterial(
    { parts, passphrase: null, servername: null, minVersion: '1.2', verify: 'full' },
    {},
  );
  const upstream = new Zone().start(t, url, ['127.0.0.2', '127.0.0.1'], {
    routeTo: (to) => routeTo(to, null, tls),
  });
  await until(() => upstream.addresses.all.length === 2);
  t.equal(await answersOf(upstream, 4), '127.0.0.1,127.0.0.2');
});

t.test('records that come and go are checked and no longer checked', async (t) => {
  const { url } = await startServers(t, ['127.0.0.1', '127.0.0.2']);
  const zone = new Zone();
  const upstream = zone.start(t, url, ['127.0.0.1', '127.0.0.2']);
  const options = { everyMillis: 20, timeoutMillis: 1_000, probe: pathProbe('/'), up: 1, down: 1 };
  const health = new HealthChecks(upstream, LIMITS, {}, options);
  t.teardown(() => health.close());
  await until(() => ipsOf(upstream) === '127.0.0.1,127.0.0.2');
  health.start(() => {});
  t.equal(upstream.count('open'), 0);
  zone.records = ['127.0.0.8'];
  await until(() => ipsOf(upstream) === '127.0.0.8' && upstream.count('open') === 1);
  t.equal(upstream.addresses.named[0]?.totals.ejections.get('health'), 1);
  zone.records = ['127.0.0.2'];
  await until(() => ipsOf(upstream) === '127.0.0.2' && upstream.count('open') === 0);
});

t.test(
  'addresses without a name, and names that a proxy resolves, are not looked up',
  async (t) => {
    const zone = new Zone();
    zone.start(t, 'http://127.0.0.1:1/', []);
    zone.start(t, 'http://[::1]:1/', []);
    zone.start(t, 'http://backend.example:1/', [], {
      routeTo: (url) => routeTo(url, 'http://127.0.0.1:1', null),
    });
    t.equal(zone.asked, 0);
  },
);
