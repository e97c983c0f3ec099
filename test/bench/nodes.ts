import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';

import {
  callAll,
  fileOf,
  isProgram,
  isQuick,
  median,
  mib,
  print,
  quantile,
  type Server,
  startServer,
  table,
} from './kit.js';
import { orders } from './messages.js';

/**
 * Prints what the gateway costs on several versions of Node: their binaries are the arguments. All
 * run at once, and get their calls in turns.
 */

const AT_ONCE = 16;
const IDLE_MILLIS = 2_000;

interface Call {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

const CALLS: readonly Call[] = [
  {
    name: 'SOAP, 2 KiB',
    path: '/soap/bench',
    type: 'text/xml',
    content: orders(2048).toString().replaceAll('GetOrdersResponse', 'GetOrders'),
  },
  {
    name: 'SOAP, 64 KiB',
    path: '/soap/bench',
    type: 'text/xml',
    content: orders(65_536).toString().replaceAll('GetOrdersResponse', 'GetOrders'),
  },
  {
    name: 'GraphQL, 13 fields',
    path: '/graphql',
    type: 'application/json',
    content: JSON.stringify({
      query:
        '{ listOrders { id serial status placedAt total note customer { code name phone ' +
        'address { city } } lines { sku price } } }',
    }),
  },
];

interface Contestant {
  readonly version: string;
  readonly gateway: Server;
  readonly readyMillis: number;
  readonly idleBytes: number;
  /** Processor time of each kind of call, in rounds. */
  readonly micros: number[][];
}

export async function benchNodes(binaries: readonly string[], quick: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-nodes-'));
  const backend = await startServer(fileOf('backend.js'), []);
  const agent = new Agent({ connections: AT_ONCE });
  const contestants: Contestant[] = [];
  try {
    const file = join(folder, 'soapstone.yaml');
    await writeFile(file, configuration(`${backend.url}/soap/bench`));
    for (const binary of binaries) {
      contestants.push(await start(binary, file));
    }
    const count = quick ? 500 : 3_000;
    for (let round = 0; round <= (quick ? 3 : 9); round++) {
      for (const { gateway, micros } of contestants) {
        for (const [index, call] of CALLS.entries()) {
          const before = (await gateway.usage()).cpuMicros;
          await callAll(count, AT_ONCE, () => send(gateway.url, call, agent));
          const used = ((await gateway.usage()).cpuMicros - before) / count;
          // The first round compiles the code.
          if (round > 0) {
            micros[index]?.push(used);
          }
        }
      }
    }
    printTable(contestants);
  } finally {
    await agent.close();
    await Promise.all(contestants.map(({ gateway }) => gateway.stop()));
    await backend.stop();
    await rm(folder, { recursive: true });
  }
}

async function start(binary: string, file: string): Promise<Contestant> {
  const version = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
  const gateway = await startServer(fileOf('../../bin/main.js'), ['start', '-c', file], [], binary);
  const { cpuMicros } = await gateway.usage();
  await wait(IDLE_MILLIS);
  const { rssBytes } = await gateway.usage();
  const micros = CALLS.map((): number[] => []);
  return { version, gateway, readyMillis: cpuMicros / 1000, idleBytes: rssBytes, micros };
}

function printTable(contestants: readonly Contestant[]): void {
  const rows = contestants.map(({ version, readyMillis, idleBytes, micros }) => [
    version,
    readyMillis.toFixed(0),
    mib(idleBytes),
    ...micros.map(
      (each) =>
        `${median(each).toFixed(0)} (${quantile(each, 0.25).toFixed(0)} to ` +
        `${quantile(each, 0.75).toFixed(0)})`,
    ),
  ]);
  print('\nProcessor time of one call in µs, medians with quartiles, by version of Node\n\n');
  print(table(['Node', 'start ms', 'idle MiB', ...CALLS.map(({ name }) => name)], rows));
}

const configuration = (url: string): string => `listen: 127.0.0.1:0
admin: 127.0.0.1:0
limits: { overload: { eventLoopMillis: 0 } }
services:
  bench:
    wsdl: ${resolve('test/bench/orders.wsdl')}
    url: ${url}
    operations: { GetOrders: false }
  legacy: { wsdl: ${resolve('config/demo/legacy.wsdl')}, url: "${url}?orders=14" }
`;

async function send(url: string, { name, path, type, content }: Call, agent: Agent): Promise<void> {
  const { statusCode, body } = await request(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, soapaction: '""' },
    body: content,
    dispatcher: agent,
  });
  const text = await body.text();
  if (statusCode !== 200 || text.startsWith('{"errors"')) {
    throw new Error(`${name}: ${statusCode} ${text.slice(0, 300)}`);
  }
}

if (isProgram(import.meta.url)) {
  const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  await benchNodes(given.length === 0 ? [process.execPath] : given, isQuick());
}
