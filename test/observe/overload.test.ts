import t from 'tap';

import { defaultsOf } from '../../src/base/limit.js';
import { OVERLOAD_LIMITS, Overload, type OverloadLimits } from '../../src/observe/overload.js';

/** Runs through measurements; what was decided after each. */
function decided(millis: readonly number[], limits: Partial<OverloadLimits> = {}): readonly boolean[] {
  const left = [...millis];
  const meter = { take: () => left.shift() ?? 0, stop: () => {} };
  const overload = new Overload({ ...defaultsOf(OVERLOAD_LIMITS), ...limits }, meter);
  const all = millis.map((expected) => {
    overload.sample();
    if (overload.delayMillis !== expected) throw new Error('not what was measured');
    return overload.isShedding;
  });
  overload.close();
  return all;
}

t.test('begins after three looks above one bound and ends at the other', async (t) => {
  t.same(decided([0, 100, 101, 101]), [false, false, false, false]);
  t.same(decided([101, 101, 99, 101, 101]), [false, false, false, false, false], 'not on end');
  const course = [101, 101, 101, 100, 51, 50, 100, 150, 150, 150];
  t.same(decided(course), [false, false, true, true, true, false, false, false, false, true]);
});

t.test('a bound to recover above the one to begin does not keep it for ever on one side', async (t) => {
  const limits = { eventLoopMillis: 20, recoverMillis: 500 };
  t.same(decided([30, 30, 30, 25, 20, 30], limits), [false, false, true, true, false, false]);
});

t.test('zero never refuses', async (t) => {
  t.same(decided([1e6, 1e6, 1e6, 1e9], { eventLoopMillis: 0 }), [false, false, false, false]);
});

t.test('one pause alone is no overload, many are, and an idle loop is on time', async (t) => {
  const overload = new Overload({ ...defaultsOf(OVERLOAD_LIMITS), eventLoopMillis: 60, recoverMillis: 30 });
  t.teardown(() => overload.close());
  const next = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  const pause = async (millis: number): Promise<void> => {
    const end = performance.now() + millis;
    while (performance.now() < end);
    // A turn of the timers, in which the delay is measured.
    await new Promise((resolve) => setTimeout(resolve, 6));
  };
  while (!overload.isShedding) await pause(100);
  t.ok(overload.delayMillis > 60, `${overload.delayMillis} ms`);
  while (overload.isShedding) await next();
  t.ok(overload.delayMillis <= 30, `${overload.delayMillis} ms`);
});
