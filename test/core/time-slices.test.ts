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

/** Counts the turns of the event loop until `end`. */
function countTurns(): { turns(): number; end(): void } {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    turns: () => turns,
    end: () => {
      isOver = true;
    },
  };
}

t.test('the event loop turns after each slice, of the first and of later ones', async (t) => {
  const { turns, end } = countTurns();
  const turnsBefore: number[] = [];
  const result = await new TimeSlices().run(work(() => turnsBefore.push(turns())));
  end();
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

/** Works that wait at a time. */
const WORKS = 500;

t.test('works that need little share a slice', async (t) => {
  const pace = new TimeSlices();
  const { turns, end } = countTurns();
  const turnsBefore = new Set<number>();
  await Promise.all(
    Array.from({ length: WORKS }, async () => {
      await pace.pause();
      turnsBefore.add(turns());
    }),
  );
  end();
  t.ok(turnsBefore.size < WORKS / 2, `${turnsBefore.size} turns of the event loop`);
});

t.test('works that need a whole slice do not share it', async (t) => {
  const pace = new TimeSlices();
  const { turns, end } = countTurns();
  const turnsBefore: number[] = [];
  await Promise.all(
    Array.from({ length: STEPS }, async () => {
      await pace.pause();
      turnsBefore.push(turns());
      for (const endMillis = performance.now() + STEP_MILLIS; performance.now() < endMillis; );
    }),
  );
  end();
  t.ok(turnsBefore.every((count, at) => at === 0 || count > (turnsBefore[at - 1] ?? 0)));
});
