import { openSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

import { freePort } from '../kit/free-port.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { until } from '../kit/until.js';
import {
  callAll,
  cpuMicrosOf,
  fileOf,
  isProgram,
  isQuick,
  median,
  print,
  quantile,
  residentBytes,
  startServer,
  table,
  withEndings,
} from './kit.js';
import { SMALL_REQUEST, sizedEnvelope } from './messages.js';

/** What moving to a new backend costs its callers: the bridge, a shadow, a canary. */

const CONNECTIONS = 24;
const AS_12 = 'http://www.w3.org/2003/05/soap-envelope';
const AS_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const HEAD_11 = { 'content-type': 'text/xml', soapaction: '"urn:example:orders/GetOrders"' };
const HEAD_12 = {
  'content-type': 'application/soap+xml; action="urn:example:orders/GetOrders"',
};

type Ending = Parameters<Parameters<typeof withEndings>[0]>[0];

interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

let made = 0;

/** A call that is like no other: equal reads at a time are one call of the backend. */
const small = (path: string, headers: Readonly<Record<string, string>> = {}): Call => ({
  path,
  headers: { ...HEAD_11, ...headers },
  body: Buffer.from(SMALL_REQUEST.toString().replace('id="100000"', `id="${1e6 + made++}"`)),
});

/**
 * A gateway before a backend of `moving-backend.js`. `servicesFor` gets the address of another one,
 * in a process of its own.
 */
async function start(
  t: Ending,
  servicesFor: (second: string) => Readonly<Record<string, string>>,
  more = '',
) {
  const backend = await startServer(fileOf('moving-backend.js'), []);
  t.teardown(() => backend.stop());
  const second = await startServer(fileOf('moving-backend.js'), []);
  t.teardown(() => second.stop());
  const services = Object.entries(servicesFor(second.url)).map(
    ([name, keys]) =>
      `  ${name}:\n    wsdl: ${resolve('test/bench/orders.wsdl')}\n` +
      `    url: ${backend.url}/old\n    operations: { GetOrders: { read: {} } }\n${keys}`,
  );
  const limits = 'limits: { overload: { eventLoopMillis: 0 } }\n';
  const yaml = `services:\n${services.join('')}${limits}${more}`;
  const gateway = await startProcess(t, yaml, { log: openSync('/dev/null', 'w') });
  const pool = new Pool(gateway.url, { connections: CONNECTIONS, pipelining: 1 });
  t.teardown(() => pool.close());
  return { gateway, pool };
}

/** The status of the answer. */
async function send(pool: Pool, { path, headers, body }: Call): Promise<number> {
  const { statusCode, body: reply } = await pool.request({ method: 'POST', path, headers, body });
  for await (const _ of reply);
  return statusCode;
}

/** A call that must be answered with 200. */
async function answered(pool: Pool, path: string): Promise<void> {
  const status = await send(pool, small(path));
  if (status !== 200) throw new Error(`status ${status}`);
}

/** Calls in the other version of SOAP, beside the same calls in that of the backend. */
async function benchBridge(quick: boolean): Promise<void> {
  const rows: string[][] = [];
  await withEndings(async (t) => {
    const { gateway, pool } = await start(t, () => ({ orders: '    bridge: ["1.2"]\n' }));
    const sizes = [
      { name: '2 KB', request: SMALL_REQUEST, calls: 500, rounds: quick ? 10 : 60 },
      { name: '1 MiB', request: sizedEnvelope(2 ** 20, 'dense', 'up'), calls: 10, rounds: 20 },
    ];
    for (const { name, request, calls, rounds } of sizes) {
      const path = '/soap/orders';
      const translated = Buffer.from(request.toString().replace(AS_11, AS_12));
      const plain = { path, headers: HEAD_11, body: request };
      const bridged = { path, headers: HEAD_12, body: translated };
      const slice = async (call: Call): Promise<number> => {
        const before = cpuMicrosOf(gateway.child.pid ?? 0);
        await callAll(calls, CONNECTIONS, async () => {
          const status = await send(pool, call);
          if (status !== 200) throw new Error(`status ${status}`);
        });
        return (cpuMicrosOf(gateway.child.pid ?? 0) - before) / calls;
      };
      for (const call of [plain, bridged, plain, bridged]) await slice(call);
      const figures: (readonly [number, number])[] = [];
      for (let round = 0; round < rounds; round++)
        figures.push([await slice(plain), await slice(bridged)]);
      const ratios = figures.map(([one, other]) => other / one);
      const micros = (index: 0 | 1): string =>
        median(figures.map((figure) => figure[index])).toFixed(0);
      const quartiles = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2));
      rows.push([name, micros(0), micros(1), median(ratios).toFixed(2), ...quartiles]);
    }
  });
  print('\nBridge, whole calls (bar 1.3)\n\n');
  print(table(['request', 'CPU µs', 'bridged', 'ratio', 'quartiles', ''], rows));
}

/** Callers of services with a second backend, beside those of a service without one. */
async function benchShadow(quick: boolean): Promise<void> {
  await withEndings(async (t) => {
    const dead = await freePort();
    const { gateway, pool } = await start(t, (backend) => ({
      alone: '',
      again: '',
      same: `    shadow: { url: "${backend}/new" }\n`,
      dead: `    shadow: { url: "http://127.0.0.1:${dead}/new" }\n`,
      slow: `    shadow: { url: "${backend}/slow" }\n`,
      wrong: `    shadow: { url: "${backend}/wrong" }\n`,
      planted: `    shadow: { url: "${backend}/planted", callsAtOnce: 64 }\n`,
    }));
    const times = new Map(SHADOWED.map((name): [string, number[]] => [name, []]));
    for (const name of SHADOWED)
      await callAll(1_000, CONNECTIONS, () => send(pool, small(`/soap/${name}`)));
    for (let round = 0; round < (quick ? 8 : 40); round++) {
      for (const name of round % 2 === 0 ? SHADOWED : SHADOWED.toReversed())
        times.get(name)?.push(...(await timesAtPace(pool, name)));
    }
    const alone = times.get('alone') ?? [];
    const rows = SHADOWED.map((name) => {
      const figures = times.get(name) ?? [];
      return [name, ...[0.5, 0.95, 0.99].flatMap((share) => cellsOf(figures, alone, share))];
    });
    print('\nShadow: callers at a rate; `again` has none either (bar of p99 1.05)\n\n');
    const columns = ['p50 ms', 'ratio', 'p95 ms', 'ratio', 'p99 ms', 'ratio'];
    print(table(['second backend', ...columns], rows));
    await findPlanted(gateway, pool, quick ? 10_000 : 100_000);
  });
}

const SHADOWED = ['alone', 'same', 'dead', 'slow', 'wrong', 'again'];

const cellsOf = (figures: readonly number[], alone: readonly number[], share: number): string[] => {
  const [mine, other] = [quantile(figures, share), quantile(alone, share)];
  return [mine.toFixed(2), (mine / other).toFixed(2)];
};

/** Fifty calls a second, for a second and a half: all slices of a service count as one. */
const PACE_MILLIS = 20;
const PACED_CALLS = 75;

/** The times of calls that come one by one, whether or not earlier ones are answered. */
async function timesAtPace(pool: Pool, service: string): Promise<readonly number[]> {
  const begin = performance.now();
  const calls = Array.from({ length: PACED_CALLS }, async (_, index) => {
    await wait(index * PACE_MILLIS - (performance.now() - begin));
    const from = performance.now();
    await answered(pool, `/soap/${service}`);
    return performance.now() - from;
  });
  return await Promise.all(calls);
}

const PLANTED_PACE_MILLIS = 4;

/** One reply in 10,000 of the second backend has another value. */
async function findPlanted(gateway: GatewayProcess, pool: Pool, calls: number): Promise<void> {
  const count = async (outcome: string): Promise<number> =>
    (await gateway.metric(
      `soapstone_shadow_total{service="planted",operation="GetOrders",outcome="${outcome}"}`,
    )) || 0;
  const before = residentBytes(gateway.child.pid ?? 0);
  let peak = before;
  // At a rate that leaves time: under full load comparisons are skipped.
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  for (let at = 0; at < calls; at++) {
    await wait(at * PLANTED_PACE_MILLIS - (performance.now() - begin));
    sent.push(answered(pool, '/soap/planted'));
    if (sent.length < 100) continue;
    await Promise.all(sent.splice(0));
    peak = Math.max(peak, residentBytes(gateway.child.pid ?? 0));
  }
  await Promise.all(sent);
  const counts = { same: 0, different: 0, failed: 0, skipped: 0 };
  await until(async () => {
    for (const outcome of ['same', 'different', 'failed', 'skipped'] as const)
      counts[outcome] = await count(outcome);
    return Object.values(counts).reduce((sum, each) => sum + each, 0) === calls;
  });
  print(
    `\nShadow of ${calls} calls, one reply in 10,000 with another value: ` +
      `${JSON.stringify(counts)}; ${((peak - before) / 2 ** 20).toFixed(0)} MiB more at most\n`,
  );
}

/** A new backend that fails in each way, at a tenth of the calls. */
async function benchCanary(quick: boolean): Promise<void> {
  const rows: string[][] = [];
  for (const kind of ['html', 'reset', 'fault', 'mute', 'slow']) {
    await withEndings(async (t) => {
      const { gateway, pool } = await start(t, (backend) => ({
        orders:
          `    canary:\n      url: "${backend}/${kind}"\n      share: 0.1\n` +
          '      timeoutMillis: 500\n' +
          '      back: { failures: 5, faultShare: 0.5, p99Millis: 300, windowMillis: 60000 }\n',
      }));
      let failed = 0;
      let isLeft = false;
      let calls = 0;
      const watch = (async () => {
        while (!isLeft) {
          isLeft = (await gateway.metric('soapstone_canary_share{service="orders"}')) === 0;
          await wait(20);
        }
      })();
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          while (!isLeft && calls < 20_000) {
            calls++;
            if ((await send(pool, small('/soap/orders'))) !== 200) failed++;
          }
        }),
      );
      rows.push([kind, isLeft ? 'yes' : 'no', String(failed)]);
      isLeft = true;
      await watch;
    });
  }
  print('\nCanary at 10 %: failed calls of callers until it is left (bar 20)\n\n');
  print(table(['new backend', 'left', 'failed'], rows));
  await benchSticky(quick);
}

/** Callers with a key of their own, over two workers. */
async function benchSticky(quick: boolean): Promise<void> {
  const callers = Array.from({ length: quick ? 100 : 400 }, (_, at) => `caller-${at}`);
  const clients = callers.map(
    (name) => `      ${name}: { class: any, keys: [key-of-the-client-${name}] }\n`,
  );
  await withEndings(async (t) => {
    const { pool, gateway } = await start(
      t,
      (backend) => ({
        orders: `    canary: { url: "${backend}/wrong", share: 0.5, sticky: true }\n`,
      }),
      `workers: 2\nclients:\n  classes: { any: {} }\n  apiKeys:\n    clients:\n${clients.join('')}`,
    );
    await until(async () => (await send(pool, authorized(callers[0] ?? ''))) === 200);
    const seen = new Map<string, Set<boolean>>();
    const rounds = Array.from({ length: 20 }, () => callers).flat();
    await callAll(rounds.length, CONNECTIONS, async () => {
      const name = rounds.pop() ?? '';
      const { path, headers, body } = authorized(name);
      const reply = await pool.request({ method: 'POST', path, headers, body });
      const isNew = (await reply.body.text()).includes('>19.91<');
      seen.set(name, (seen.get(name) ?? new Set()).add(isNew));
    });
    const both = [...seen.values()].filter(({ size }) => size > 1).length;
    const fresh = [...seen.values()].filter((each) => each.has(true)).length;
    print(
      `\nCanary with sticky callers: ${fresh} of ${seen.size} at the new backend, ` +
        `${both} at both (bar 0); ${gateway.url === '' ? '' : 'two workers'}\n`,
    );
  });
}

const authorized = (name: string): Call =>
  small('/soap/orders', { 'x-api-key': `key-of-the-client-${name}` });

if (isProgram(import.meta.url)) {
  const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const parts = { bridge: benchBridge, shadow: benchShadow, canary: benchCanary };
  for (const [name, bench] of Object.entries(parts))
    if (only.length === 0 || only.includes(name)) await bench(isQuick());
}
