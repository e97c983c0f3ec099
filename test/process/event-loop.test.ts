import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

import { startLoopTrials } from '../catalogue/loop-trials.js';
import { MAIN, startProcess } from '../kit/gateway-process.js';
import { LoopHolds } from '../kit/loop-holds.js';

/** The bar is 50 ms, and `bench/loop.ts` asserts it; a test meets slower machines. */
const HELD_MILLIS_MAX = 500;
const TOGETHER = 20;
const ODD_REPLIES = 100;

t.test('no reply, request, login or reload holds the event loop of the bundle', async (t) => {
  const loop = await startLoopTrials(t);
  const holds = await LoopHolds.start(t);
  const gateway = await startProcess(t, loop.yaml, holds.options);
  await holds.take(gateway);
  for (let at = 0; at < loop.trials.length; at += TOGETHER) {
    const trials = loop.trials.slice(at, at + TOGETHER);
    for (const { run } of trials) await run(gateway);
    const { millis, cpuMillis } = await holds.take(gateway);
    const names = trials.map(({ name }) => name).join('; ');
    // While others have the processor the program holds nothing.
    t.ok(
      Math.min(millis, cpuMillis) <= HELD_MILLIS_MAX,
      `${millis} ms, ${cpuMillis} ms of them busy, by ${names}`,
    );
  }
  for (let count = 0; count < ODD_REPLIES; count++) {
    await loop.callOdd(gateway);
    await loop.callCalm(gateway);
  }
  const { millis, cpuMillis } = await holds.take(gateway);
  t.ok(
    Math.min(millis, cpuMillis) <= HELD_MILLIS_MAX,
    `${millis} ms by ${ODD_REPLIES} odd replies`,
  );
});

t.test(
  "packages of the bundle do not use Node's assert, which reads the whole file to write a message",
  async (t) => {
    const folder = dirname(MAIN);
    const using = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .filter((name) =>
        /(?:require|import)\("(?:node:)?assert"\)|from ?"(?:node:)?assert"/.test(
          readFileSync(join(folder, name), 'utf8'),
        ),
      );
    t.strictSame(using, []);
  },
);
