import t from 'tap';

import { Refusal } from '../../src/base/refusal.js';
import { outcomeOf } from '../../src/upstream/breaker.js';

t.test('a backend fails when it cannot be had, not when it answers in a way of its own', (t) => {
  for (const code of ['UPSTREAM_UNREACHABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_RESET', 'UPSTREAM_TRUNCATED'] as const) {
    t.equal(outcomeOf(new Refusal(code), 0), 'failed', code);
  }
  for (const status of [502, 503, 504]) {
    t.equal(outcomeOf(new Refusal('UPSTREAM_INVALID_RESPONSE'), status), 'failed', `${status}`);
  }
  // spyne says 500 and plain text to every message that does not fit its schema.
  for (const status of [200, 400, 404, 500]) {
    t.equal(outcomeOf(new Refusal('UPSTREAM_INVALID_RESPONSE'), status), 'answered', `${status}`);
  }
  t.equal(outcomeOf(new Refusal('CLIENT_GONE'), 0), 'none');
  t.end();
});
