import { setImmediate, setTimeout } from 'node:timers/promises';

/** Longer than a slow machine takes for anything that a test waits for. */
const LIMIT_MILLIS = 60_000;

/** Turns of the event loop that are not held up; after so many, the wait leaves the processor to what it waits for. */
const QUICK_TURNS = 200;

/** Waits until a condition is true. Fails with the text of the condition when it is not within a minute. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MILLIS;
  for (let turn = 0; !isTrue(); turn++) {
    if (performance.now() > end) throw new Error(`not true within ${LIMIT_MILLIS / 1000} s: ${isTrue}`);
    await (turn < QUICK_TURNS ? setImmediate() : setTimeout(2));
  }
}
