import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { SlotClock, slotClockMillis } from '../../src/core/shared/slots.js';
import { CallPace } from '../../src/upstream/pace/pace.js';
import { mostInSecond } from '../kit/most-in-second.js';

/** The rate of calls: how many pass in any second, whose turn it is, who is refused. */

t.test('no second has more than the rate, and nearly all of it is used', async (t) => {
  for (const perSecond of [1, 3, 10, 100, 1000])
    for (const burst of [1, 2, 3, 10].filter((each) => each <= perSecond)) {
      const clock = new SlotClock();
      const seconds = 60;
      const times: number[] = [];
      // As several processes ask, at odd times.
      for (let now = 0; now < seconds * 1000; now = Math.max(now + 1, (times.at(-1) ?? 0) - 20))
        times.push(...clock.takeAt('a', { perSecond, burst }, 1 + (times.length % 5), now));
      const within = times.filter((time) => time < seconds * 1000);
      t.ok(mostInSecond(within) <= perSecond, `${perSecond} a second, burst ${burst}`);
      const late = within
        .map((time, at) => time + ((at * 7) % 15))
        .sort((one, other) => one - other);
      t.ok(
        mostInSecond(late) <= perSecond + 1,
        `${perSecond} a second where calls are up to 15 ms late`,
      );
      t.ok(
        within.length >= 0.98 * seconds * perSecond,
        `${within.length} of ${seconds * perSecond}, burst ${burst}`,
      );
    }
});

t.test('after a pause a burst passes at once', async (t) => {
  const clock = new SlotClock();
  t.same(clock.takeAt('a', { perSecond: 10, burst: 3 }, 4, 5000), [5000, 5000, 5000, 5300]);
  t.same(clock.takeAt('b', { perSecond: 10, burst: 1 }, 3, 5000), [5000, 5100, 5200]);
});

t.test(
  'names do not share a rate, and a rate that changes goes on from the latest time',
  async (t) => {
    const clock = new SlotClock();
    clock.takeAt('a', { perSecond: 10, burst: 1 }, 5, 0);
    t.same(clock.takeAt('b', { perSecond: 10, burst: 1 }, 1, 0), [0]);
    t.same(clock.takeAt('a', { perSecond: 20, burst: 1 }, 2, 0), [450, 500]);
  },
);

interface Passed {
  readonly name: string;
  readonly millis: number;
}

function callers(pace: CallPace) {
  const passed: Passed[] = [];
  const refused: { readonly name: string; readonly refusal: Refusal }[] = [];
  const enter = (name: string, className = '') => {
    const pass = (): void => void passed.push({ name, millis: slotClockMillis() });
    const entered = pace.enter({
      className,
      pass,
      abort: (refusal) => void refused.push({ name, refusal }),
    });
    if (entered === null) pass();
    if (entered instanceof Refusal) refused.push({ name, refusal: entered });
    return entered;
  };
  const until = async (count: number): Promise<void> => {
    while (passed.length + refused.length < count)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { passed, refused, enter, until };
}

t.test('classes take turns, and calls of one class keep their order', async (t) => {
  const { passed, enter, until } = callers(
    new CallPace('services.a', { perSecond: 10, burst: 1, waitMillis: 5000 }),
  );
  for (let at = 1; at <= 6; at++) enter(`a${at}`, 'a');
  for (let at = 1; at <= 2; at++) enter(`b${at}`, 'b');
  await until(8);
  t.same(
    passed.map(({ name }) => name),
    ['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'a5', 'a6'],
  );
});

t.test('a call that would wait too long is refused at once, with a time to retry', async (t) => {
  const { passed, refused, enter, until } = callers(
    new CallPace('services.a', { perSecond: 10, burst: 1, waitMillis: 250 }),
  );
  for (let at = 0; at < 6; at++) enter(String(at));
  t.same(
    refused.map(({ name, refusal }) => [
      name,
      refusal.code,
      refusal.retryAfter,
      refusal.limit?.key,
    ]),
    [
      ['4', 'UPSTREAM_RATE_LIMITED', '1', 'services.a.rate.waitMillis'],
      ['5', 'UPSTREAM_RATE_LIMITED', '1', 'services.a.rate.waitMillis'],
    ],
  );
  await until(6);
  t.equal(passed.length + refused.length, 6);
});

t.test('a call that leaves gives its turn to the next', async (t) => {
  const pace = new CallPace('services.a', { perSecond: 20, burst: 1, waitMillis: 5000 });
  const { passed, enter, until } = callers(pace);
  enter('first');
  const ticket = enter('left');
  enter('next');
  t.equal(pace.waiting, 2);
  if (ticket !== null && !(ticket instanceof Refusal)) ticket.cancel();
  t.equal(pace.waiting, 1);
  await until(2);
  t.same(
    passed.map(({ name }) => name),
    ['first', 'next'],
  );
});

t.test('times come from a source that others share', async (t) => {
  const clock = new SlotClock();
  const shared = { take: async (...asked: Parameters<SlotClock['take']>) => clock.take(...asked) };
  const paces = [1, 2].map(
    () => new CallPace('services.a', { perSecond: 50, burst: 1, waitMillis: 5000 }),
  );
  for (const pace of paces) pace.useSource(shared);
  const both = paces.map(callers);
  for (let at = 0; at < 30; at++) for (const { enter } of both) enter(String(at));
  for (const { until } of both) await until(30);
  const times = both
    .flatMap(({ passed }) => passed.map(({ millis }) => millis))
    .sort((one, other) => one - other);
  t.equal(times.length, 60);
  t.ok(mostInSecond(times) <= 51, `${mostInSecond(times)} in a second`);
  const gone = new CallPace('services.a', { perSecond: 50, burst: 1, waitMillis: 5000 });
  gone.useSource({ take: () => Promise.reject(new Error('gone')) });
  const alone = callers(gone);
  alone.enter('a');
  await alone.until(1);
  t.equal(alone.passed.length, 1, 'without the source each process has a rate of its own');
});

t.test('what one caller is answered halves the rate of all at most', async (t) => {
  const spread = async (pace: CallPace): Promise<number> => {
    const { passed, enter, until } = callers(pace);
    for (let at = 0; at < 5; at++) enter(String(at));
    await until(5);
    return (passed.at(-1)?.millis ?? 0) - (passed[0]?.millis ?? 0);
  };
  const complain = async (pace: CallPace, nameOf: (at: number) => string): Promise<void> => {
    for (let at = 0; at < 3; at++) {
      pace.slowDown(nameOf(at));
      await delay(1_010);
    }
  };
  const make = () => new CallPace('services.a', { perSecond: 100, burst: 1, waitMillis: 5000 });
  const [one, several, late, only] = [make(), make(), make(), make()];
  one.answered('b');
  several.answered('b');
  await Promise.all([
    complain(one, () => 'a'),
    complain(several, (at) => `a${at}`),
    complain(late, () => 'a'),
    complain(only, () => 'a'),
  ]);
  late.answered('b');
  only.answered('a');
  t.ok((await spread(one)) < 160, 'half of the rate');
  t.ok((await spread(late)) < 160, 'also where another caller is answered later');
  t.ok((await spread(several)) > 240, 'several callers slow it down further');
  t.ok((await spread(only)) > 240, 'so does the only caller there is');
});

t.test('a service that complains gets fewer calls', async (t) => {
  const pace = new CallPace('services.a', { perSecond: 100, burst: 1, waitMillis: 5000 });
  const { passed, enter, until } = callers(pace);
  pace.slowDown();
  pace.slowDown();
  for (let at = 0; at < 5; at++) enter(String(at));
  await until(5);
  const [first, last] = [passed[0]?.millis ?? 0, passed.at(-1)?.millis ?? 0];
  t.ok(last - first >= 75, 'half of the rate, once in a second');
});
