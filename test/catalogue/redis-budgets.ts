import type { Test } from 'tap';

import { bucketKey } from '../../src/redis/lease/lease-store.js';
import { accountOf, Fleet, Load, type Replica, startReplica } from '../redis/fleet.js';
import { type RedisServer, turn, until, useConnection, useProxy, useRedis } from '../redis/kit.js';
import type { Rows } from './rows.js';

/**
 * Four replicas, each a process with the time limits of the gateway, share the budgets of clients
 * that send more than they may spend, while Redis and the network fail.
 */

const RULE = { maximum: 1000, restoreRate: 200 };
const LATE_LIMIT_MILLIS = 60_000;
const OLD = { maximum: 100, restoreRate: 1 };

/** A Redis and replicas that share it. */
async function setUp(t: Test, count = 4): Promise<{ server: RedisServer; fleet: Fleet }> {
  const server = await useRedis(t);
  const fleet = new Fleet(server.url, count);
  t.teardown(() => fleet.close());
  await fleet.shared();
  return { server, fleet };
}

async function operatorOf(t: Test, server: RedisServer) {
  const operator = await useConnection(t, server.url);
  return operator;
}

function within(t: Test, load: Load, when: string): void {
  const { total, bound } = load;
  t.ok(total <= bound, `${when}: ${Math.round(total)} of at most ${Math.round(bound)}`);
}

/** Points since `before`; a slow machine gets them later. */
async function atLeast(
  t: Test,
  load: Load,
  before: number,
  least: number,
  what: string,
): Promise<void> {
  const end = performance.now() + LATE_LIMIT_MILLIS;
  while (load.total - before < least && performance.now() < end) await load.run(200);
  const points = load.total - before;
  t.ok(points >= least, `${what}: ${Math.round(points)}, at least ${Math.round(least)}`);
}

/**
 * Repeats what depends on views of other replicas, with a new client each time, until they came in
 * time.
 */
async function inTime(
  run: (attempt: number) => Promise<Load>,
  isInTime = (load: Load): boolean => !load.isLate,
): Promise<Load> {
  const end = performance.now() + LATE_LIMIT_MILLIS;
  for (let attempt = 0; ; attempt += 1) {
    const load = await run(attempt);
    if (isInTime(load) || performance.now() > end) return load;
  }
}

export function testBudgets(t: Test, rows: Rows): void {
  const test = (
    name: string,
    cases: readonly (readonly [string, string])[],
    run: (t: Test) => Promise<void>,
  ): void => {
    void t.test(name, { buffered: true }, async (t) => {
      for (const [row, of] of cases) t.comment(`${row} ${of}: ${rows.answer(row, of)}`);
      await run(t);
    });
  };

  test('replicas that share', [], async (t) => {
    const { fleet } = await setUp(t);
    const all = new Load(fleet, 'everywhere', RULE);
    await all.run(1500);
    within(t, all, 'at four replicas');
    await atLeast(t, all, 0, 0.5 * (RULE.maximum + RULE.restoreRate * 1.5), 'it gets its budget');

    const one = new Load(fleet, 'at one', RULE);
    await one.run(1500, (index) => index === 0);
    within(t, one, 'at one replica');
    await atLeast(t, one, 0, 0.5 * (RULE.maximum + RULE.restoreRate * 1.5), 'it gets its budget');

    const small = { maximum: 100, restoreRate: 100 };
    const tight = new Load(fleet, 'small', small);
    await tight.run(1500);
    within(t, tight, 'a small budget');
    await atLeast(
      t,
      tight,
      0,
      0.5 * (small.maximum + small.restoreRate * 1.5),
      'it gets its budget',
    );
  });

  test(
    'requests dearer than a lease',
    [
      ['R09', 'requests dearer than a lease'],
      ['R19', 'dear requests at four replicas at once'],
    ],
    async (t) => {
      const { fleet } = await setUp(t);
      const rule = { maximum: 100, restoreRate: 1 };
      for (const points of [10, 25, 60, 100]) {
        const one = new Load(fleet, `${points} at one`, rule, points);
        t.ok(await one.once(0), `the first request of ${points} points`);
        const turns = new Load(fleet, `${points} in turn`, rule, points);
        t.ok(await turns.once(points % 4), `the first request of ${points} points, anywhere`);
      }
      const turns = await inTime(async (attempt) => {
        const load = new Load(fleet, `in turn ${attempt}`, rule, 10);
        for (let index = 0; await load.once(index % 4); index += 1) await turn(20);
        return load;
      });
      t.ok(turns.total >= 70, `in turn, before any is denied: ${turns.total}`);
      within(t, turns, 'in turn');

      const burst = await inTime(async (attempt) => {
        await fleet.shared();
        const load = new Load(fleet, `burst ${attempt}`, rule, 5, 5);
        await load.run(0, (index) => index === 2);
        return load;
      });
      t.equal(burst.total, 25, 'five at once at one replica');

      for (const points of [5, 10, 25]) {
        // A view that comes a moment after a replica's own reply is late as well, and delays
        // nothing that can be measured.
        const load = await inTime(
          async (attempt) => {
            const load = new Load(fleet, `${points} everywhere ${attempt}`, rule, points);
            await load.run(1000);
            return load;
          },
          (load) => load.total <= load.bound,
        );
        within(t, load, `${points} points at all of them`);
        await load.run(2000);
        within(t, load, `${points} points, after a while`);
      }
      // A client that spent its budget at one replica is not new at another.
      const wanderer = await inTime(async (attempt) => {
        const load = new Load(fleet, `wanderer ${attempt}`, rule, 10);
        for (const at of [0, 1, 2, 3]) await load.run(300, (index) => index === at);
        return load;
      });
      within(t, wanderer, 'from one to the next');
      t.ok(wanderer.total <= 115, `${wanderer.total}`);
    },
  );

  test(
    'Redis is killed, and comes back empty',
    [
      ['R01', 'four replicas go on without it'],
      ['R03', 'killed and started anew'],
    ],
    async (t) => {
      const { server, fleet } = await setUp(t);
      const load = new Load(fleet, 'greedy', RULE);
      const dear = new Load(fleet, 'dear', RULE, 40);
      const both = (millis: number): Promise<unknown> =>
        load.run(millis).then(() => dear.run(millis / 4));
      await both(1000);
      within(t, load, 'before');
      await server.kill();
      const before = load.total;
      await both(2500);
      within(t, load, 'without Redis');
      within(t, dear, 'dear, without Redis');
      await atLeast(t, load, before, 0.4 * RULE.restoreRate * 2, 'each has its part of the refill');
      await server.start();
      for (let round = 0; round < 6; round += 1) {
        await both(600);
        within(t, load, `back, ${round}`);
        within(t, dear, `dear, back, ${round}`);
      }
      await fleet.shared();
      const after = load.total;
      await load.run(1000);
      await atLeast(t, load, after, 0.3 * RULE.restoreRate, 'shared again');
      within(t, load, 'shared again');
      for (const { lines } of await fleet.all())
        t.ok(lines.length <= 5, `logged once for each change: ${lines}`);
    },
  );

  test('Redis hangs, and goes on', [['R02', 'stopped under load']], async (t) => {
    const { server, fleet } = await setUp(t);
    const load = new Load(fleet, 'greedy', RULE);
    const dear = new Load(fleet, 'dear', RULE, 40);
    await load.run(1000);
    server.stop();
    await load.run(1500);
    await dear.run(500);
    within(t, load, 'while it hangs');
    within(t, dear, 'dear, while it hangs');
    t.same(
      (await fleet.all()).map(({ isUp }) => isUp),
      [false, false, false, false],
      'it counts as away',
    );
    server.resume();
    await load.run(3500);
    await dear.run(500);
    within(t, load, 'after it');
    within(t, dear, 'dear, after it');
    await fleet.shared();
  });

  test(
    'Redis comes back with an older state',
    [['R04', 'started with a snapshot of before']],
    async (t) => {
      const { server, fleet } = await setUp(t);
      const operator = await operatorOf(t, server);
      const other = new Load(fleet, 'untouched', RULE);
      const load = new Load(fleet, 'greedy', RULE);
      // It is saved full, and then spent.
      await load.run(20, (index) => index === 1);
      await operator.command('save', ['SAVE'], 1000);
      await load.run(1000);
      await server.kill();
      await load.run(500);
      await server.start();
      await load.run(4000);
      within(t, load, 'the client that had spent all');
      await fleet.shared();
      await load.run(500, (index) => index === 3);
      within(t, load, 'at one of them');
      await other.run(500);
      within(t, other, 'another client');
    },
  );

  test(
    'Redis forgets everything while it is used',
    [['R03', 'emptied while it runs']],
    async (t) => {
      const { server, fleet } = await setUp(t);
      const operator = await operatorOf(t, server);
      const load = new Load(fleet, 'wanderer', RULE);
      await load.run(1000, (index) => index === 0);
      await operator.command('flush', ['FLUSHALL']);
      await operator.command('flush', ['SCRIPT', 'FLUSH']);
      // The client moves to a replica that does not know it.
      await load.run(3500, (index) => index === 2);
      within(t, load, 'elsewhere');
      await operator.command('flush', ['FLUSHALL']);
      await load.run(3500);
      within(t, load, 'everywhere');
      const operations = (await fleet.all()).flatMap(({ operations }) => Object.keys(operations));
      t.same(
        operations.filter((key) => key.endsWith(' error')),
        [],
        'scripts that Redis has forgotten are sent again',
      );
    },
  );

  test(
    'half of the replicas cannot reach Redis',
    [['R05', 'two of four cut off, and back']],
    async (t) => {
      const server = await useRedis(t);
      const proxy = await useProxy(t, server.port);
      const fleet = new Fleet([server.url, proxy.url], 4);
      t.teardown(() => fleet.close());
      await fleet.shared();
      const load = new Load(fleet, 'greedy', RULE);
      const fresh = new Load(fleet, 'fresh', { maximum: 1000, restoreRate: 10 }, 40);
      await load.run(1000);
      within(t, load, 'before');
      const cutAt = performance.now();
      proxy.cut();
      const before = [...load.admitted];
      await Promise.all([0, 1].map((side) => load.run(3000, (index) => index % 2 === side)));
      within(t, load, 'during');
      const spentBy = (side: number): number =>
        load.admitted.reduce(
          (sum, points, index) => sum + (index % 2 === side ? points - (before[index] ?? 0) : 0),
          0,
        );
      const seconds = (performance.now() - cutAt) / 1000;
      const share = (RULE.restoreRate * seconds) / 2;
      t.ok(spentBy(0) < share * 1.25, `connected: ${spentBy(0)} of ${share}`);
      t.ok(spentBy(1) < share * 1.1, `cut off: ${spentBy(1)} of ${share}`);
      for (const side of [0, 1]) {
        const end = performance.now() + LATE_LIMIT_MILLIS;
        while (load.isLate && spentBy(side) <= share * 0.3 && performance.now() < end) {
          await load.run(200, (index) => index % 2 === side);
        }
        t.ok(
          spentBy(side) > share * 0.3,
          `${side === 0 ? 'connected' : 'cut off'}: at least ${share * 0.3}`,
        );
      }
      await fresh.run(500);
      within(t, fresh, 'a client that no replica knows');
      proxy.mend();
      await load.run(4000);
      within(t, load, 'after');
      await fresh.run(500);
      within(t, fresh, 'the other, after');
      await fleet.shared();
    },
  );

  test(
    'Redis is slow, and the network to it loses packets',
    [
      ['R09', '100 ms for every answer'],
      ['R09', 'one piece in a hundred is lost'],
    ],
    async (t) => {
      const server = await useRedis(t);
      const proxy = await useProxy(t, server.port);
      const fleet = new Fleet(proxy.url, 4);
      t.teardown(() => fleet.close());
      await fleet.shared();
      proxy.lostShare = 0.01;
      const lossy = new Load(fleet, 'lossy', RULE);
      await lossy.run(2500);
      within(t, lossy, 'one of a hundred lost');
      await atLeast(t, lossy, 0, 0.4 * RULE.maximum, 'it gets most of its budget');
      proxy.lostShare = 0;
      const load = new Load(fleet, 'patient', RULE);
      await load.run(500);
      proxy.delayMillis = 100;
      await load.run(2000);
      within(t, load, '100 ms');
      await fleet.shared();
      t.pass('background operations have a longer limit');
    },
  );

  test('the last point is granted once', [['R19', '20 times']], async (t) => {
    const server = await useRedis(t);
    const [first, second] = await Promise.all([
      startReplica(server.url, 2),
      startReplica(server.url, 2),
    ]);
    t.teardown(() => Promise.all([first.close(), second.close()]));
    const rule = { maximum: 10, restoreRate: 0.001 };
    const had: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const client = accountOf(`last ${round}`, rule);
      const want = async ({ budgets }: Replica, count: number): Promise<number> => {
        let got = 0;
        for (let tries = 0; tries < 20 && got < count; tries += 1) {
          while (got < count && budgets.take(client, 1).isGranted) got += 1;
          if (got < count) await turn(10);
        }
        return got;
      };
      const before = await want(first, 9);
      await until(
        () => (second.viewed(client.id) ?? 10) < 0.5,
        'the first has all points, and the second has that view',
      );
      const both = await Promise.all([want(first, 1), want(second, 1)]);
      had.push(before, ...both.toSorted());
    }
    t.same(had, Array.from({ length: 20 }, () => [9, 0, 1]).flat(), 'exactly one gets it');
  });

  test(
    'clients with any names, and clocks hours apart',
    [
      ['R10', 'a replica whose clock is an hour off'],
      ['R11', 'clients with such names'],
      ['R20', 'every key'],
      ['R20', 'a bucket as an older version wrote it'],
    ],
    async (t) => {
      const server = await useRedis(t);
      const operator = await operatorOf(t, server);
      const replicas = await Promise.all(
        [0, 1, -1, 24].map((hours) =>
          startReplica(server.url, 4, () => performance.now() + hours * 3_600_000),
        ),
      );
      t.teardown(() => Promise.all(replicas.map((replica) => replica.close())));
      const skewed = accountOf('skewed', RULE);
      let admitted = 0;
      const started = performance.now();
      while (performance.now() - started < 1500) {
        for (const { budgets } of replicas) {
          for (let asked = 0; asked < 200 && budgets.take(skewed, 1).isGranted; asked += 1)
            admitted += 1;
        }
        await turn();
      }
      const bound =
        1.05 * (RULE.maximum + (RULE.restoreRate * (performance.now() - started)) / 1000) + 4 * 25;
      t.ok(admitted <= bound, `clocks hours apart: ${admitted} of at most ${bound}`);
      t.ok(admitted >= 0.5 * RULE.maximum, `it gets its budget: ${admitted}`);

      const names = [
        'a:b',
        'a\nb\r\nFLUSHALL\r\n',
        '{a}{b}',
        '*',
        '\u0000',
        'x'.repeat(10 * 1024),
        '\ud800',
        "') --",
      ];
      const [{ budgets }] = replicas as [Replica];
      for (const name of names) t.ok(budgets.take(accountOf(name, RULE), 30).isGranted);
      let keys: string[] = [];
      const buckets = (): string[] => keys.filter((key) => key.includes(':bucket:'));
      while (buckets().length < names.length + 1) {
        await turn(20);
        const found: unknown = await operator.tryCommand(['KEYS', '*']);
        keys = Array.isArray(found) ? found.map(String) : [];
      }
      t.equal(buckets().length, names.length + 1);
      t.same(
        buckets().filter((key) => !/^test:v1:bucket:[0-9a-f]{64}$/.test(key)),
        [],
        'names are digests',
      );
      t.same(
        keys.filter((key) => !key.startsWith('test:v1:')),
        [],
        'every key has its version',
      );
      t.ok(keys.includes(bucketKey('test:', 'a:b')));

      const clock = await operator.tryCommand(['HGET', 'test:v1:clock', 'shared']);
      const old = bucketKey('test:', 'old');
      const fields = {
        available: '50',
        filledAt: String(clock),
        incarnation: '1.r9.1',
        version: '7',
        'reply:r9': '7 3',
      };
      await operator.tryCommand(['HSET', old, ...Object.entries(fields).flat()]);
      admitted = 0;
      for (let round = 0; round < 20; round += 1) {
        for (const replica of replicas)
          while (replica.budgets.take(accountOf('old', OLD), 1).isGranted) admitted += 1;
        await turn(10);
      }
      t.ok(admitted >= 40 && admitted <= 150, `${admitted} of 50 points`);
    },
  );

  test(
    'buckets that Redis forgets or keeps for ever',
    [
      ['R08', 'a bucket is evicted'],
      ['R08', 'a bucket never ends'],
    ],
    async (t) => {
      const { server, fleet } = await setUp(t, 2);
      const operator = await operatorOf(t, server);
      const load = new Load(fleet, 'evicted', RULE);
      for (let round = 0; round < 3; round += 1) {
        await load.run(400);
        await operator.command('evict', ['DEL', bucketKey('test:', 'evicted')]);
      }
      await load.run(400);
      within(t, load, 'evicted three times');

      const other = new Load(fleet, 'persistent', RULE);
      await other.run(400);
      await operator.command('persist', ['PERSIST', bucketKey('test:', 'persistent')]);
      const before = other.total;
      await other.run(1000);
      within(t, other, 'without an end');
      await atLeast(t, other, before, 0.3 * RULE.restoreRate, 'it fills');
    },
  );

  test('a start without Redis', [['R01', 'a start without it']], async (t) => {
    const server = await useRedis(t);
    await server.kill();
    const fleet = new Fleet(server.url, 2);
    t.teardown(() => fleet.close());
    await fleet.all();
    const dear = new Load(fleet, 'dear', RULE, 300);
    t.ok(await dear.once(0), 'the first request, however dear');
    const load = new Load(fleet, 'early', RULE);
    await load.run(1000);
    within(t, load, 'without Redis');
    await atLeast(t, load, 0, 0.4 * RULE.restoreRate, 'the refill is granted');
    await server.start();
    await fleet.shared();
    await load.run(300);
    within(t, load, 'with it');
  });
}
