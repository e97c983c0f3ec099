import fc from 'fast-check';
import t from 'tap';

import type { BudgetAccount, BudgetEvents, Grant } from '../../src/budget/budget.js';
import { MemoryBudgets } from '../../src/budget/memory.js';
import { NEARLY_EMPTY_MAX, NearlyEmpty } from '../../src/budget/nearly-empty.js';

const account = (id: string, maximum = 100, restoreRate = 10): BudgetAccount => ({
  id,
  className: 'some',
  budget: { maximum, restoreRate },
});

/** Budgets with a manual clock, and the points they reported. */
function setUp(clientsMax = 1000) {
  const clock = { millis: 1_000_000 };
  const nearlyEmpty = new NearlyEmpty();
  const reported = { spent: 0, denied: 0, refunded: 0 };
  const events: BudgetEvents = {
    spent: (_class, points) => {
      reported.spent += points;
    },
    denied: (_class, points) => {
      reported.denied += points;
    },
    refunded: (_class, points) => {
      reported.refunded += points;
    },
    nearlyEmpty: (account) => nearlyEmpty.add(account),
  };
  const budgets = new MemoryBudgets({ clientsMax, events, clock: () => clock.millis });
  return { budgets, clock, reported, nearlyEmpty };
}

function granted(taken: ReturnType<MemoryBudgets['take']>): Grant {
  if (!taken.isGranted) throw new Error('denied');
  return taken;
}

t.test(
  'a bucket is spent, and the retry time of a denial is the time of the refill, to the millisecond',
  async (t) => {
    const { budgets, clock, reported } = setUp();
    const client = account('one');
    t.same(
      budgets.status(client),
      { maximumAvailable: 100, currentlyAvailable: 100, restoreRate: 10 },
      'full at first',
    );
    t.ok(budgets.take(client, 70).isGranted);
    const denied = budgets.take(client, 40);
    t.same(denied, { isGranted: false, retryAfterMillis: 1000 }, 'ten points missing: one second');
    t.equal(budgets.status(client)?.currentlyAvailable, 30, 'a denied request takes nothing');
    clock.millis += 999;
    t.notOk(budgets.take(client, 40).isGranted, 'not yet');
    clock.millis += 1;
    t.ok(budgets.take(client, 40).isGranted, 'at the promised time');
    clock.millis += 3_600_000;
    t.equal(budgets.status(client)?.currentlyAvailable, 100, 'never more than the maximum');
    t.same(reported, { spent: 110, denied: 80, refunded: 0 });
  },
);

t.test('more points than a bucket holds have no retry time', async (t) => {
  const { budgets } = setUp();
  t.same(budgets.take(account('one'), 101), { isGranted: false, retryAfterMillis: null });
  t.ok(budgets.take(account('one'), 100).isGranted);
  t.ok(
    budgets.take(account('one'), 0).isGranted,
    'a request of no points passes at an empty bucket',
  );
});

t.test('each client has its own bucket, and a client without a budget has none', async (t) => {
  const { budgets, reported } = setUp();
  t.ok(budgets.take(account('one'), 100).isGranted);
  t.ok(budgets.take(account('two'), 100).isGranted);
  const free: BudgetAccount = { id: 'free', className: 'free', budget: null };
  for (let time = 0; time < 10; time++) budgets.reconcile(granted(budgets.take(free, 1e9)), 2e9);
  t.equal(budgets.status(free), null);
  t.equal(budgets.size, 2);
  t.equal(reported.spent, 200);
});

t.test('reconciling refunds and charges, to an overdraft of one bucket at most', async (t) => {
  const { budgets, clock, reported } = setUp();
  const client = account('one');
  const dear = granted(budgets.take(client, 60));
  const cheap = granted(budgets.take(client, 10));
  budgets.reconcile(cheap, 1);
  t.equal(budgets.status(client)?.currentlyAvailable, 39);
  budgets.reconcile(dear, 1e12);
  t.equal(budgets.status(client)?.currentlyAvailable, -100, 'an overdraft of one bucket at most');
  t.same(budgets.take(client, 10), { isGranted: false, retryAfterMillis: 11_000 });
  clock.millis += 20_000;
  t.equal(budgets.status(client)?.currentlyAvailable, 100);
  const late = granted(budgets.take(client, 50));
  clock.millis += 60_000;
  budgets.reconcile(late, 0);
  t.equal(
    budgets.status(client)?.currentlyAvailable,
    100,
    'a late refund does not exceed the maximum',
  );
  t.equal(reported.refunded, 9 + 50);
});

t.test('a clock that goes back neither refills nor takes', async (t) => {
  const { budgets, clock } = setUp();
  const client = account('one');
  budgets.take(client, 50);
  clock.millis -= 3_600_000;
  t.equal(budgets.status(client)?.currentlyAvailable, 50);
  clock.millis += 1000;
  t.equal(budgets.status(client)?.currentlyAvailable, 60);
});

t.test('a changed rule of a client applies from then on', async (t) => {
  const { budgets, clock } = setUp();
  budgets.take(account('one', 100, 10), 20);
  t.equal(
    budgets.status(account('one', 30, 10))?.currentlyAvailable,
    30,
    'a smaller bucket holds less',
  );
  clock.millis += 1000;
  t.equal(
    budgets.status(account('one', 1000, 10))?.currentlyAvailable,
    40,
    'a larger one is not full at once',
  );
});

t.test(
  'memory is bounded, and a flood of other clients does not evict a spent bucket',
  async (t) => {
    const { budgets } = setUp(100);
    const poor = account('poor');
    budgets.take(poor, 100);
    for (let at = 0; at < 10_000; at++) budgets.take(account(`other ${at}`), 1);
    t.equal(budgets.size, 100);
    t.notOk(budgets.take(poor, 10).isGranted, 'its bucket is still there');
  },
);

t.test(
  'for any sequence, admitted points are at most one bucket plus refills, as in a model',
  async (t) => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('take' as const), points: fc.integer({ min: 0, max: 120 }) }),
      fc.record({ kind: fc.constant('wait' as const), millis: fc.integer({ min: 0, max: 5000 }) }),
      fc.record({
        kind: fc.constant('reconcile' as const),
        actual: fc.integer({ min: 0, max: 200 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { budgets, clock } = setUp();
        const client = account('one', 100, 10);
        let available = 100;
        let spent = 0;
        let waited = 0;
        const open: Grant[] = [];
        for (const one of steps) {
          if (one.kind === 'wait') {
            clock.millis += one.millis;
            waited += one.millis;
            available = Math.min(100, available + one.millis / 100);
          } else if (one.kind === 'take') {
            const taken = budgets.take(client, one.points);
            const expected = one.points === 0 || available + 1e-6 >= one.points;
            // Rounding may decide either way at the boundary.
            if (taken.isGranted !== expected && Math.abs(available - one.points) > 1e-6)
              return false;
            if (!taken.isGranted) continue;
            available -= one.points;
            spent += one.points;
            open.push(taken);
          } else {
            const grant = open.pop();
            if (grant === undefined) continue;
            budgets.reconcile(grant, one.actual);
            available = Math.max(-100, Math.min(100, available + grant.points - one.actual));
            spent += Math.max(0, one.actual) - grant.points;
          }
        }
        // Each reconciliation can overdraw by one bucket at most.
        return (
          spent <= 100 + waited / 100 + 100 * steps.length &&
          Math.abs(nowOf(budgets, client) - available) < 1.001
        );
      }),
      { numRuns: 2000 },
    );
    t.pass();
  },
);

const nowOf = (budgets: MemoryBudgets, client: BudgetAccount): number =>
  budgets.status(client)?.currentlyAvailable ?? 0;

t.test('clients with nearly empty buckets are counted by class, until these refill', async (t) => {
  const { budgets, clock, nearlyEmpty } = setUp(2 * NEARLY_EMPTY_MAX);
  const count = () => Object.fromEntries(nearlyEmpty.count((each) => budgets.status(each)));
  granted(budgets.take(account('half'), 50));
  granted(budgets.take(account('tenth'), 90));
  t.same(count(), {}, 'a tenth is left');
  granted(budgets.take(account('spent'), 91));
  t.notOk(budgets.take(account('spent'), 91).isGranted);
  granted(budgets.take({ ...account('other'), className: 'others' }, 100));
  t.same(count(), { some: 1, others: 1 });
  clock.millis += 1000;
  t.same(count(), {}, 'ten points came back');
  for (let index = 0; index <= NEARLY_EMPTY_MAX; index++)
    granted(budgets.take(account(String(index)), 100));
  t.same(count(), { some: NEARLY_EMPTY_MAX });
});
