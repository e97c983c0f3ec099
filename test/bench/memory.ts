import { setTimeout as wait } from 'node:timers/promises';

import { withLoad } from './contender.js';
import { isProgram, isQuick, mib, print, table } from './kit.js';
import { startSoapstone } from './soapstone.js';

/** The bars of the project for envelopes of 1 GiB: one, and eight at once. */
const BARS_MIB = { 1: 48, 8: 96 } as const;
const SETTLE_MILLIS = 1000;

interface Course {
  readonly way: 'up' | 'down';
  readonly atOnce: keyof typeof BARS_MIB;
  readonly nodeOptions: readonly string[];
}

const SMALL_HEAP = ['--max-old-space-size=128'];

const COURSES: readonly Course[] = [
  { way: 'up', atOnce: 1, nodeOptions: [] },
  { way: 'down', atOnce: 1, nodeOptions: [] },
  { way: 'up', atOnce: 8, nodeOptions: [] },
  { way: 'down', atOnce: 8, nodeOptions: [] },
  { way: 'up', atOnce: 8, nodeOptions: SMALL_HEAP },
  { way: 'down', atOnce: 8, nodeOptions: SMALL_HEAP },
];

/**
 * How much the memory of the gateway's process grows while long envelopes stream through it, each
 * way.
 */
export async function benchMemory(quick: boolean): Promise<void> {
  const bytes = quick ? 2 ** 26 : 2 ** 30;
  const rows: string[][] = [];
  for (const course of COURSES) rows.push(await streamed(course, bytes));
  print(`\nMemory while envelopes of ${mib(bytes)} MiB stream through Soapstone\n\n`);
  const heads = [
    'way',
    'at once',
    'heap',
    'idle RSS MiB',
    'peak RSS MiB',
    'growth MiB',
    'bar MiB',
    'result',
    'MB/s',
    'CPU s',
  ];
  print(table(heads, rows));
}

async function streamed({ way, atOnce, nodeOptions }: Course, bytes: number): Promise<string[]> {
  const row = [way, String(atOnce), nodeOptions === SMALL_HEAP ? '128 MiB' : 'default'];
  await withLoad(
    (backend) => startSoapstone(`${backend}/soap/bench`, nodeOptions),
    async (load, gateway) => {
      await load.small(2_000);
      await wait(SETTLE_MILLIS);
      // What warming up reached at most does not count: the next answer begins a new peak.
      await gateway.usage();
      const idle = await gateway.usage();
      const start = performance.now();
      await Promise.all(Array.from({ length: atOnce }, () => load[way](bytes)));
      const seconds = (performance.now() - start) / 1000;
      const after = await gateway.usage();
      const growth = after.rssPeakBytes - idle.rssBytes;
      row.push(
        mib(idle.rssBytes),
        mib(after.rssPeakBytes),
        mib(growth),
        String(BARS_MIB[atOnce]),
        growth <= BARS_MIB[atOnce] * 2 ** 20 ? 'within' : 'beyond',
        ((bytes * atOnce) / 1e6 / seconds).toFixed(0),
        ((after.cpuMicros - idle.cpuMicros) / 1e6).toFixed(2),
      );
    },
  );
  return row;
}

if (isProgram(import.meta.url)) await benchMemory(isQuick());
