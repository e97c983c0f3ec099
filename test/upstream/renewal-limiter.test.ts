import t from 'tap';
import {
  OPERATIONS_MAX,
  RENEWAL_PAUSE_MILLIS,
  RENEWAL_PAUSE_MILLIS_MAX,
  RenewalLimiter,
} from '../../src/upstream/credentials/renewal-limiter.js';

t.test('renewals that do not help have longer and longer pauses', async (t) => {
  const renewals = new RenewalLimiter();
  let nowMillis = 0;
  for (const pauseMillis of [
    RENEWAL_PAUSE_MILLIS,
    20_000,
    40_000,
    RENEWAL_PAUSE_MILLIS_MAX,
    RENEWAL_PAUSE_MILLIS_MAX,
  ]) {
    t.ok(renewals.permits('A', nowMillis));
    renewals.begin('A', nowMillis);
    renewals.replaced();
    nowMillis += pauseMillis;
    t.notOk(renewals.permits('A', nowMillis - 1), `${pauseMillis}`);
    t.notOk(renewals.permits('B', nowMillis - 1), 'of other operations too');
  }
  renewals.begin('A', nowMillis);
  renewals.accept('A', true);
  renewals.begin('B', nowMillis);
  t.notOk(renewals.permits('A', nowMillis + RENEWAL_PAUSE_MILLIS - 1));
  t.ok(
    renewals.permits('A', nowMillis + RENEWAL_PAUSE_MILLIS),
    'short again after one that helped',
  );
});

t.test('a token is given up at once where it was good for the operation', async (t) => {
  const renewals = new RenewalLimiter();
  renewals.accept('A', false);
  renewals.begin('A', 0);
  t.notOk(renewals.permits('A', 1), 'the new token was good for nothing yet');
  renewals.accept('A', false);
  t.notOk(
    renewals.permits('A', 1),
    'giving one up did not help: calls of it may differ in what is refused',
  );
  renewals.accept('B', false);
  t.ok(renewals.permits('B', 1));
  renewals.accept('A', true);
  t.ok(renewals.permits('A', 1), 'the repeated call was accepted');
  renewals.replaced();
  t.ok(renewals.permits('A', 1), 'one that follows at its end may end early');
  renewals.begin('A', 1);
  renewals.replaced();
  t.notOk(renewals.permits('A', 1), 'one that follows a refused token may not');
  renewals.accept('A', false);
  t.notOk(renewals.permits('A', 1));
  renewals.replaced();
  t.ok(renewals.permits('A', 1), 'each end of a token allows one renewal more');
});

t.test('so many operations are remembered', async (t) => {
  const renewals = new RenewalLimiter();
  renewals.begin('', 0);
  for (let index = 0; index <= OPERATIONS_MAX; index++) renewals.accept(String(index), false);
  t.ok(renewals.permits(String(OPERATIONS_MAX - 1), 1));
  t.notOk(renewals.permits(String(OPERATIONS_MAX), 1), 'of one token');
  for (let index = 0; index < OPERATIONS_MAX; index++) {
    renewals.accept(String(index), false);
    t.ok(renewals.permits(String(index), 1));
    renewals.begin(String(index), 0);
  }
  renewals.accept('more', false);
  t.notOk(renewals.permits('more', 1), 'of those that it did not help to renew a token for');
});
