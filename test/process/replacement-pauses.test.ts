import t from 'tap';

import { ReplacementPauses } from '../../src/process/parent/replacement-pauses.js';

/** Workers that end are replaced, and not faster and faster. */

t.test('pauses double with each worker that did not last, up to a limit', async (t) => {
  const pauses = new ReplacementPauses();
  for (const fullMillis of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    const millis = pauses.next(9_999);
    t.ok(millis >= fullMillis / 2 && millis <= fullMillis, `${millis} of ${fullMillis}`);
  }
  t.equal(pauses.next(10_000), 0, 'one that lasted is replaced at once');
  t.ok(pauses.next(0) <= 500, 'and the next one begins anew');
});
