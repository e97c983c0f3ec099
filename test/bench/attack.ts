import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { shopMapping } from '../catalogue/graphql-kit.js';
import { Authority } from '../kit/certificates.js';
import { freePort } from '../kit/free-port.js';
import { NAMES } from './attacks.js';
import {
  fileOf,
  isolate,
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
import { startKeys } from './soapstone.js';

/**
 * `--office` on the command line: callers and the attacker have one address. Else the attacker has
 * one of its own.
 */
const IS_OFFICE = process.argv.includes('--office');

/**
 * The bars of the project: how much later the slowest of a hundred good callers is served under
 * attack.
 */
const BAR = IS_OFFICE ? 5 : 3;

/** Good requests that take longer than this are given up. */
const PATIENCE_MILLIS = 5000;

interface Round {
  readonly p50Millis: number;
  readonly p99Millis: number;
  /** Good requests that were not answered as they should be. */
  readonly failed: number;
  /** Share of one processor that the gateway used. */
  readonly processorShare: number;
}

/** One attack, and good traffic beside it and before it. */
interface Pair {
  readonly made: number;
  readonly attacked: Round;
  readonly alone: Round;
}

/**
 * Good traffic at half of what the gateway can do, or as told, alone and beside each attack in
 * turn.
 */
export async function benchAttack(quick: boolean): Promise<void> {
  const [seconds, rounds] = quick ? [1, 1] : [6, 3];
  const backend = await startServer(fileOf('backend.js'), []);
  const gateway = await startGateway(backend.url);
  const isIsolated = isolate(gateway.pid, [backend.pid]);
  const load = new Load(gateway.url);
  try {
    await load.small(quick ? 3000 : 12_000);
    const share = shareOfPeak();
    const perSecond = (await peak(load, quick ? 2000 : 8000)) * share;
    print(
      `\nGood traffic of ${perSecond.toFixed(0)} requests a second (${share} of peak) under ` +
        `attack from ${IS_OFFICE ? 'the same' : 'another'} address, ` +
        `${isIsolated ? 'the gateway on a processor of its own' : 'all processes on the same processors'}\n\n`,
    );
    const measure = (): Promise<Round> => good(gateway, load, perSecond, seconds);
    const attacks: (readonly [name: string, pairs: readonly Pair[]])[] = [];
    for (const name of chosen()) {
      const pairs: Pair[] = [];
      // What refuses it is compiled the first time, and what was compiled for good messages alone
      // is compiled anew: a second or two of a process's life, which would be measured or not by
      // chance.
      await underAttack(name, gateway, measure);
      await wait(quick ? 200 : 1000);
      for (let round = 0; round < rounds; round++) {
        const alone = await measure();
        const [made, attacked] = await underAttack(name, gateway, measure);
        pairs.push({ made, attacked, alone });
        // Its connections are still being closed: what is measured next is not to suffer for it.
        await wait(quick ? 200 : 1000);
      }
      attacks.push([name, pairs]);
    }
    report(attacks);
  } finally {
    await load.close();
    await gateway.stop();
    await backend.stop();
  }
}

const ratioOf = ({ attacked, alone }: Pair): number => attacked.p99Millis / alone.p99Millis;

function report(attacks: readonly (readonly [name: string, pairs: readonly Pair[]])[]): void {
  const rows = attacks.map(([name, pairs]) => {
    const of = (pick: (pair: Pair) => number): number => median(pairs.map(pick));
    return [
      name,
      String(of(({ made }) => made)),
      of(({ attacked }) => attacked.p50Millis).toFixed(1),
      of(({ alone }) => alone.p99Millis).toFixed(1),
      of(({ attacked }) => attacked.p99Millis).toFixed(1),
      of(ratioOf).toFixed(1),
      String(of(({ attacked }) => attacked.failed)),
      `${of(({ alone }) => alone.processorShare).toFixed(2)} ` +
        `${of(({ attacked }) => attacked.processorShare).toFixed(2)}`,
    ];
  });
  const heads = [
    'attack',
    'attempts',
    'p50 ms',
    'p99 alone',
    'p99 ms',
    'times',
    'failed',
    'processors',
  ];
  print(table(heads, rows));
  const worst = Math.max(...attacks.map(([, pairs]) => median(pairs.map(ratioOf))));
  const bases = attacks.flatMap(([, pairs]) => pairs.map(({ alone }) => alone.p99Millis));
  print(
    '\n  medians; alone, the worst round had ' +
      `${(Math.max(...bases) / median(bases)).toFixed(1)} times the median p99\n`,
  );
  print(`  worst ${worst.toFixed(1)}: ${worst <= BAR ? 'within' : 'beyond'} the bar of ${BAR}\n`);
}

/** Requests per second with all connections busy. */
async function peak(load: Load, count: number): Promise<number> {
  const start = performance.now();
  await load.small(count);
  return (count / (performance.now() - start)) * 1000;
}

/**
 * Good traffic at a fixed rate: requests are sent when they are due, and their time counts from
 * then.
 */
async function good(
  gateway: Server,
  load: Load,
  perSecond: number,
  seconds: number,
): Promise<Round> {
  const millis: number[] = [];
  const running = new Set<Promise<void>>();
  let failed = 0;
  const before = await gateway.usage();
  const start = performance.now();
  const total = Math.floor(perSecond * seconds);
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - start) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const dueMillis = start + (sent / perSecond) * 1000;
      const one = load
        .one()
        .then(
          () => void millis.push(performance.now() - dueMillis),
          () => void failed++,
        )
        .finally(() => running.delete(one));
      running.add(one);
    }
    await wait(1);
  }
  await Promise.race([Promise.all(running), wait(PATIENCE_MILLIS)]);
  // What still waits has waited at least so long, and is not to wait for the next round.
  for (let left = running.size; left > 0; left--) millis.push(PATIENCE_MILLIS);
  failed += running.size;
  const after = await gateway.usage();
  const spent = (performance.now() - start) * 1000;
  return {
    p50Millis: quantile(millis, 0.5),
    p99Millis: quantile(millis, 0.99),
    failed,
    processorShare: (after.cpuMicros - before.cpuMicros) / spent,
  };
}

/** Runs `measure` while the attack goes on; how often it was tried, and what was measured. */
async function underAttack(
  name: string,
  gateway: Target,
  measure: () => Promise<Round>,
): Promise<readonly [number, Round]> {
  const attacker = fork(fileOf('attacker.js'), [
    gateway.url,
    gateway.secureUrl,
    name,
    ...(IS_OFFICE ? ['127.0.0.1'] : []),
  ]);
  const asked = async (): Promise<number> => {
    attacker.send('how many');
    const [made]: number[] = await once(attacker, 'message');
    return made ?? 0;
  };
  // Under way before anything counts.
  await asked();
  await wait(300);
  const before = await asked();
  const round = await measure();
  const after = await asked();
  const exit = once(attacker, 'exit');
  attacker.disconnect();
  await exit;
  return [after - before, round];
}

/** The attacks named on the command line, or all of them. */
function chosen(): readonly string[] {
  const named = NAMES.filter((name) => process.argv.includes(name));
  return named.length === 0 ? NAMES : named;
}

/**
 * `--load=0.25` on the command line: how much of what the gateway can do good callers ask for. Half
 * unless given.
 */
function shareOfPeak(): number {
  const given = process.argv.find((argument) => argument.startsWith('--load='));
  return given === undefined ? 0.5 : Number(given.slice('--load='.length));
}

/** A gateway that listens in clear text and over TLS. */
interface Target extends Server {
  readonly secureUrl: string;
}

/** With every limit as it comes, metrics and the access log. */
async function startGateway(url: string): Promise<Target> {
  const wsdl = resolve('test/bench/orders.wsdl');
  const home = await mkdtemp(join(tmpdir(), 'soapstone-bench-'));
  try {
    const [cert, key] = [join(home, 'a.pem'), join(home, 'a.key')];
    const own = new Authority(home).sign('localhost');
    writeFileSync(cert, own.cert);
    writeFileSync(key, own.key);
    const [clear, secure] = [await freePort(), await freePort()];
    const gateway = await startKeys(
      `${shopMapping(url)}  bench: { wsdl: "${wsdl}", url: "${url}/soap/bench", operations: ` +
        '{ GetOrders: false } }\n',
      `[ 127.0.0.1:${clear}, { address: 127.0.0.1:${secure}, tls: { cert: { file: ` +
        `${cert} }, key: { file: ${key} } } } ]`,
    );
    return {
      ...gateway,
      url: `http://127.0.0.1:${clear}`,
      secureUrl: `https://127.0.0.1:${secure}`,
    };
  } finally {
    await rm(home, { recursive: true });
  }
}

if (isProgram(import.meta.url)) await benchAttack(isQuick());
