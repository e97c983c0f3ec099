import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { missing } from '../real/programs.js';
import { startHaproxy } from '../real/proxies.js';
import { type Contender, contend, endAll } from './contender.js';
import {
  cpuMicrosOf,
  fileOf,
  isProgram,
  isQuick,
  median,
  mib,
  print,
  quantile,
  residentBytes,
  type Server,
  startServer,
  table,
} from './kit.js';
import { SMALL_REPLY, SMALL_REQUEST } from './messages.js';
import { startSoapstone } from './soapstone.js';

/** What others are compared with. */
const BASE = 'undici';

/** One round of one contender. */
interface Round {
  /** Requests, or megabytes, per second. */
  readonly perSecond: number;
  /** Processor time of the proxy's process for the whole round. */
  readonly cpuMicros: number;
  readonly p99Millis: number;
  readonly rssPeakBytes: number;
}

/** Small messages, and long ones each way, through bare proxies and through Soapstone, in turn. */
export async function benchProxy(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const contenders: Contender[] = [];
  const add = (name: string, server: Server) => contenders.push(contend(name, server));
  for (const kind of ['http-proxy, keep-alive', 'http-proxy', 'fast-proxy', 'httpxy', BASE]) {
    add(kind, await startServer(fileOf('forwarders.js'), [kind, backend.url]));
  }
  const absent = missing('haproxy');
  if (absent === false) add('HAProxy', await startHaproxyServer(backend.url));
  else print(`\n${absent}: HAProxy is not measured\n`);
  add('Soapstone', await startSoapstone(`${backend.url}/soap/bench`));
  try {
    await small(contenders, quick);
    await long(contenders, 'up', quick);
    await long(contenders, 'down', quick);
  } finally {
    await endAll(contenders, backend);
  }
}

/** HAProxy with kept connections to the backend; what is resident is looked at when asked. */
async function startHaproxyServer(backend: string): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'soapstone-bench-'));
  const haproxy = await startHaproxy(
    directory,
    (port) => `defaults
  mode http
  http-reuse always
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend door
  bind 127.0.0.1:${port}
  default_backend services
backend services
  server one ${new URL(backend).host}
`,
  );
  return {
    url: `http://127.0.0.1:${haproxy.port}`,
    pid: haproxy.pid,
    usage: async () => {
      const rssBytes = residentBytes(haproxy.pid);
      return {
        cpuMicros: cpuMicrosOf(haproxy.pid),
        rssBytes,
        rssPeakBytes: rssBytes,
        rssMaxBytes: rssBytes,
      };
    },
    async stop() {
      await haproxy.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function small(contenders: readonly Contender[], quick: boolean): Promise<void> {
  const count = quick ? 2_000 : 12_000;
  for (const { load } of contenders) await load.small(count);
  const rounds = await inTurn(contenders, quick ? 3 : 7, async ({ server, load }) => {
    // Connections that were left idle while the others ran are made anew before anything counts.
    await load.small(200);
    return measure(server, async () => ({ amount: count, millis: await load.small(count) }));
  });
  print(
    `\nSmall messages: ${SMALL_REQUEST.length} bytes up, ${SMALL_REPLY.length} bytes ` +
      `down, ${count} a round\n\n`,
  );
  const base = median(rounds.get(BASE)?.map(({ cpuMicros }) => cpuMicros / count) ?? []);
  const rows = [...rounds].map(([name, all]) => {
    const micros = median(all.map(({ cpuMicros }) => cpuMicros / count));
    return [
      name,
      median(all.map(({ perSecond }) => perSecond)).toFixed(0),
      micros.toFixed(0),
      median(all.map(({ p99Millis }) => p99Millis)).toFixed(1),
      mib(Math.max(...all.map(({ rssPeakBytes }) => rssPeakBytes))),
      (micros / base).toFixed(2),
    ];
  });
  print(
    table(
      ['proxy', 'requests/s', 'CPU µs/request', 'p99 ms', 'peak RSS MiB', `CPU to ${BASE}`],
      rows,
    ),
  );
}

async function long(
  contenders: readonly Contender[],
  way: 'up' | 'down',
  quick: boolean,
): Promise<void> {
  const bytes = quick ? 50_000_000 : 200_000_000;
  for (const { load } of contenders) await load[way](20_000_000);
  const rounds = await inTurn(contenders, quick ? 1 : 3, ({ server, load }) =>
    measure(server, async () => ({ amount: (await load[way](bytes)) / 1e6, millis: [] })),
  );
  print(`\nOne envelope of ${bytes / 1e6} MB ${way}\n\n`);
  const base = median(rounds.get(BASE)?.map(({ cpuMicros }) => cpuMicros) ?? []);
  const rows = [...rounds].map(([name, all]) => {
    const micros = median(all.map(({ cpuMicros }) => cpuMicros));
    return [
      name,
      median(all.map(({ perSecond }) => perSecond)).toFixed(0),
      (micros / 1e6).toFixed(2),
      mib(Math.max(...all.map(({ rssPeakBytes }) => rssPeakBytes))),
      (micros / base).toFixed(2),
    ];
  });
  print(table(['proxy', 'MB/s', 'CPU s', 'peak RSS MiB', `CPU to ${BASE}`], rows));
}

/** A B C D A B C D: what the machine does meanwhile falls on all alike. */
async function inTurn(
  contenders: readonly Contender[],
  count: number,
  run: (contender: Contender) => Promise<Round>,
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const rounds = new Map(contenders.map(({ name }): [string, Round[]] => [name, []]));
  for (let round = 0; round < count; round++) {
    for (const contender of contenders) rounds.get(contender.name)?.push(await run(contender));
  }
  return rounds;
}

async function measure(
  server: Server,
  run: () => Promise<{ readonly amount: number; readonly millis: readonly number[] }>,
): Promise<Round> {
  const before = await server.usage();
  const start = performance.now();
  const { amount, millis } = await run();
  const seconds = (performance.now() - start) / 1000;
  const after = await server.usage();
  return {
    perSecond: amount / seconds,
    cpuMicros: after.cpuMicros - before.cpuMicros,
    p99Millis: quantile(millis, 0.99),
    rssPeakBytes: after.rssPeakBytes,
  };
}

if (isProgram(import.meta.url)) await benchProxy(isQuick());
