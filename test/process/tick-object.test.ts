import { setImmediate } from 'node:timers/promises';

import t from 'tap';

import { retainedTickObject, retainTickObject } from '../../src/process/tick-object.js';

t.test('one tick object is kept, the first one', async (t) => {
  t.equal(retainedTickObject(), null);
  retainTickObject();
  await setImmediate();
  const tick = retainedTickObject();
  t.type(tick, 'object');
  t.ok(tick !== null && 'callback' in tick, 'what process.nextTick made');
  retainTickObject();
  await setImmediate();
  t.equal(retainedTickObject(), tick);
});
