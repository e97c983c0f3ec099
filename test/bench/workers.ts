import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

import { childrenOf } from '../kit/gateway-process.js';
import { MISSING, RedisServer } from '../redis/kit.js';
import {
  cpuMicrosOf,
  fileOf,
  isProgram,
  isQuick,
  median,
  print,
  quantile,
  type Server,
  startServer,
  table,
} from './kit.js';
import { Load } from './load.js';
import { GRAPHQL_CALL, SOAP_CALL } from './messages.js';
import { startSoapstone } from './soapstone.js';

/** As many at once: a multiple of the workers, as the connections are dealt out in turn. */
const AT_ONCE = 24;

const WAYS = [
  ['SOAP', SOAP_CALL],
  ['GraphQL', GRAPHQL_CALL],
] as const;

/** Processes that take requests, and what sends to them. */
interface Contender {
  readonly servers: readonly Server[];
  readonly pids: readonly number[];
  readonly loads: readonly Load[];
}

/**
 * Processor time of a request by two workers beside one and beside two gateways of one process, and
 * how evenly the workers share connections and calls. Two busy processes slow each other on most
 * machines, whatever they do: the two gateways show by how much.
 */
export async function benchWorkers(quick: boolean): Promise<void> {
  const backend = await startServer(fileOf('backend.js'), []);
  const redis = MISSING === false ? await RedisServer.start() : null;
  if (redis === null) print(`\n${MISSING}: budgets in Redis are not measured\n`);
  const rows: string[][] = [];
  try {
    for (const [budgets, more] of [
      ['memory', ''],
      ['Redis', redis === null ? null : `redis: { url: "${redis.url}", replicas: 2 }\n`],
    ] as const) {
      if (more !== null) rows.push(...(await rowsOf(backend.url, budgets, more, quick)));
    }
    print(
      '\nProcessor time of one call with a budget, by all processes that take it; ' +
        'medians of rounds in turn\n\n',
    );
    print(
      table(
        [
          'call',
          'one µs',
          'apart µs',
          'two µs',
          'to one',
          'to apart',
          'quartiles',
          'connections',
          'share %',
        ],
        rows,
      ),
    );
  } finally {
    await redis?.close();
    await backend.stop();
  }
}

async function rowsOf(
  backend: string,
  budgets: string,
  more: string,
  quick: boolean,
): Promise<string[][]> {
  const keys = `${CLIENTS}${more}`;
  const one = await start(backend, keys, { gateways: 1, workers: 1 });
  const apart = await start(backend, keys, { gateways: 2, workers: 1 });
  const two = await start(backend, keys, { gateways: 1, workers: 2 });
  const all = [one, apart, two];
  const rows: string[][] = [];
  try {
    const count = quick ? 3_000 : 10_000;
    for (const [name, call] of WAYS) {
      const slice = async ({ pids, loads }: Contender): Promise<readonly number[]> => {
        const before = pids.map(cpuMicrosOf);
        await Promise.all(
          loads.map((load) => load.each(count / loads.length, () => load.ask(call))),
        );
        return pids.map((pid, at) => (cpuMicrosOf(pid) - (before[at] ?? 0)) / count);
      };
      const rounds: (readonly (readonly number[])[])[] = [];
      for (let round = 0; round <= (quick ? 5 : 15); round++) {
        const slices: (readonly number[])[] = [];
        for (const contender of all) slices.push(await slice(contender));
        // The first round compiles.
        if (round > 0) rounds.push(slices);
      }
      const micros = all.map((_, at) => rounds.map((slices) => sum(slices[at] ?? [])));
      const [single = [], separate = [], both = []] = micros;
      const toSeparate = both.map((value, round) => value / (separate[round] ?? 1));
      rows.push([
        `${name}, budgets in ${budgets}`,
        ...micros.map((values) => median(values).toFixed(0)),
        median(both.map((value, round) => value / (single[round] ?? 1))).toFixed(2),
        median(toSeparate).toFixed(2),
        `${quantile(toSeparate, 0.25).toFixed(2)} to ${quantile(toSeparate, 0.75).toFixed(2)}`,
        two.pids.map((pid) => connectionsOf(pid, two.servers[0]?.url ?? '')).join(' and '),
        median(
          rounds.map((slices) => (100 * (slices[2]?.[0] ?? 0)) / sum(slices[2] ?? [])),
        ).toFixed(1),
      ]);
    }
  } finally {
    for (const { loads, servers } of all) {
      await Promise.all(loads.map((load) => load.close()));
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return rows;
}

const CLIENTS =
  'clients: { address: { class: all }, classes: { all: { budget: { maximum: ' +
  '1000000000, restoreRate: 1000000000 } } } }\n';

async function start(
  backend: string,
  keys: string,
  { gateways, workers }: { readonly gateways: number; readonly workers: number },
): Promise<Contender> {
  const servers: Server[] = [];
  for (let at = 0; at < gateways; at++)
    servers.push(
      await startSoapstone(`${backend}/soap/bench?orders=1`, [], `workers: ${workers}\n${keys}`),
    );
  const loads = servers.map(({ url }) => new Load(url, undefined, AT_ONCE / gateways));
  return { servers, pids: servers.flatMap(workersOf), loads };
}

/** A gateway of one worker is one process. */
function workersOf(server: Server): readonly number[] {
  const workers = childrenOf(server);
  return workers.length === 0 ? [server.pid] : workers;
}

/** The open connections of callers that a process has. */
function connectionsOf(pid: number, url: string): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set(
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      // The state of an open connection is 01.
      .filter((fields) => fields[1]?.endsWith(`:${port}`) === true && fields[3] === '01')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  return readdirSync(`/proc/${pid}/fd`).filter((fd) =>
    inodes.has(targetOf(`/proc/${pid}/fd/${fd}`)),
  ).length;
}

/** Where a descriptor leads; '' where it is closed meanwhile. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

if (isProgram(import.meta.url)) await benchWorkers(isQuick());
