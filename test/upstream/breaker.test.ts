import t from 'tap';
import { REFUSAL_CODES } from '../../src/config/refusal-tables.js';
import { AddressTotals } from '../../src/core/collections/address-totals.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { Breaker, type EjectionReason } from '../../src/upstream/breaker.js';
import { AddressTally, type Compared, Outliers } from '../../src/upstream/outliers.js';
import { outcomeOf } from '../../src/upstream/reply-effects.js';

t.test(
  'a backend fails when it cannot be had, not when it answers in a way of its own',
  async (t) => {
    for (const code of [
      'UPSTREAM_UNREACHABLE',
      'UPSTREAM_TIMEOUT',
      'UPSTREAM_RESET',
      'UPSTREAM_TRUNCATED',
    ] as const) {
      t.equal(outcomeOf(new Refusal(code), 0), 'failed', code);
    }
    for (const status of [502, 503, 504]) {
      t.equal(outcomeOf(new Refusal('UPSTREAM_INVALID_RESPONSE'), status), 'failed', `${status}`);
    }
    // spyne says 500 and plain text to every message that does not fit its schema.
    t.equal(outcomeOf(new Refusal('UPSTREAM_INVALID_RESPONSE'), 200), 'invalid');
    for (const status of [400, 404, 500]) {
      t.equal(outcomeOf(new Refusal('UPSTREAM_INVALID_RESPONSE'), status), 'answered', `${status}`);
    }
    t.equal(outcomeOf(new Refusal('CLIENT_GONE'), 0), 'none');
  },
);

t.test('what is wrong with a request says nothing of its backend', async (t) => {
  for (const code of REFUSAL_CODES) {
    const refusal = new Refusal(code);
    if (refusal.kind.blame === 'upstream') continue;
    t.equal(outcomeOf(refusal, 0), 'none', code);
  }
});

class Address implements Compared {
  readonly #totals = new AddressTotals();
  readonly tally = new AddressTally(() => this.#totals);
  readonly reasons: EjectionReason[] = [];

  get isResting(): boolean {
    return this.reasons.length > 0;
  }

  eject(reason: EjectionReason): void {
    this.reasons.push(reason);
    this.tally.ejected(reason);
  }

  answer(count: number, millis = 5): this {
    for (let index = 0; index < count; index++) this.tally.record('answered', null, millis);
    return this;
  }

  fail(count: number): this {
    for (let index = 0; index < count; index++)
      this.tally.record('invalid', 'UPSTREAM_INVALID_RESPONSE', 5);
    return this;
  }
}

/** The reasons for which each was ejected. */
function looked(...addresses: readonly Address[]): string {
  new Outliers(addresses).look(1_000_000);
  return addresses.map(({ reasons }) => reasons.join('+')).join(',');
}

t.test('an address that answers worse or slower than the others is ejected', async (t) => {
  const fine = () => new Address().answer(20);
  t.equal(looked(fine(), fine(), new Address().answer(10).fail(10)), ',,errors');
  t.equal(looked(fine(), fine(), new Address().answer(5, 2000)), ',,latency');
  t.equal(looked(fine(), fine(), new Address().answer(5, 60)), ',,', 'but not for so little');
  t.equal(looked(fine(), fine(), new Address().answer(18).fail(2)), ',,', 'nor for a few errors');
  t.equal(looked(fine(), fine(), new Address().fail(2)), ',,', 'nor after so few calls');
  const half = () => new Address().answer(10).fail(10);
  t.equal(
    looked(half(), half(), half()),
    ',,',
    'where all are alike, the backend behind them is at fault',
  );
});

t.test('two thirds of the addresses are ejected at most, and never the last', async (t) => {
  const bad = () => new Address().answer(1).fail(19);
  const fine = () => new Address().answer(20);
  t.equal(looked(bad(), fine(), bad()), 'errors,,errors');
  t.equal(looked(bad(), bad(), bad(), bad(), fine(), fine()), 'errors,errors,errors,errors,,');
  t.equal(looked(bad(), bad(), bad(), bad(), bad(), fine()), 'errors,errors,errors,errors,,');
  t.equal(looked(bad(), fine()), 'errors,');
  const resting = fine();
  resting.eject('errors');
  t.equal(looked(resting, bad()), 'errors,');
});

t.test(
  'an ejected address is tried by single calls, of which one that is invalid ends it again',
  async (t) => {
    const breaker = new Breaker(5, 1000, 2);
    const answer = (outcome: 'answered' | 'invalid', now: number): boolean =>
      breaker.end(breaker.begin(), outcome, now);
    breaker.eject('errors', 0);
    t.notOk(breaker.admits(700));
    t.ok(breaker.admits(1000));
    t.ok(answer('invalid', 1000));
    t.notOk(breaker.admits(1001));
    t.ok(breaker.admits(2000));
    for (let count = 0; count < 3; count++) answer('answered', 2000);
    t.equal(breaker.stateAt(2000), 'closed', 'closed after one, then two answers');
    answer('invalid', 2000);
    t.equal(breaker.stateAt(2000), 'closed');
    t.ok(breaker.setHealth(false, 2000));
    t.notOk(breaker.admits(1e9), 'down by health checks, it is not tried');
    t.ok(breaker.setHealth(true, 1e9));
    t.ok(breaker.admits(1e9));
    breaker.begin();
    t.notOk(breaker.admits(1e9), 'and starts slowly');
  },
);

/** Calls a backend at a steady rate by a clock of its own; its share of failures may change. */
class Steady {
  readonly breaker: Breaker;
  readonly #random: () => number;
  nowMillis = 0;

  constructor(seed: number) {
    this.breaker = new Breaker(5, 30_000, 64);
    this.#random = randomFrom(seed);
  }

  /** The share of ten calls a second that fail or are refused. */
  lostShare(millis: number, failing: number): number {
    const endMillis = this.nowMillis + millis;
    let calls = 0;
    let lost = 0;
    for (; this.nowMillis < endMillis; this.nowMillis += 100) {
      calls++;
      if (!this.breaker.admits(this.nowMillis)) {
        lost++;
        continue;
      }
      const isFailed = this.#random() < failing;
      if (isFailed) lost++;
      this.breaker.end(this.breaker.begin(), isFailed ? 'failed' : 'answered', this.nowMillis);
    }
    return lost / calls;
  }
}

/** A linear congruential generator: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const HOURS = 3_600_000;

t.test(
  'a backend that fails a twentieth of its calls loses no more of them after an outage than before',
  async (t) => {
    for (let seed = 1; seed <= 20; seed++) {
      const steady = new Steady(seed);
      const before = steady.lostShare(2 * HOURS, 0.05);
      t.ok(steady.lostShare(10_000, 1) > 0.9, 'the outage opens the breaker');
      const after = steady.lostShare(2 * HOURS, 0.05);
      t.ok(before < 0.06, `${before} before`);
      // The rest after the outage is 0.4 % of two hours.
      t.ok(after < before + 0.02, `${after} after, ${before} before`);
    }
  },
);

t.test('a backend that fails most of its calls has a rest, whatever their order', async (t) => {
  for (const [failing, most] of [
    [0.1, 0.12],
    [0.2, 0.4],
  ] as const) {
    const lost = new Steady(3).lostShare(2 * HOURS, failing);
    t.ok(lost < most, `${failing}: ${lost} lost`);
  }
  for (const failing of [0.8, 0.9, 1]) {
    const lost = new Steady(3).lostShare(HOURS, failing);
    t.ok(lost > 0.93, `${failing}: ${lost} lost or refused`);
  }
  const mostly = new Breaker(5, 30_000, 64);
  let calls = 0;
  while (mostly.admits(0) && calls < 100)
    mostly.end(mostly.begin(), calls++ % 10 === 0 ? 'answered' : 'failed', 0);
  t.ok(calls < 12, `nine of ten fail: open after ${calls} calls`);
});

t.test(
  'time alone closes a breaker: after the rest it may be tried, after another one it is closed',
  async (t) => {
    const changes: string[] = [];
    const breaker = new Breaker(2, 1000, 64, ({ isUp, reason }) =>
      changes.push(`${isUp ? 'up' : 'down'} ${reason}`),
    );
    for (let count = 0; count < 2; count++) breaker.end(breaker.begin(), 'failed', 0);
    t.equal(breaker.stateAt(799), 'open');
    t.equal(breaker.stateAt(1000), 'half-open', 'tried after the rest, which jitter only shortens');
    t.equal(breaker.stateAt(1799), 'half-open');
    t.equal(breaker.stateAt(2000), 'closed');
    t.same(changes, ['down failures', 'up time']);
    const begun = Array.from({ length: 20 }, () =>
      breaker.admits(2000) ? breaker.begin() : null,
    ).filter((epoch) => epoch !== null);
    t.equal(begun.length, 8, 'a slow start');
    t.notOk(breaker.refuses(2000), 'for which others wait');
    for (const epoch of begun) breaker.end(epoch, 'answered', 2000);
    t.ok(breaker.admits(2000));
  },
);

t.test('while the first call after the rest is out, the breaker counts as open', async (t) => {
  const breaker = new Breaker(1, 1000, 64);
  breaker.end(breaker.begin(), 'failed', 0);
  t.ok(breaker.admits(1000));
  const first = breaker.begin();
  t.equal(breaker.stateAt(9000), 'open', 'others are refused, however long it takes');
  t.ok(breaker.refuses(9000));
  breaker.end(first, 'answered', 9000);
  t.equal(breaker.stateAt(9000), 'half-open');
});

t.test('one failure among the calls that try an address does not end it', async (t) => {
  const breaker = new Breaker(5, 1000, 64);
  breaker.eject('errors', 0);
  t.ok(breaker.admits(1000));
  for (const outcome of ['answered', 'failed', 'failed', 'answered'] as const)
    breaker.end(breaker.begin(), outcome, 1000);
  t.equal(breaker.stateAt(1000), 'half-open');
  for (let count = 0; count < 5; count++) breaker.end(breaker.begin(), 'answered', 1000);
  t.equal(breaker.stateAt(1000), 'closed', 'after seven answers');
});

t.test(
  'a health check that succeeds has an open address tried, and the next one closes it',
  async (t) => {
    const changes: string[] = [];
    const breaker = new Breaker(1, 30_000, 64, ({ isUp, reason }) =>
      changes.push(`${isUp ? 'up' : 'down'} ${reason}`),
    );
    breaker.end(breaker.begin(), 'failed', 0);
    t.equal(breaker.stateAt(1), 'open');
    breaker.setHealth(true, 2000);
    t.equal(breaker.stateAt(2000), 'half-open', 'not closed: calls may fail while checks do not');
    breaker.end(breaker.begin(), 'failed', 2001);
    t.equal(breaker.stateAt(2002), 'open', 'one call a check is all that is lost');
    breaker.setHealth(true, 4000);
    const out = breaker.begin();
    breaker.setHealth(true, 6000);
    t.equal(breaker.stateAt(6000), 'open', 'a call that tries it is still out');
    breaker.end(out, 'none', 6001);
    breaker.setHealth(true, 8000);
    t.equal(breaker.stateAt(8000), 'closed');
    t.same(changes, ['down failures', 'up health']);
    breaker.eject('latency', 9000);
    breaker.setHealth(true, 9001);
    t.equal(breaker.stateAt(9001), 'open', 'checks do not see that an address is slow');
    breaker.setHealth(false, 9002);
    breaker.setHealth(true, 11_000);
    t.equal(breaker.stateAt(11_000), 'half-open');
    t.same(changes.slice(2), ['down latency', 'up health'], 'down once');
  },
);
