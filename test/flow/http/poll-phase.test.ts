import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';

import { waitUntilSteady } from '../../../src/flow/http/poll-phase.js';

const MINUTE_MILLIS = 60_000;

t.test('it waits until two turns in a row have brought nothing', async (t) => {
  let turns = 0;
  let count = 0;
  await waitUntilSteady(
    () => count,
    100,
    MINUTE_MILLIS,
    async () => {
      turns++;
      if (turns < 5 || turns === 6) count++;
    },
  );
  t.equal(turns, 8);
});

t.test('it waits for so many turns at most', async (t) => {
  let turns = 0;
  await waitUntilSteady(
    () => turns,
    7,
    MINUTE_MILLIS,
    async () => void turns++,
  );
  t.equal(turns, 7);
});

t.test(
  'slow turns that each bring something do not keep it for longer than it may wait',
  async (t) => {
    let turns = 0;
    await waitUntilSteady(
      () => turns,
      Number.MAX_SAFE_INTEGER,
      50,
      async () => {
        turns++;
        await wait(5);
      },
    );
    t.ok(turns > 0);
  },
);

t.test('nor does a turn that never ends', async (t) => {
  let asked = 0;
  await waitUntilSteady(
    () => 0,
    10,
    20,
    () => {
      asked++;
      return new Promise(() => {});
    },
  );
  t.equal(asked, 1);
});
