import t from 'tap';
import { startDoors } from './http-doors.js';
import { runHeads } from './http-heads.js';
import { deadConnections, slowBackend, slowBodies, slowHeads, slowReaders } from './http-paces.js';
import { Rows } from './rows.js';

/** Groups H and F of the catalogue: what is wrong around a message, over real sockets. */

const rows = new Rows('http');

t.test('heads, at every door', async (t) => {
  await runHeads(t, await startDoors(t), rows);
});

t.test('H19: slow heads', (t) => slowHeads(t, rows));
t.test('H20: slow bodies', (t) => slowBodies(t, rows));
t.test('H20: a slow backend', (t) => slowBackend(t, rows));
t.test('H21: slow readers', (t) => slowReaders(t, rows));
t.test('H32: dead connections', (t) => deadConnections(t, rows));

t.test('the table is done', async (t) => {
  rows.assertComplete(t);
});
