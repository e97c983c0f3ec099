import fc from 'fast-check';
import t from 'tap';

import { bucketKey } from '../../src/redis/ledger.js';
import { ByHand } from './by-hand.js';
import { accountOf } from './fleet.js';
import { MISSING } from './kit.js';

/** What four replicas admit together, whatever happens: real scripts in a real Redis, and clocks moved by hand. */

type Step =
  | readonly ['ask', at: number, points: number, times: number, isHeard: boolean]
  | readonly ['pass' | 'jump', millis: number]
  | readonly ['cut' | 'lose' | 'deafen' | 'mend', at: number]
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
  { weight: 5, arbitrary: fc.tuple(one('pass'), fc.constantFrom(100, 300, 1000, 3000)) },
  { weight: 2, arbitrary: fc.tuple(one('cut', 'lose', 'deafen', 'mend', 'mend'), fc.nat(COUNT - 1)) },
  {
    weight: 1,
    arbitrary: fc.tuple(one('away', 'back', 'back', 'flush', 'evict', 'save', 'restart empty', 'restart stale')),
  },
  { weight: 1, arbitrary: fc.tuple(one('jump'), fc.constantFrom(-3_600_000, -700, 3_600_000)) },
);

const RULE = { maximum: 200, restoreRate: 20 };
const CLIENT = accountOf('one', RULE);
const BUCKET = bucketKey('test:', CLIENT.id);

t.test('replicas by hand', { skip: MISSING }, async (t) => {
  const hand = await ByHand.start();
  t.teardown(() => hand.close());

  const ask = (at: number, points: number, times: number): number => {
    const { budgets } = hand.replicas[at] ?? {};
    let admitted = 0;
    for (let asked = 0; asked < times && budgets?.take(CLIENT, points).isGranted; asked += 1) admitted += points;
    return admitted;
  };

  const act = async (step: Step): Promise<void> => {
    const [kind, what = 0] = step;
    await hand.quiet();
    const replica = hand.replicas[what];
    if (kind === 'pass') await hand.pass(what);
    else if (kind === 'jump') hand.aheadMillis += what;
    else if (kind === 'cut') replica?.cut();
    else if (kind === 'mend') replica?.mend();
    else if (kind === 'lose' && replica !== undefined) replica.losesAnswers = true;
    else if (kind === 'deafen' && replica !== undefined) replica.isDeaf = true;
    else if (kind === 'flush') await hand.flush();
    else if (kind === 'evict') await hand.command('DEL', BUCKET);
    else if (kind === 'save') await hand.save();
    else if (kind === 'away') for (const each of hand.replicas) each.cut();
    else if (kind === 'back') for (const each of hand.replicas) each.mend();
    else if (kind.startsWith('restart')) {
      const away = hand.replicas.filter(({ isCut }) => isCut);
      for (const each of hand.replicas) each.cut();
      await hand.flush();
      if (kind === 'restart stale') await hand.restore();
      for (const each of hand.replicas) if (!away.includes(each)) each.mend();
    }
  };

  /** How much more than the budget was admitted at worst, in points. */
  const excess = async (steps: readonly Step[]): Promise<number> => {
    await hand.renew(COUNT);
    const startedMillis = hand.nowMillis;
    let admitted = 0;
    let worst = Number.NEGATIVE_INFINITY;
    for (const step of steps) {
      if (step[0] === 'ask') {
        admitted += ask(step[1], step[2], step[3]);
        if (step[4]) await hand.quiet();
      } else await act(step);
      const seconds = (hand.nowMillis - startedMillis) / 1000;
      worst = Math.max(worst, admitted - 1.05 * (RULE.maximum + RULE.restoreRate * seconds));
    }
    return worst;
  };

  t.test('who may have it gets it, and nobody gets more', async (t) => {
    const { maximum } = RULE;
    for (const points of [1, 5, 10, 20, 50, 100, 200]) {
      await hand.renew(COUNT);
      let admitted = 0;
      while (ask(0, points, 1) > 0) {
        admitted += points;
        await hand.quiet();
      }
      t.equal(admitted, maximum, `${points} points, one request after the other at one replica`);

      await hand.renew(COUNT);
      admitted = 0;
      for (let at = 0; ask(at % COUNT, points, 1) > 0; at += 1) {
        admitted += points;
        await hand.quiet();
      }
      t.ok(admitted <= maximum && admitted >= 0.9 * maximum, `${points} points, at each in turn: ${admitted}`);

      await hand.renew(COUNT);
      admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(0, points, 1000);
        await hand.quiet();
      }
      t.equal(admitted, maximum, `${points} points, as many at once as are admitted, at one replica`);

      await hand.renew(COUNT);
      admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        for (let at = 0; at < COUNT; at += 1) admitted += ask(at, points, 1000);
        await hand.quiet();
      }
      const most = Math.max(maximum, COUNT * points);
      t.ok(admitted <= most && admitted >= 0.75 * maximum, `${points} points, at all at once: ${admitted}`);
    }
  });

  t.test('who was sent away finds it when it was told to come again', async (t) => {
    await hand.renew(COUNT);
    t.equal(ask(0, 60, 2), 60, 'the second of two at once comes too soon');
    await hand.pass(1000);
    t.equal(ask(0, 60, 1), 60);
    await hand.pass(20_000);
    t.equal(ask(1, 200, 1), 200, 'what nobody came for was given back');
  });

  t.test('the clock of Redis jumps: budgets refill as before', async (t) => {
    for (const millis of [-3_600_000, 3_600_000, -100]) {
      await hand.renew(COUNT);
      t.equal(ask(0, 10, 1), 10);
      await hand.quiet();
      while (ask(0, 10, 1) > 0) await hand.quiet();
      hand.aheadMillis += millis;
      await hand.pass(6000);
      let admitted = 0;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(0, 10, 100);
        await hand.quiet();
      }
      // After a jump back the replicas make sure of each other for two seconds.
      t.ok(admitted >= 60 && admitted <= 130, `${millis} ms: ${admitted} points in six seconds`);
    }
  });

  t.test('keys hold what is not ours', async (t) => {
    for (const words of [
      ['SET', BUCKET, 'x'],
      ['RPUSH', BUCKET, 'x'],
      ['HSET', BUCKET, 'a', 'nan', 't', 'inf', 'b', '', 'n', '-inf', 'r:h0', '9e99 nan', 'p', 'x', 'q', '1e300'],
      ['HSET', BUCKET, 'a', '1e14', 't', '9e14', 'b', 'x', 'n', '1', 'r:h0', '99999999999 99999999999'],
      ['SET', 'test:v1:clock', 'x'],
      ['HSET', 'test:v1:clock', 'v', 'nan'],
      ['HSET', 'test:v1:clock', 'b', 'x'],
      ['SET', 'test:v1:replicas', 'x'],
      ['RPUSH', 'test:v1:handed', 'x'],
      ['HSET', 'test:v1:handed', 'h0', '9e99', 'h1', 'nan'],
    ]) {
      await hand.renew(COUNT);
      t.equal(ask(0, 10, 1), 10);
      await hand.quiet();
      const [command = '', key = '', ...rest] = words;
      if (command !== 'HSET') await hand.command('DEL', key);
      await hand.command(command, key, ...rest);
      let admitted = 10;
      for (let round = 0; round < 12; round += 1) {
        admitted += ask(round % COUNT, 10, 100);
        await hand.pass(500);
      }
      const most = 1.05 * (RULE.maximum + RULE.restoreRate * 6) + COUNT * 10;
      t.ok(admitted >= 150 && admitted <= most, `${words.slice(0, 3).join(' ')}: ${admitted} of at most ${most}`);
    }
  });

  t.test('whatever happens, the budget and one lease each, or one request each', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEPS, { minLength: 5, maxLength: 40 }), async (steps) => {
        const dearest = Math.max(
          RULE.maximum / (10 * COUNT),
          ...steps.map((step) => (step[0] === 'ask' ? step[2] : 0)),
        );
        const points = await excess(steps);
        if (points > COUNT * dearest) throw new Error(`${points} points more than the budget, of ${dearest}`);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 60) },
    );
    t.pass();
  });
});
