import t from 'tap';

import { type Steps, TimeSlices } from '../../src/core/time-slices.js';

/** More than one slice. */
const STEP_MILLIS = 3.5;
/** More than those that are followed by a rest. */
const STEPS = 80;

function* work(begun: () => void): Steps<string> {
  for (let step = 0; step < STEPS; step++) {
    begun();
    for (const endMillis = performance.now() + STEP_MILLIS; performance.now() < endMillis; );
    yield;
  }
  return 'done';
}

t.test('the event loop turns after each slice, of the first and of later ones', async (t) => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const turnsBefore: number[] = [];
  const result = await new TimeSlices().run(work(() => turnsBefore.push(turns)));
  isOver = true;
  t.equal(result, 'done');
  t.equal(turnsBefore.length, STEPS);
  t.ok(turnsBefore.every((count, step) => step === 0 || count > (turnsBefore[step - 1] ?? 0)));
});

t.test('works of one pace take turns', async (t) => {
  const begun: string[] = [];
  const pace = new TimeSlices();
  await Promise.all(['one', 'other'].map((name) => pace.run(work(() => begun.push(name)))));
  const changes = begun.filter((name, at) => at > 0 && name !== begun[at - 1]).length;
  t.equal(begun.length, 2 * STEPS);
  t.ok(changes > STEPS, `${changes} changes`);
});
