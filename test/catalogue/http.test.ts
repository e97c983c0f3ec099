import t from 'tap';
import { startDoors } from './http-doors.js';
import { runHeads } from './http-heads.js';
import { Rows } from './rows.js';

/** Groups H and F of the catalogue: what is wrong around a message, over real sockets. */

const rows = new Rows('http');

t.test('heads, at every door', async (t) => {
  await runHeads(t, await startDoors(t), rows);
});

t.test('the table is done', async (t) => {
  rows.assertComplete(t);
});
