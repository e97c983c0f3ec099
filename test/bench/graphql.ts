import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { withLoad } from './contender.js';
import type { DecodeFigures } from './decode.js';
import {
  cpuInTurns,
  fileOf,
  isProgram,
  isQuick,
  median,
  mib,
  print,
  type Server,
  table,
} from './kit.js';
import type { Load } from './load.js';
import { DECODE_OPTIONS, ORDERS, RECORD_SELECTIONS, SELECTIONS } from './selections.js';
import { startSoapstone } from './soapstone.js';

/** Two fields of a long reply beside all of it: in one process, and through the gateway. */
export async function benchGraphql(quick: boolean): Promise<void> {
  await inProcess(quick);
  await endToEnd(quick);
}

async function inProcess(quick: boolean): Promise<void> {
  const runs = quick ? '10' : '40';
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...DECODE_OPTIONS,
    fileOf('decode.js'),
    '--json',
    runs,
  ]);
  const all: readonly DecodeFigures[] = JSON.parse(stdout);
  const bytes = all[0]?.replyBytes ?? 0;
  print(`\nA reply of ${ORDERS} orders, ${(bytes / 1e6).toFixed(1)} MB, in one process\n\n`);
  const rows = all.map((figures) => [
    figures.name,
    figures.cpuMillis.toFixed(1),
    (bytes / 1e3 / figures.cpuMillis).toFixed(0),
    mib(figures.allocatedBytes),
    mib(figures.keptBytes),
    `${((100 * figures.skippedBytes) / bytes).toFixed(0)} %`,
  ]);
  print(table(['decoded', 'CPU ms', 'MB a CPU s', 'allocated MiB', 'kept MiB', 'skipped'], rows));
}

async function endToEnd(quick: boolean): Promise<void> {
  await throughGateway('orders', SELECTIONS, quick);
  await throughGateway('records', RECORD_SELECTIONS, quick);
}

const throughGateway = (
  list: 'orders' | 'records',
  selections: Readonly<Record<string, string>>,
  quick: boolean,
): Promise<void> =>
  withLoad(
    (backend) => startSoapstone(`${backend}/soap/bench?${list}=${ORDERS}`),
    async (load, gateway) => {
      const rows: string[][] = [];
      for (const [name, query] of Object.entries(selections))
        rows.push(await asked(name, query, gateway, load, quick));
      print(`\n${ORDERS} ${list} as GraphQL queries through the gateway, one after the other\n\n`);
      print(table(['query', 'ms', 'CPU ms', 'to JSON.parse', 'answer MB', 'peak RSS MiB'], rows));
    },
  );

/** Milliseconds of processor time that `JSON.parse` takes for the answer. */
async function parseMillis(url: string, body: Buffer, runs: number): Promise<number> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const text = await answer.text();
  const [micros = []] = cpuInTurns(runs, 1, [() => void JSON.parse(text)]);
  return median(micros) / 1000;
}

async function asked(
  name: string,
  query: string,
  gateway: Server,
  load: Load,
  quick: boolean,
): Promise<string[]> {
  const body = Buffer.from(JSON.stringify({ query }));
  const ask = (): Promise<number> =>
    load.post('/graphql', ['content-type', 'application/json'], body);
  for (let n = 0; n < 10; n++) await ask();
  const count = quick ? 10 : 40;
  const millis: number[] = [];
  let bytes = 0;
  const before = await gateway.usage();
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    bytes = await ask();
    millis.push(performance.now() - start);
  }
  const after = await gateway.usage();
  const cpuMillis = (after.cpuMicros - before.cpuMicros) / 1e3 / count;
  return [
    name,
    median(millis).toFixed(1),
    cpuMillis.toFixed(1),
    (cpuMillis / (await parseMillis(gateway.url, body, count))).toFixed(1),
    (bytes / 1e6).toFixed(2),
    mib(after.rssPeakBytes),
  ];
}

if (isProgram(import.meta.url)) await benchGraphql(isQuick());
