import { type LoopTrials, startLoopTrials } from '../catalogue/loop-trials.js';
import { type GatewayProcess, startProcess } from '../kit/gateway-process.js';
import { type LoopHold, LoopHolds } from '../kit/loop-holds.js';
import { isProgram, print, quantile, table } from './kit.js';

const BAR_MILLIS = 50;
const ODD_REPLIES = 100;
const SHOWN = 12;

interface Found extends LoopHold {
  readonly name: string;
}

/**
 * The longest time for which the event loop of the bundle is held by any odd reply, odd request,
 * login or reload; and how long another caller waits while a backend gives 100 odd replies in a
 * row. The program exits with 1 beyond 50 ms. `--cpu` counts processor time: on a machine that
 * others use, the clock counts them too.
 */
export async function benchLoop(isCpu: boolean): Promise<void> {
  const endings: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown): void => void endings.unshift(end) };
  try {
    const loop = await startLoopTrials(t);
    const holds = await LoopHolds.start(t);
    const gateway = await startProcess(t, loop.yaml, holds.options);
    await holds.take(gateway);
    const found: Found[] = [];
    for (const { name, run } of loop.trials) {
      await run(gateway);
      found.push({ name, ...(await holds.take(gateway)) });
    }
    const waits = await waitsBesideOddReplies(loop, gateway);
    const measure = ({ millis, cpuMillis }: LoopHold): number =>
      isCpu ? Math.min(millis, cpuMillis) : millis;
    const longest = found.toSorted((one, other) => measure(other) - measure(one));
    print(
      `\nThe event loop of the bundle, held by one of ${found.length} odd replies, requests, ` +
        'logins and reloads\n\n',
    );
    const rows = longest
      .slice(0, SHOWN)
      .map(({ name, millis, cpuMillis }) => [name, millis.toFixed(1), cpuMillis.toFixed(1)]);
    print(table(['by', 'ms', 'CPU ms'], rows));
    const worst = waits.at(-1) ?? 0;
    print(`\n  another caller beside ${ODD_REPLIES} odd replies in a row: `);
    print(`${quantile(waits, 0.5).toFixed(1)} ms, at most ${worst.toFixed(1)} ms\n`);
    const [first] = longest;
    if ((first !== undefined && measure(first) > BAR_MILLIS) || worst > BAR_MILLIS)
      process.exitCode = 1;
  } finally {
    for (const end of endings) await end();
  }
}

/**
 * Milliseconds of the calls of one caller, one after the other, while 100 odd replies come; in
 * their order.
 */
async function waitsBesideOddReplies(
  loop: LoopTrials,
  gateway: GatewayProcess,
): Promise<readonly number[]> {
  const waits: number[] = [];
  let isOver = false;
  const calm = async (): Promise<void> => {
    while (!isOver) {
      const begin = performance.now();
      await loop.callCalm(gateway);
      waits.push(performance.now() - begin);
    }
  };
  const calling = calm();
  for (let count = 0; count < ODD_REPLIES; count++) await loop.callOdd(gateway);
  isOver = true;
  await calling;
  return waits.toSorted((one, other) => one - other);
}

if (isProgram(import.meta.url)) await benchLoop(process.argv.includes('--cpu'));
