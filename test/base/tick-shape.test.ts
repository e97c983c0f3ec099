import { setImmediate } from 'node:timers/promises';

import t from 'tap';

import { keepTickShape, keptTick } from '../../src/base/tick-shape.js';

t.test('one tick object is kept, the first one', async (t) => {
  t.equal(keptTick(), null);
  keepTickShape();
  await setImmediate();
  const tick = keptTick();
  t.type(tick, 'object');
  t.ok(tick !== null && 'callback' in tick, 'what process.nextTick made');
  keepTickShape();
  await setImmediate();
  t.equal(keptTick(), tick);
});
