import { setTimeout } from 'node:timers/promises';
import t from 'tap';

import { defaultsOf } from '../../src/core/limit.js';
import {
  type Load,
  OVERLOAD_LIMITS,
  Overload,
  type OverloadLimits,
} from '../../src/observe/overload.js';

const LATE: Load = { delayMillis: 101, utilization: 1, processorShare: 1 };
const ON_TIME: Load = { ...LATE, delayMillis: 50 };

/** Runs through measurements; how many of 100 requests are refused after each. */
function refused(
  loads: readonly Load[],
  limits: Partial<OverloadLimits> = {},
  inFlight = 16,
  hasLongQueue = false,
): readonly number[] {
  const left = [...loads];
  const meter = { take: () => left.shift() ?? ON_TIME, stop: () => {} };
  const overload = new Overload(
    { ...defaultsOf(OVERLOAD_LIMITS), ...limits },
    { inFlight: () => inFlight, hasLongQueue: () => hasLongQueue },
    meter,
  );
  const all = loads.map(({ delayMillis }) => {
    overload.sample();
    if (overload.delayMillis !== delayMillis) throw new Error('not what was measured');
    return Array.from({ length: 100 }, () => overload.shedsNext()).filter((sheds) => sheds).length;
  });
  overload.close();
  return all;
}

const times = (count: number, load: Load): readonly Load[] =>
  Array.from({ length: count }, () => load);

t.test(
  'a share of requests is refused from the third late second on, more each second, but never all',
  async (t) => {
    const shares = refused(times(20, LATE));
    t.same(shares.slice(0, 2), [0, 0]);
    t.ok(Math.abs((shares[2] ?? 0) - 25) <= 1, `${shares[2]}`);
    t.ok(Math.abs((shares[3] ?? 0) - 44) <= 1, `${shares[3]}`);
    t.ok(Math.abs((shares.at(-1) ?? 0) - 95) <= 1, `${shares.at(-1)}`);
    t.same(refused([LATE, LATE, ON_TIME, LATE, LATE]), [0, 0, 0, 0, 0], 'not on end');
  },
);

t.test('the share falls while the loop is on time, and stays between both bounds', async (t) => {
  const [at, ...shares] = refused([
    ...times(3, LATE),
    ...times(3, { ...LATE, delayMillis: 75 }),
    ...times(5, ON_TIME),
  ]).slice(2);
  t.ok(
    shares.slice(0, 3).every((share) => Math.abs(share - (at ?? 0)) <= 1),
    'between them',
  );
  for (const [at, expected] of [17.5, 9, 0, 0, 0].entries()) {
    t.ok(Math.abs((shares[3 + at] ?? 0) - expected) <= 1.5, `${shares[3 + at]} after ${at + 1} s`);
  }
});

t.test(
  'nothing is refused any more once all that is asked would have been done in time',
  async (t) => {
    t.equal(refused([...times(3, LATE), { ...ON_TIME, utilization: 0.6 }]).at(-1), 0);
    t.equal(
      refused([...times(8, LATE), { ...ON_TIME, utilization: 0.05 }]).at(-1),
      0,
      'after a heavy overload as well',
    );
    const [share = 0] = refused([...times(3, LATE), { ...ON_TIME, utilization: 0.8 }]).slice(-1);
    t.ok(
      Math.abs(share - 17.5) <= 1.5,
      `${share}: three quarters of the requests took 80 % of the time`,
    );
  },
);

t.test('a loop that is late but not busy, or has few requests, refuses nothing', async (t) => {
  const none = [0, 0, 0, 0, 0];
  t.same(
    refused(times(5, { ...LATE, utilization: 0.8 })),
    none,
    'other processes have the processor',
  );
  t.same(
    refused(times(5, { ...LATE, processorShare: 0.05 })),
    none,
    'it waits for a processor most of the time',
  );
  t.same(refused(times(5, LATE), {}, 4), none, 'four clients with long requests');
  t.same(refused(times(5, LATE), { eventLoopMillis: 0 }), none, 'zero never refuses');
});

t.test('a bound to recover above the one to begin is no contradiction', async (t) => {
  const shares = refused([...times(3, LATE), ...times(6, { ...LATE, delayMillis: 30 })], {
    recoverMillis: 500,
  });
  t.equal(shares.at(-1), 0);
});

t.test('the loop of this process is measured', async (t) => {
  const overload = new Overload(
    { ...defaultsOf(OVERLOAD_LIMITS), eventLoopMillis: 60, recoverMillis: 30 },
    { inFlight: () => 16, hasLongQueue: () => false },
  );
  t.teardown(() => overload.close());
  const next = (): Promise<void> => setTimeout(20);
  const pause = async (millis: number): Promise<void> => {
    const end = performance.now() + millis;
    while (performance.now() < end);
    // A turn of the timers, in which the delay is measured.
    await setTimeout(6);
  };
  while (!overload.isShedding) await pause(200);
  t.ok(overload.delayMillis > 60, `${overload.delayMillis} ms`);
  while (overload.isShedding) await next();
  t.equal(overload.shedsNext(), false);
});

t.test('an idle process is seldom woken by the measurement', async (t) => {
  const overload = new Overload(defaultsOf(OVERLOAD_LIMITS), {
    inFlight: () => 0,
    hasLongQueue: () => false,
  });
  t.teardown(() => overload.close());
  await setTimeout(200);
  overload.sample();
  const { voluntaryContextSwitches: before } = process.resourceUsage();
  await setTimeout(500);
  const wakeups = process.resourceUsage().voluntaryContextSwitches - before;
  t.ok(wakeups < 50, `${wakeups} in half a second`);
});

t.test(
  'a busy loop whose calls wait long for a connection is overloaded, though it is on time',
  async (t) => {
    t.ok((refused(times(5, ON_TIME), {}, 16, true).at(-1) ?? 0) > 40);
    t.same(refused(times(5, ON_TIME), {}, 16, false), [0, 0, 0, 0, 0]);
    const slowBackend = { ...ON_TIME, utilization: 0.5 };
    t.same(
      refused(times(5, slowBackend), {}, 16, true),
      [0, 0, 0, 0, 0],
      'calls wait for a slow backend',
    );
  },
);
