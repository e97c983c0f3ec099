import { setTimeout as wait } from 'node:timers/promises';

import { fileOf, isProgram, isQuick, mib, print, startServer, table } from './kit.js';
import { Load } from './load.js';
import { startSoapstone } from './soapstone.js';

/** The bar of the project for one envelope of 1 GiB. */
const BAR_MIB = 48;
const SETTLE_MILLIS = 1000;

/** How much the memory of the gateway's process grows while one envelope streams through it, each way. */
export async function benchMemory(quick: boolean): Promise<void> {
  const bytes = quick ? 2 ** 28 : 2 ** 30;
  const rows: string[][] = [];
  for (const way of ['up', 'down'] as const) rows.push(await streamed(way, bytes));
  print(`\nMemory while one envelope of ${mib(bytes)} MiB streams through Soapstone (bar: ${BAR_MIB} MiB)\n\n`);
  const heads = ['way', 'idle RSS MiB', 'peak RSS MiB', 'growth MiB', 'growth by maxrss MiB', 'MB/s', 'CPU s'];
  print(table(heads, rows));
}

async function streamed(way: 'up' | 'down', bytes: number): Promise<string[]> {
  const backend = await startServer(fileOf('backend.js'), []);
  const gateway = await startSoapstone(`${backend.url}/soap/bench`);
  const load = new Load(gateway.url);
  try {
    await load.small(2_000);
    await wait(SETTLE_MILLIS);
    // What warming up reached at most does not count: the next answer begins a new peak.
    await gateway.usage();
    const idle = await gateway.usage();
    const start = performance.now();
    await load[way](bytes);
    const seconds = (performance.now() - start) / 1000;
    const after = await gateway.usage();
    return [
      way,
      mib(idle.rssBytes),
      mib(after.rssPeakBytes),
      mib(after.rssPeakBytes - idle.rssBytes),
      mib(Math.max(0, after.rssMaxBytes - idle.rssMaxBytes)),
      (bytes / 1e6 / seconds).toFixed(0),
      ((after.cpuMicros - idle.cpuMicros) / 1e6).toFixed(2),
    ];
  } finally {
    await load.close();
    await gateway.stop();
    await backend.stop();
  }
}

if (isProgram(import.meta.url)) await benchMemory(isQuick());
