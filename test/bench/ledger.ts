import { setTimeout as wait } from 'node:timers/promises';

import { missing } from '../real/programs.js';
import { fileOf, isProgram, isQuick, mib, print, quantile, startServer, table } from './kit.js';
import {
  type LedgerProxy,
  startLedgerHaproxy,
  startLedgerNginx,
  startRedis,
  startSoapstone,
} from './ledger-proxies.js';
import { isTimed, Sender, type Sent } from './ledger-sender.js';
import { type EventCounts, Subscriber } from './ledger-subscriber.js';

/** How often each thing is done, and how many messages are sent meanwhile. */
export interface LedgerOptions {
  readonly reloads: number;
  readonly replacements: number;
  readonly kills: number;
  readonly perSecond: number;
  /** Whether others stand beside it. */
  readonly isAlone: boolean;
}

const FULL: LedgerOptions = {
  reloads: 1000,
  replacements: 200,
  kills: 100,
  perSecond: 200,
  isAlone: false,
};
const QUICK: LedgerOptions = {
  reloads: 20,
  replacements: 5,
  kills: 5,
  perSecond: 200,
  isAlone: false,
};

/** Between two reloads or replacements. */
const PAUSE_MILLIS = 200;
const BASELINE_MILLIS = 10_000;
const WARM_UP_MILLIS = 3_000;

type Action = 'reload' | 'replacement' | 'kill';

/** A part of a run: from `fromMillis` to `toMillis` something was done. */
interface Window {
  readonly fromMillis: number;
  readonly toMillis: number;
}

interface Run {
  readonly proxy: string;
  readonly action: Action;
  readonly times: number;
  readonly sent: readonly Sent[];
  readonly baseline: Window;
  readonly windows: readonly Window[];
  readonly inFlight: number;
  readonly rssBytes: readonly number[];
  readonly events: EventCounts | null;
}

const COUNT_OF = { reload: 'reloads', replacement: 'replacements', kill: 'kills' } as const;

/** What the ledger and the answers say about the messages of one run. */
interface Counts {
  /** Not answered as it should be, without the two below. */
  failed: number;
  /** In flight in a worker that was killed. */
  cut: number;
  /** Sent on a connection of a worker that was dead. */
  late: number;
  /** Answered, and not in the ledger. */
  missing: number;
  /** More than once in the ledger. */
  doubled: number;
}

/** Does one thing many times to one proxy under constant load. */
async function run(
  proxy: LedgerProxy,
  action: Action,
  firstId: number,
  options: LedgerOptions,
): Promise<Run> {
  const times = options[COUNT_OF[action]];
  const sender = new Sender(proxy.url, {
    isSoapOnly: proxy.isSoapOnly,
    firstId,
    rate: options.perSecond,
  });
  const subscriber = proxy.hasEvents ? new Subscriber(proxy.url) : null;
  await wait(WARM_UP_MILLIS);
  const fromMillis = performance.now();
  await wait(BASELINE_MILLIS);
  const baseline = { fromMillis, toMillis: performance.now() };
  const windows: Window[] = [];
  const rssBytes = [proxy.rssBytes()];
  let inFlight = 0;
  for (let turn = 1; turn <= times; turn++) {
    const victim = action === 'kill' ? ((await proxy.victim?.()) ?? 0) : 0;
    const begin = performance.now();
    if (action === 'reload') await proxy.reload?.(turn);
    else if (action === 'replacement') await proxy.replace?.();
    else {
      inFlight += sender.kill(victim);
      await proxy.whole();
    }
    windows.push({ fromMillis: begin, toMillis: performance.now() });
    await wait(PAUSE_MILLIS);
    if (turn === Math.ceil(times / 10)) rssBytes.push(proxy.rssBytes());
  }
  await wait(WARM_UP_MILLIS);
  rssBytes.push(proxy.rssBytes());
  await sender.stop();
  const events = (await subscriber?.stop(sender.sent)) ?? null;
  return {
    proxy: proxy.name,
    action,
    times,
    sent: sender.sent,
    baseline,
    windows,
    inFlight,
    rssBytes,
    events,
  };
}

function compare(sent: readonly Sent[], ledger: Uint8Array): Counts {
  const counts: Counts = { failed: 0, cut: 0, late: 0, missing: 0, doubled: 0 };
  for (const { id, failure, isCut, isLate } of sent) {
    const entries = ledger[id] ?? 0;
    if (failure !== null) counts[isCut ? 'cut' : isLate ? 'late' : 'failed']++;
    else if (entries === 0) counts.missing++;
    if (entries > 1) counts.doubled++;
  }
  return counts;
}

/** The times of messages that were in flight in one of the windows, which are in order. */
function millisIn(sent: readonly Sent[], windows: readonly Window[]): readonly number[] {
  const found: number[] = [];
  let at = 0;
  for (const each of sent) {
    while ((windows[at]?.toMillis ?? Number.POSITIVE_INFINITY) < each.atMillis) at++;
    const { fromMillis } = windows[at] ?? { fromMillis: Number.POSITIVE_INFINITY };
    if (isTimed(each) && each.atMillis + each.millis >= fromMillis) found.push(each.millis);
  }
  return found;
}

function rowOf(
  { proxy, action, times, sent, baseline, windows, inFlight, rssBytes }: Run,
  counts: Counts,
): string[] {
  const before = millisIn(sent, [baseline]);
  const during = millisIn(sent, windows);
  const figure = (millis: readonly number[], share: number): string =>
    quantile(millis, share).toFixed(1);
  const duration = windows.map(({ fromMillis, toMillis }) => toMillis - fromMillis);
  return [
    `${proxy}, ${action}`,
    String(times),
    quantile(duration, 0.5).toFixed(0),
    String(sent.length),
    String(counts.failed),
    String(counts.missing),
    String(counts.doubled),
    action === 'kill' ? `${counts.cut} of ${inFlight} + ${counts.late}` : '',
    `${figure(before, 0.5)} ${figure(before, 0.99)}`,
    `${figure(during, 0.5)} ${figure(during, 0.99)}`,
    (quantile(during, 0.99) / quantile(before, 0.99)).toFixed(2),
    rssBytes.map(mib).join(' '),
  ];
}

const HEADS = [
  'proxy',
  'times',
  'ms each',
  'sent',
  'failed',
  'not in ledger',
  'doubled',
  'cut, late',
  'p50 p99 before',
  'p50 p99 during',
  'ratio',
  'RSS MiB',
];

/** Reloads, replacements and kills of workers under constant load, and a ledger of what arrived. */
export async function benchLedger(options: LedgerOptions): Promise<void> {
  const backend = await startServer(fileOf('ledger-backend.js'), []);
  const redis = await startRedis();
  const starts: readonly ['haproxy' | 'nginx' | null, () => Promise<LedgerProxy>][] = [
    [null, () => startSoapstone(backend.url, redis)],
    ['haproxy', () => startLedgerHaproxy(backend.url)],
    ['nginx', () => startLedgerNginx(backend.url)],
  ];
  const rows: string[][] = [];
  const remarks: string[] =
    redis === null ? ['redis-server is not installed: no subscription'] : [];
  let firstId = 1;
  for (const [program, start] of options.isAlone ? starts.slice(0, 1) : starts) {
    const absent = program === null ? false : missing(program);
    if (absent !== false) {
      remarks.push(absent);
      continue;
    }
    for (const action of ['reload', 'replacement', 'kill'] as const) {
      if (options[COUNT_OF[action]] === 0) continue;
      const proxy = await start();
      const isMeant =
        { reload: proxy.reload, replacement: proxy.replace, kill: proxy.victim }[action] !== null;
      if (isMeant) {
        const found = await run(proxy, action, firstId, options);
        firstId += found.sent.length + 1;
        const ledger = new Uint8Array(await (await fetch(backend.url)).arrayBuffer());
        rows.push(rowOf(found, compare(found.sent, ledger)));
        remarks.push(...remarksOf(found));
        print(table(HEADS, rows.slice(-1)));
      }
      await proxy.stop();
    }
  }
  await redis?.close();
  await backend.stop();
  print(`\nA ledger behind proxies of two workers, ${options.perSecond} messages a second\n\n`);
  print(table(HEADS, rows));
  print(`\n${remarks.map((remark) => `  ${remark}\n`).join('')}`);
}

/** How messages failed, and what became of the subscription. */
function remarksOf({ proxy, action, sent, events }: Run): readonly string[] {
  const causes = new Map<string, number>();
  for (const { failure, isCut, isLate } of sent) {
    if (failure === null || isCut || isLate) continue;
    causes.set(failure, (causes.get(failure) ?? 0) + 1);
  }
  const remarks = [...causes].map(
    ([cause, count]) => `${proxy}, ${action}: ${count} failed with ${cause}`,
  );
  if (events !== null) remarks.push(`${proxy}, ${action}: subscription ${JSON.stringify(events)}`);
  return remarks;
}

/** `--reloads 200`: how often, instead of the default. `--alone`: without other proxies. */
function optionsOf(args: readonly string[], defaults: LedgerOptions): LedgerOptions {
  const numberOf = (
    name: 'reloads' | 'replacements' | 'kills' | 'perSecond',
    flag: string,
  ): number => {
    const at = args.indexOf(flag);
    return at === -1 ? defaults[name] : Number(args[at + 1]);
  };
  return {
    reloads: numberOf('reloads', '--reloads'),
    replacements: numberOf('replacements', '--replacements'),
    kills: numberOf('kills', '--kills'),
    perSecond: numberOf('perSecond', '--per-second'),
    isAlone: args.includes('--alone'),
  };
}

if (isProgram(import.meta.url))
  await benchLedger(optionsOf(process.argv, isQuick() ? QUICK : FULL));
