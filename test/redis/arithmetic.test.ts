import fc from 'fast-check';
import t from 'tap';

import { bucketKey } from '../../src/redis/lease/lease-store.js';
import { accountOf } from './fleet.js';
import { MISSING } from './kit.js';
import { ManualFleet } from './manual-fleet.js';

/**
 * The points that four replicas admit together, under any fault: real scripts in a real Redis, and
 * a manual clock.
 */

type Step =
  | readonly ['ask', at: number, points: number, times: number, isDelivered: boolean]
  | readonly ['advance' | 'jump', millis: number]
  | readonly ['cut' | 'lose replies' | 'lose messages' | 'mend', at: number]
  | readonly ['away' | 'back' | 'flush' | 'evict' | 'save' | 'restart empty' | 'restart stale'];

const COUNT = 4;
const one = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

const STEPS: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(
      one('ask'),
      fc.nat(COUNT - 1),
      fc.constantFrom(1, 1, 5, 20),
      fc.constantFrom(1, 5, 300),
      fc.boolean(),
    ),
  },
  { weight: 5, arbitrary: fc.tuple(one('advance'), fc.constantFrom(100, 300, 1000, 3000)) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      one('cut', 'lose replies', 'lose messages', 'mend', 'mend'),
      fc.nat(COUNT - 1),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      one('away', 'back', 'back', 'flush', 'evict', 'save', 'restart empty', 'restart stale'),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(one('jump'), fc.constantFrom(-3_600_000, -700, 3_600_000)) },
);

const RULE = { maximum: 200, restoreRate: 20 };
const PART = RULE.maximum / COUNT;
const CLIENT = accountOf('one', RULE);
const BUCKET = bucketKey('test:', CLIENT.id);

/**
 * Each replica spends its part without the views of the others, one after the other, until nothing
 * is left.
 */
const LOST_VIEWS: readonly Step[] = [
  ...[0, 1, 2, 3].map((at): Step => ['lose messages', at]),
  ...[0, 1, 2, 3].flatMap((at) => Array.from({ length: 8 }, (): Step => ['ask', at, 5, 300, true])),
];

/** Fields of a bucket. */
const INVALID = Object.entries({
  available: 'nan',
  filledAt: 'inf',
  incarnation: '',
  version: '-inf',
  'reply:h0': '9e99 nan',
  published: 'x',
  publishedAt: '1e300',
}).flat();
const HUGE = Object.entries({
  available: '1e14',
  filledAt: '9e14',
  incarnation: 'x',
  version: '1',
  'reply:h0': '99999999999 99999999999',
}).flat();

t.test('replicas with a manual clock', { skip: MISSING }, async (t) => {
  const fleet = await ManualFleet.start();
  t.teardown(() => fleet.close());

  const ask = (at: number, points: number, times: number): number => {
    const { budgets } = fleet.replicas[at] ?? {};
    let admitted = 0;
    for (let asked = 0; asked < times && budgets?.take(CLIENT, points).isGranted; asked += 1)
      admitted += points;
    return admitted;
  };

  const act = async (step: Step): Promise<void> => {
    const [kind, what = 0] = step;
    await fleet.drain();
    const replica = fleet.replicas[what];
    if (kind === 'advance') await fleet.advance(what);
    else if (kind === 'jump') fleet.aheadMillis += what;
    else if (kind === 'cut') replica?.cut();
    else if (kind === 'mend') replica?.mend();
    else if (kind === 'lose replies' && replica !== undefined) replica.losesReplies = true;
    else if (kind === 'lose messages' && replica !== undefined) replica.losesMessages = true;
    else if (kind === 'flush') await fleet.flush();
    else if (kind === 'evict') await fleet.command('DEL', BUCKET);
    else if (kind === 'save') await fleet.save();
    else if (kind === 'away') for (const each of fleet.replicas) each.cut();
    else if (kind === 'back') for (const each of fleet.replicas) each.mend();
    else if (kind.startsWith('restart')) {
      const away = fleet.replicas.filter(({ isCut }) => isCut);
      for (const each of fleet.replicas) each.cut();
      await fleet.flush();
      if (kind === 'restart stale') await fleet.restore();
      for (const each of fleet.replicas) if (!away.includes(each)) each.mend();
    }
  };

  /** Points admitted beyond the budget, at the worst moment. */
  const excess = async (steps: readonly Step[]): Promise<number> => {
    await fleet.reset(COUNT);
    const startedMillis = fleet.nowMillis;
    let admitted = 0;
    let worst = Number.NEGATIVE_INFINITY;
    for (const step of steps) {
      if (step[0] === 'ask') {
        admitted += ask(step[1], step[2], step[3]);
        if (step[4]) await fleet.drain();
      } else await act(step);
      const seconds = (fleet.nowMillis - startedMillis) / 1000;
      worst = Math.max(worst, admitted - 1.05 * (RULE.maximum + RULE.restoreRate * seconds));
    }
    return worst;
  };

  t.test('the whole budget is admitted, and no more', async (t) => {
    const { maximum } = RULE;
    for (const points of [1, 5, 10, 20, 50, 100, 200]) {
      await fleet.reset(COUNT);
      let admitted = 0;
      while (ask(0, points, 1) > 0) {
        admitted += points;
        await fleet.drain();
      }
      t.equal(admitted, maximum, `${points} points, one request after the other at one replica`);

      await fleet.reset(COUNT);
      admitted = 0;
      for (let at = 0; ask(at % COUNT, points, 1) > 0; at += 1) {
        admitted += points;
        await fleet.drain();
      }
      t.ok(
        admitted <= maximum && admitted >= 0.9 * maximum,
        `${points} points, at each in turn: ${admitted}`,
      );

      await fleet.reset(COUNT);
      admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(0, points, 1000);
        await fleet.drain();
      }
      t.equal(
        admitted,
        maximum,
        `${points} points, as many at once as are admitted, at one replica`,
      );

      await fleet.reset(COUNT);
      admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        for (let at = 0; at < COUNT; at += 1) admitted += ask(at, points, 1000);
        await fleet.drain();
      }
      const most = Math.max(maximum, COUNT * points);
      t.ok(
        admitted <= most && admitted >= 0.75 * maximum,
        `${points} points, at all at once: ${admitted}`,
      );
    }
  });

  t.test(
    'with an empty Redis a full bucket is spent at once, at each replica its part',
    async (t) => {
      const { maximum, restoreRate } = RULE;
      for (const count of [1, COUNT]) {
        for (const settleMillis of [0, 100, 1500]) {
          const name = `${count} replicas, ${settleMillis} ms after the start`;
          await fleet.reset(count, count, settleMillis);
          const status = fleet.replicas[0]?.budgets.status(CLIENT);
          t.equal(status?.currentlyAvailable, maximum / count, `${name}: that is shown`);
          let admitted = 0;
          for (let at = 0; at < count; at += 1) admitted += ask(at, 5, 1000);
          t.ok(admitted >= maximum && admitted <= maximum + 5 * count, `${name}: ${admitted}`);
          for (let at = 0; at < count; at += 1)
            t.equal(ask(at, 5, 1000), 0, `${name}: and no more`);
          // Nothing is given again when Redis has the state.
          for (let left = 3000; left > 0; left -= 100) {
            await fleet.advance(100);
            for (let at = 0; at < count; at += 1) admitted += ask(at, 5, 1000);
          }
          t.ok(
            admitted <= 1.05 * (maximum + 3.1 * restoreRate),
            `${name}: ${admitted} after three seconds more`,
          );
        }
      }
      // A client that no replica knows, while an emptied Redis is filled again.
      await fleet.reset(COUNT);
      await fleet.flush();
      await fleet.advance(100);
      t.notOk(fleet.replicas[0]?.budgets.isShared);
      t.equal(ask(0, 5, 1000), maximum / COUNT);
    },
  );

  t.test('a denied client finds its points at the promised time', async (t) => {
    await fleet.reset(COUNT);
    t.equal(ask(0, 60, 2), 60, 'the second of two requests at once comes too early');
    await fleet.advance(1000);
    t.equal(ask(0, 60, 1), 60);
    await fleet.advance(20_000);
    t.equal(ask(1, 200, 1), 200, 'points without a request were returned');
  });

  t.test('a replica counts clients whose shared bucket is nearly empty', async (t) => {
    await fleet.reset(COUNT);
    const count = (): number => {
      const { budgets, nearlyEmpty } = fleet.replicas[0] ?? {};
      if (budgets === undefined || nearlyEmpty === undefined) throw new Error('no replica');
      return [...nearlyEmpty.count((account) => budgets.status(account)).values()].reduce(
        (sum, each) => sum + each,
        0,
      );
    };
    t.equal(ask(0, 10, 1), 10);
    await fleet.drain();
    t.equal(count(), 0);
    while (ask(0, 10, 1) > 0) await fleet.drain();
    t.equal(count(), 1);
    await fleet.advance(5000);
    t.equal(count(), 0, 'it has refilled');
  });

  t.test('a smaller number of clients is kept at once, and no overdraft is forgiven', async (t) => {
    await fleet.reset(COUNT);
    const { budgets } = fleet.replicas[0] ?? {};
    if (budgets === undefined) throw new Error('no replica');
    const accounts = Array.from({ length: 100 }, (_, index) => accountOf(`client ${index}`, RULE));
    for (const account of accounts) budgets.take(account, RULE.maximum);
    await fleet.drain();
    budgets.resize(10);
    t.equal(budgets.size, 10);
    const admitted = accounts
      .slice(-5)
      .filter((account) => budgets.take(account, RULE.maximum).isGranted);
    t.equal(admitted.length, 0);
  });

  /** Empties the bucket, and counts the points that all replicas admit in twenty seconds. */
  const refillOf20s = async (): Promise<number> => {
    for (let round = 0; round < 12; round += 1) {
      for (let at = 0; at < fleet.replicas.length; at += 1) ask(at, 1, 1000);
      await fleet.drain();
    }
    let admitted = 0;
    for (let second = 0; second < 20; second += 1) {
      await fleet.advance(1000);
      for (let at = 0; at < fleet.replicas.length; at += 1) admitted += ask(at, 1, 1000);
      await fleet.drain();
    }
    return admitted;
  };

  t.test('a replica crashes: its part of the refill is lost, and no more', async (t) => {
    await fleet.reset(COUNT);
    await refillOf20s();
    fleet.replicas.pop();
    const admitted = await refillOf20s();
    t.ok(
      admitted >= 0.6 * 400 && admitted <= 0.8 * 400,
      `${admitted} points of 400, by three of four`,
    );
  });

  t.test('more replicas are configured than there are: the refill is slower', async (t) => {
    await fleet.reset(COUNT, 2 * COUNT);
    for (let round = 0; round < 3; round += 1) await refillOf20s();
    const admitted = await refillOf20s();
    t.ok(
      admitted >= 0.4 * 400 && admitted <= 0.55 * 400,
      `${admitted} points of 400, by four of eight`,
    );
  });

  t.test('fewer replicas are configured than there are: they are counted', async (t) => {
    await fleet.reset(COUNT, 1);
    const admitted = await refillOf20s();
    t.ok(admitted >= 0.9 * 400 && admitted <= 1.05 * 400, `${admitted} points of 400, by four`);
    for (const { budgets } of fleet.replicas) t.ok(budgets.isShared);
  });

  t.test('the clock of Redis jumps: budgets refill as before', async (t) => {
    for (const millis of [-3_600_000, 3_600_000, -100]) {
      await fleet.reset(COUNT);
      t.equal(ask(0, 10, 1), 10);
      await fleet.drain();
      while (ask(0, 10, 1) > 0) await fleet.drain();
      fleet.aheadMillis += millis;
      await fleet.advance(6000);
      let admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(0, 10, 100);
        await fleet.drain();
      }
      // After a jump back there is a recovery of two seconds.
      t.ok(admitted >= 60 && admitted <= 130, `${millis} ms: ${admitted} points in six seconds`);
    }
  });

  t.test('keys of another type, and buckets with invalid fields', async (t) => {
    for (const words of [
      ['SET', BUCKET, 'x'],
      ['RPUSH', BUCKET, 'x'],
      ['HSET', BUCKET, ...INVALID],
      ['HSET', BUCKET, ...HUGE],
      ['SET', 'test:v1:clock', 'x'],
      ['HSET', 'test:v1:clock', 'shared', 'nan'],
      ['HSET', 'test:v1:clock', 'startedAt', 'x'],
      ['SET', 'test:v1:replicas', 'x'],
      ['RPUSH', 'test:v1:credited', 'x'],
      ['HSET', 'test:v1:credited', 'h0', '9e99', 'h1', 'nan'],
    ]) {
      await fleet.reset(COUNT);
      t.equal(ask(0, 10, 1), 10);
      await fleet.drain();
      const [command = '', key = '', ...rest] = words;
      if (command !== 'HSET') await fleet.command('DEL', key);
      await fleet.command(command, key, ...rest);
      let admitted = 10;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(round % COUNT, 10, 100);
        await fleet.advance(500);
      }
      const most = 1.05 * (RULE.maximum + RULE.restoreRate * 6) + COUNT * 10;
      t.ok(
        admitted >= 150 && admitted <= most,
        `${words.slice(0, 3).join(' ')}: ${admitted} of at most ${most}`,
      );
    }
  });

  t.test(
    'under any sequence of faults, at most the budget and one lease, request or unseen part each',
    async (t) => {
      await fc.assert(
        fc.asyncProperty(fc.array(STEPS, { minLength: 5, maxLength: 40 }), async (steps) => {
          const dearest = Math.max(
            RULE.maximum / (10 * COUNT),
            ...steps.map(([kind, , points]) =>
              kind === 'ask' ? points : kind === 'lose messages' ? PART : 0,
            ),
          );
          const points = await excess(steps);
          if (points > COUNT * dearest)
            throw new Error(`${points} points more than the budget, of ${dearest}`);
        }),
        { numRuns: Number(process.env['RUNS'] ?? 60), examples: [[LOST_VIEWS]] },
      );
      t.pass();
    },
  );
});
