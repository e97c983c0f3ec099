import fc from 'fast-check';
import t from 'tap';

import type { BudgetEvents, Grant, Spender } from '../../src/budget/budget.js';
import { MemoryBudgets } from '../../src/budget/memory.js';

const spender = (id: string, maximum = 100, restoreRate = 10): Spender => ({
  id,
  className: 'some',
  budget: { maximum, restoreRate },
});

/** Budgets with a clock that is moved by hand, and what they told. */
function setUp(clientsMax = 1000) {
  const clock = { millis: 1_000_000 };
  const told = { spent: 0, denied: 0, refunded: 0 };
  const events: BudgetEvents = {
    spent: (_class, points) => {
      told.spent += points;
    },
    denied: (_class, points) => {
      told.denied += points;
    },
    refunded: (_class, points) => {
      told.refunded += points;
    },
  };
  const budgets = new MemoryBudgets({ clientsMax, events, clock: () => clock.millis });
  return { budgets, clock, told };
}

function granted(taken: ReturnType<MemoryBudgets['take']>): Grant {
  if (!taken.isGranted) throw new Error('denied');
  return taken;
}

t.test('a client spends what it has, is told when there is more, and gets it then and no sooner', async (t) => {
  const { budgets, clock, told } = setUp();
  const client = spender('one');
  t.same(budgets.status(client), { maximumAvailable: 100, currentlyAvailable: 100, restoreRate: 10 }, 'full at first');
  t.ok(budgets.take(client, 70).isGranted);
  const denied = budgets.take(client, 40);
  t.same(denied, { isGranted: false, retryAfterMillis: 1000 }, 'ten points more: one second');
  t.equal(budgets.status(client)?.currentlyAvailable, 30, 'what is denied is not taken');
  clock.millis += 999;
  t.notOk(budgets.take(client, 40).isGranted, 'not yet');
  clock.millis += 1;
  t.ok(budgets.take(client, 40).isGranted, 'at the time it was told');
  clock.millis += 3_600_000;
  t.equal(budgets.status(client)?.currentlyAvailable, 100, 'never more than the bucket holds');
  t.same(told, { spent: 110, denied: 80, refunded: 0 });
});

t.test('what a bucket can never hold is never promised', async (t) => {
  const { budgets } = setUp();
  t.same(budgets.take(spender('one'), 101), { isGranted: false, retryAfterMillis: null });
  t.ok(budgets.take(spender('one'), 100).isGranted);
  t.ok(budgets.take(spender('one'), 0).isGranted, 'what costs nothing goes on');
});

t.test('clients have buckets of their own, and those without a budget none', async (t) => {
  const { budgets, told } = setUp();
  t.ok(budgets.take(spender('one'), 100).isGranted);
  t.ok(budgets.take(spender('two'), 100).isGranted);
  const free: Spender = { id: 'free', className: 'free', budget: null };
  for (let time = 0; time < 10; time++) budgets.reconcile(granted(budgets.take(free, 1e9)), 2e9);
  t.equal(budgets.status(free), null);
  t.equal(budgets.size, 2);
  t.equal(told.spent, 200);
});

t.test('what was too much comes back, what was too little is taken: once below zero, and never for ever', async (t) => {
  const { budgets, clock, told } = setUp();
  const client = spender('one');
  const dear = granted(budgets.take(client, 60));
  const cheap = granted(budgets.take(client, 10));
  budgets.reconcile(cheap, 1);
  t.equal(budgets.status(client)?.currentlyAvailable, 39);
  budgets.reconcile(dear, 1e12);
  t.equal(budgets.status(client)?.currentlyAvailable, -100, 'a debt of one bucket at most');
  t.same(budgets.take(client, 10), { isGranted: false, retryAfterMillis: 11_000 });
  clock.millis += 20_000;
  t.equal(budgets.status(client)?.currentlyAvailable, 100);
  const late = granted(budgets.take(client, 50));
  clock.millis += 60_000;
  budgets.reconcile(late, 0);
  t.equal(budgets.status(client)?.currentlyAvailable, 100, 'what comes back late finds the bucket full');
  t.equal(told.refunded, 9 + 50);
});

t.test('a clock that goes back gives nothing and takes nothing', async (t) => {
  const { budgets, clock } = setUp();
  const client = spender('one');
  budgets.take(client, 50);
  clock.millis -= 3_600_000;
  t.equal(budgets.status(client)?.currentlyAvailable, 50);
  clock.millis += 1000;
  t.equal(budgets.status(client)?.currentlyAvailable, 60);
});

t.test('another rule for the same client holds from then on', async (t) => {
  const { budgets, clock } = setUp();
  budgets.take(spender('one', 100, 10), 20);
  t.equal(budgets.status(spender('one', 30, 10))?.currentlyAvailable, 30, 'a smaller bucket holds less');
  clock.millis += 1000;
  t.equal(budgets.status(spender('one', 1000, 10))?.currentlyAvailable, 40, 'a larger one is not full at once');
});

t.test('memory is bounded, and a flood of others does not win back what was spent', async (t) => {
  const { budgets } = setUp(100);
  const poor = spender('poor');
  budgets.take(poor, 100);
  for (let at = 0; at < 10_000; at++) budgets.take(spender(`other ${at}`), 1);
  t.equal(budgets.size, 100);
  t.notOk(budgets.take(poor, 10).isGranted, 'it is still remembered');
});

t.test('over any course, what is admitted is at most a bucket and what came back, and a model agrees', async (t) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('take' as const), points: fc.integer({ min: 0, max: 120 }) }),
    fc.record({ kind: fc.constant('wait' as const), millis: fc.integer({ min: 0, max: 5000 }) }),
    fc.record({ kind: fc.constant('reconcile' as const), actual: fc.integer({ min: 0, max: 200 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { budgets, clock } = setUp();
      const client = spender('one', 100, 10);
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
          // A hair's breadth of rounding may decide either way.
          if (taken.isGranted !== expected && Math.abs(available - one.points) > 1e-6) return false;
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
      // Reconciling can take one bucket more than there is, and no more than that.
      return spent <= 100 + waited / 100 + 100 * steps.length && Math.abs(nowOf(budgets, client) - available) < 1.001;
    }),
    { numRuns: 2000 },
  );
  t.pass();
});

const nowOf = (budgets: MemoryBudgets, client: Spender): number => budgets.status(client)?.currentlyAvailable ?? 0;
