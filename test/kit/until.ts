import { setImmediate, setTimeout } from 'node:timers/promises';

/** Longer than a slow machine takes for anything that a test waits for. */
const LIMIT_MILLIS = 60_000;

/**
 * Turns of the event loop that are not held up; after so many, the wait leaves the processor to
 * what it waits for.
 */
const QUICK_TURNS = 200;

/**
 * Between two looks that take a while themselves: without it they take the processor from what they
 * wait for.
 */
const REST_MILLIS = 50;

/** A count that has not changed for so long stands still. */
const STILL_MILLIS = 300;

/**
 * Waits until a count stands still: of what is written where nobody reads, once all buffers on the
 * way are full.
 */
export async function untilStill(count: () => number | Promise<number>): Promise<void> {
  let before = -1;
  await until(async () => {
    const isStill = (await count()) === before;
    before = await count();
    await setTimeout(STILL_MILLIS);
    return isStill && (await count()) === before;
  });
}

/**
 * Waits until a condition is true. Fails with the text of the condition when it is not within a
 * minute.
 */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MILLIS;
  for (let turn = 0; ; turn++) {
    const result = isTrue();
    if (result instanceof Promise ? await result : result) return;
    if (performance.now() > end)
      throw new Error(`not true within ${LIMIT_MILLIS / 1000} s: ${isTrue}`);
    if (result instanceof Promise) await setTimeout(REST_MILLIS);
    else await (turn < QUICK_TURNS ? setImmediate() : setTimeout(2));
  }
}
