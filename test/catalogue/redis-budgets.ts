import type { Test } from 'tap';

import { bucketKey } from '../../src/redis/ledger.js';
import { Fleet, type FleetOptions, Load, type Replica, spender } from '../redis/fleet.js';
import { connect, RedisServer, Told, until, Way } from '../redis/kit.js';
import type { Rows } from './rows.js';

/** Four replicas share the budgets of clients that want more than they may have, while all sorts of things happen. */

const RULE = { maximum: 1000, restoreRate: 200 };

/** A Redis and four replicas that share it. */
async function setUp(t: Test, count = 4, options: FleetOptions = {}): Promise<{ server: RedisServer; fleet: Fleet }> {
  const server = await RedisServer.start();
  const fleet = new Fleet(server.url, count, options);
  t.teardown(async () => {
    await fleet.close();
    await server.close();
  });
  await fleet.shared();
  return { server, fleet };
}

function within(t: Test, load: Load, when: string): void {
  const { total, bound } = load;
  t.ok(total <= bound, `${when}: ${Math.round(total)} of at most ${Math.round(bound)}`);
}

const atLeast = (t: Test, points: number, least: number, what: string): void => {
  t.ok(points >= least, `${what}: ${Math.round(points)}, at least ${Math.round(least)}`);
};

export function testBudgets(t: Test, rows: Rows): void {
  /** Side by side: what they do is mostly to wait. */
  const test = (name: string, cases: readonly (readonly [string, string])[], run: (t: Test) => Promise<void>): void => {
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
    atLeast(t, all.total, 0.5 * (RULE.maximum + RULE.restoreRate * 1.5), 'it gets what it may have');

    const one = new Load(fleet, 'at one', RULE);
    await one.run(1500, (index) => index === 0);
    within(t, one, 'at one replica');
    atLeast(t, one.total, 0.5 * (RULE.maximum + RULE.restoreRate * 1.5), 'it gets what it may have');

    const small = { maximum: 100, restoreRate: 100 };
    const tight = new Load(fleet, 'small', small);
    await tight.run(1500);
    within(t, tight, 'a small budget');
    atLeast(t, tight.total, 0.5 * (small.maximum + small.restoreRate * 1.5), 'it gets what it may have');
  });

  test(
    'Redis is killed, and comes back empty',
    [
      ['R01', 'four replicas go on without it'],
      ['R03', 'killed and started anew'],
    ],
    async (t) => {
      const { server, fleet } = await setUp(t);
      const load = new Load(fleet, 'greedy', RULE);
      await load.run(1000);
      within(t, load, 'before');
      await server.kill();
      const before = load.total;
      await load.run(2500);
      within(t, load, 'without Redis');
      atLeast(t, load.total - before, 0.4 * RULE.restoreRate * 2, 'each has its part of what comes back');
      t.ok(load.slowestMillis < 20, `no request waited: ${load.slowestMillis}`);
      await server.start();
      for (let round = 0; round < 8; round += 1) {
        await load.run(500);
        within(t, load, `back for ${(round + 1) / 2} s`);
      }
      await fleet.shared();
      const after = load.total;
      await load.run(1000);
      atLeast(t, load.total - after, 0.3 * RULE.restoreRate, 'shared again');
      within(t, load, 'shared again');
    },
  );

  test('Redis hangs, and goes on', [['R02', 'stopped under load']], async (t) => {
    const { server, fleet } = await setUp(t, 4, { operationMillis: 50 });
    const load = new Load(fleet, 'greedy', RULE);
    await load.run(1000);
    server.stop();
    await load.run(2500);
    within(t, load, 'while it hangs');
    t.ok(load.slowestMillis < 20, `no request waited: ${load.slowestMillis}`);
    t.same(
      fleet.replicas.map(({ connection }) => connection.isUp),
      [false, false, false, false],
      'it counts as away',
    );
    server.resume();
    await load.run(3500);
    within(t, load, 'after it');
    await fleet.shared();
  });

  test('Redis comes back as it was long ago', [['R04', 'started with a snapshot of before']], async (t) => {
    const { server, fleet } = await setUp(t);
    const operator = connect(server.url, new Told(), { operationMillis: 2000 });
    t.teardown(() => operator.close());
    await until(() => operator.isUp, 'up');
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
  });

  test('Redis forgets everything while it is used', [['R03', 'emptied while it runs']], async (t) => {
    const { server, fleet } = await setUp(t);
    const operator = connect(server.url, new Told(), { operationMillis: 2000 });
    t.teardown(() => operator.close());
    await until(() => operator.isUp, 'up');
    const load = new Load(fleet, 'wanderer', RULE);
    await load.run(1000, (index) => index === 0);
    await operator.command('flush', ['FLUSHALL']);
    await operator.command('flush', ['SCRIPT', 'FLUSH']);
    // The client goes where nobody has heard of it.
    await load.run(3500, (index) => index === 2);
    within(t, load, 'elsewhere');
    await operator.command('flush', ['FLUSHALL']);
    await load.run(3500);
    within(t, load, 'everywhere');
    t.same(
      fleet.replicas.flatMap(({ told }) => [...told.operations.keys()]).filter((key) => key.endsWith(' error')),
      [],
      'scripts that Redis has forgotten are sent again',
    );
    const { told } = fleet.replicas[0] ?? {};
    t.same(told?.changes, ['up']);
  });

  test('half of the replicas cannot reach Redis', [['R05', 'two of four cut off, and back']], async (t) => {
    const server = await RedisServer.start();
    const way = await Way.to(server.port);
    const fleet = new Fleet([server.url, way.url], 4);
    t.teardown(async () => {
      await fleet.close();
      await way.close();
      await server.close();
    });
    await fleet.shared();
    const load = new Load(fleet, 'greedy', RULE);
    await load.run(1000);
    within(t, load, 'before');
    way.cut();
    const before = [...load.admitted];
    await load.run(3000);
    within(t, load, 'during');
    const spent = load.admitted.map((points, index) => points - (before[index] ?? 0));
    const share = (RULE.restoreRate * 3) / 2;
    const [inTouch, cutOff] = [(spent[0] ?? 0) + (spent[2] ?? 0), (spent[1] ?? 0) + (spent[3] ?? 0)];
    t.ok(inTouch < share * 1.25 && inTouch > share * 0.4, `those in touch: ${inTouch} of ${share}`);
    t.ok(cutOff < share * 1.05 && cutOff > share * 0.4, `those cut off: ${cutOff} of ${share}`);
    way.mend();
    await load.run(4000);
    within(t, load, 'after');
    await fleet.shared();
  });

  test('Redis is slow', [['R09', '100 ms for every answer']], async (t) => {
    const server = await RedisServer.start();
    const way = await Way.to(server.port);
    const fleet = new Fleet(way.url, 2, { operationMillis: 50 });
    t.teardown(async () => {
      await fleet.close();
      await way.close();
      await server.close();
    });
    await fleet.shared();
    const load = new Load(fleet, 'patient', RULE);
    await load.run(500);
    way.delayMillis = 100;
    await load.run(2000);
    within(t, load, '100 ms');
    t.ok(load.slowestMillis < 20, `no request waited: ${load.slowestMillis}`);
    t.ok([...(fleet.replicas[0]?.told.operations.keys() ?? [])].some((key) => key.endsWith('timeout')));
  });

  test('the last point is had once', [['R19', '20 times']], async (t) => {
    const { fleet } = await setUp(t, 2);
    const rule = { maximum: 10, restoreRate: 0.001 };
    const had: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const client = spender(`last ${round}`, rule);
      const want = async ({ budgets }: Replica, count: number): Promise<number> => {
        let got = 0;
        for (let tries = 0; tries < 20 && got < count; tries += 1) {
          while (got < count && budgets.take(client, 1).isGranted) got += 1;
          if (got < count) await (budgets.more(client, 1) ?? budgets.tick());
        }
        return got;
      };
      const [first, second] = fleet.replicas;
      if (first === undefined || second === undefined) throw new Error('two replicas');
      const before = await want(first, 9);
      const both = await Promise.all([want(first, 1), want(second, 1)]);
      had.push(before, ...both.toSorted());
    }
    t.same(had, Array.from({ length: 20 }, () => [9, 0, 1]).flat(), 'exactly one has it');
  });

  test(
    'clients and clocks as they may be',
    [
      ['R10', 'a replica whose clock is an hour off'],
      ['R11', 'clients with such names'],
      ['R20', 'every key'],
    ],
    async (t) => {
      const server = await RedisServer.start();
      const fleet = new Fleet(server.url, 4, { clock: (index) => () => performance.now() + index * 3_600_000 });
      const operator = connect(server.url, new Told(), { operationMillis: 2000 });
      t.teardown(async () => {
        operator.close();
        await fleet.close();
        await server.close();
      });
      await fleet.shared();
      const load = new Load(fleet, 'skewed', RULE);
      await load.run(1500);
      within(t, load, 'clocks an hour apart');

      const names = ['a:b', 'a\nb\r\nFLUSHALL\r\n', '{a}{b}', '*', '\u0000', 'x'.repeat(10 * 1024), '\ud800', "') --"];
      const { budgets } = fleet.replicas[0] as Replica;
      for (const name of names) {
        const client = spender(name, RULE);
        while (!budgets.take(client, 30).isGranted) await (budgets.more(client, 30) ?? budgets.tick());
      }
      const found: unknown = await operator.ask(['KEYS', '*']);
      const keys = Array.isArray(found) ? found.map(String) : [];
      const buckets = keys.filter((key) => key.includes(':bucket:'));
      t.equal(buckets.length, names.length + 1);
      t.same(
        buckets.filter((key) => !/^test:v1:bucket:[0-9a-f]{64}$/.test(key)),
        [],
        'names are digests',
      );
      t.same(
        keys.filter((key) => !key.startsWith('test:v1:')),
        [],
        'every key has its version',
      );
      t.ok(keys.includes(bucketKey('test:', 'a:b')));
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
      const operator = connect(server.url, new Told(), { operationMillis: 2000 });
      t.teardown(() => operator.close());
      await until(() => operator.isUp, 'up');
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
      atLeast(t, other.total - before, 0.3 * RULE.restoreRate, 'it fills');
    },
  );

  test('a start without Redis', [['R01', 'a start without it']], async (t) => {
    const server = await RedisServer.start();
    await server.kill();
    const fleet = new Fleet(server.url, 2);
    t.teardown(async () => {
      await fleet.close();
      await server.close();
    });
    const load = new Load(fleet, 'early', RULE);
    await load.run(1000);
    within(t, load, 'without Redis');
    atLeast(t, load.total, 0.4 * RULE.restoreRate, 'what comes back is given');
    await server.start();
    await fleet.shared();
    await load.run(300);
    within(t, load, 'with it');
  });
}
