import t from 'tap';

import { Refusal } from '../../src/base/refusal.js';
import { Breaker, outcomeOf } from '../../src/upstream/breaker.js';
import { AddressTally, type Compared, type EjectionReason, Outliers } from '../../src/upstream/outliers.js';

t.test('a backend fails when it cannot be had, not when it answers in a way of its own', (t) => {
  for (const code of ['UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_RESET', 'UPSTREAM_TRUNCATED'] as const) {
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
  t.end();
});

class Address implements Compared {
  readonly tally = new AddressTally();
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
    for (let index = 0; index < count; index++) this.tally.record('invalid', 'UPSTREAM_INVALID_RESPONSE', 5);
    return this;
  }
}

/** The reasons for which each was ejected. */
function looked(...addresses: readonly Address[]): string {
  new Outliers(addresses).look(1_000_000);
  return addresses.map(({ reasons }) => reasons.join('+')).join(',');
}

t.test('an address that answers worse or slower than the others is ejected', (t) => {
  const fine = () => new Address().answer(20);
  t.equal(looked(fine(), fine(), new Address().answer(10).fail(10)), ',,errors');
  t.equal(looked(fine(), fine(), new Address().answer(5, 2000)), ',,latency');
  t.equal(looked(fine(), fine(), new Address().answer(5, 60)), ',,', 'but not for so little');
  t.equal(looked(fine(), fine(), new Address().answer(18).fail(2)), ',,', 'nor for a few errors');
  t.equal(looked(fine(), fine(), new Address().fail(2)), ',,', 'nor after so few calls');
  const half = () => new Address().answer(10).fail(10);
  t.equal(looked(half(), half(), half()), ',,', 'where all are alike, the backend behind them is at fault');
  t.end();
});

t.test('two thirds of the addresses are ejected at most, and never the last', (t) => {
  const bad = () => new Address().answer(1).fail(19);
  const fine = () => new Address().answer(20);
  t.equal(looked(bad(), fine(), bad()), 'errors,,errors');
  t.equal(looked(bad(), bad(), bad(), bad(), fine(), fine()), 'errors,errors,errors,errors,,');
  t.equal(looked(bad(), bad(), bad(), bad(), bad(), fine()), 'errors,errors,errors,errors,,');
  t.equal(looked(bad(), fine()), 'errors,');
  const resting = fine();
  resting.eject('errors');
  t.equal(looked(resting, bad()), 'errors,');
  t.end();
});

t.test('an ejected address is tried by single calls, of which one that is invalid ends it again', (t) => {
  const breaker = new Breaker(5, 1000, 2);
  const answer = (outcome: 'answered' | 'invalid', now: number): boolean => breaker.end(breaker.begin(), outcome, now);
  breaker.eject(0);
  t.notOk(breaker.admits(700));
  t.ok(breaker.admits(1300));
  t.ok(answer('invalid', 1300));
  t.notOk(breaker.admits(1301));
  t.ok(breaker.admits(3000));
  for (let count = 0; count < 3; count++) answer('answered', 3000);
  t.notOk(breaker.isOpen, 'closed after one, then two answers');
  answer('invalid', 3000);
  t.notOk(breaker.isOpen);
  t.ok(breaker.setHealth(false));
  t.notOk(breaker.admits(1e9), 'down by health checks, it is not tried');
  t.ok(breaker.setHealth(true));
  t.ok(breaker.admits(1e9));
  breaker.begin();
  t.notOk(breaker.admits(1e9), 'and starts slowly');
  t.end();
});
