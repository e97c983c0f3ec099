import t from 'tap';

import { DIALECT_NAMES } from '../../src/soap/dialect.js';
import { expectAnswer } from './expect.js';
import { Rows } from './rows.js';
import { ANSWERS } from './upstream-answers.js';
import { testConnections } from './upstream-connections.js';
import { testFaults } from './upstream-faults.js';
import { HEADS } from './upstream-heads.js';
import { startScripted } from './upstream-kit.js';
import { testRest } from './upstream-rest.js';

const rows = new Rows('upstream');

/** Longer answers are not sent byte by byte. */
const BYTEWISE_BYTES = 1_000;

t.test('one answer of a backend, whole and byte by byte, in every dialect', async (t) => {
  const scripted = await startScripted(t, {
    limits: 'headersMillis: 1000, idleMillis: 700, totalMillis: 2500, breakerFailures: 0',
    more: '  xml: { messageBytes: 2097152 }\n',
  });
  for (const vector of [...ANSWERS, ...HEADS]) {
    const answer = rows.answer(vector.row, vector.case);
    for (const dialect of vector.dialects ?? DIALECT_NAMES) {
      const made = vector.answer(dialect);
      const bytes = typeof made === 'function' ? null : Buffer.from(made);
      for (const way of ['whole', 'byte by byte']) {
        const name = `${vector.row} ${vector.case}, ${dialect}, ${way}`;
        if (way !== 'whole' && (bytes === null || bytes.length > BYTEWISE_BYTES)) continue;
        scripted.play((socket, request) => {
          if (typeof made === 'function') return made(socket, request);
          socket.setNoDelay(true);
          if (way === 'whole') socket.write(made);
          else for (const byte of bytes ?? []) socket.write(Uint8Array.of(byte));
          if (vector.end === true) socket.end();
        });
        const before = scripted.requests();
        const reply = await scripted.ask(vector.operation ?? 'Ping', { dialect });
        expectAnswer(t, reply, answer, dialect, name);
        t.equal(scripted.requests(), before + 1, `${name}: asked once`);
        if (vector.secret === undefined) continue;
        const told =
          [...reply.headers].map(([key, value]) => `${key}: ${value}`).join('\n') + reply.body;
        t.notOk(told.includes(vector.secret), `${name}: nothing of it is told`);
      }
      // The next answer comes on a connection that nobody has spoken on.
      for (const socket of scripted.backend.sockets) socket.destroy();
    }
  }
});

testConnections(rows);
testFaults(rows);
testRest(rows);

t.test('the part is complete', async (t) => rows.assertComplete(t));
