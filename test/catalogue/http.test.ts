import t from 'tap';
import { WITH_OPENSSL } from '../kit/certificates.js';
import {
  forwardedFor,
  lyingBodies,
  manyConnections,
  noRetry,
  pipelined,
  resets,
  unread,
} from './http-connections.js';
import { startEndpoints } from './http-endpoints.js';
import { runHeads } from './http-heads.js';
import { deadConnections, slowBackend, slowBodies, slowHeads, slowReaders } from './http-paces.js';
import { brokenReplies, departures, earlyAnswers, hopByHop, invitations } from './http-plain.js';
import { fewDescriptors, strictDespiteFlags, verifiedDespiteEnvironment } from './http-process.js';
import { Rows } from './rows.js';

/** Groups H and F of the catalogue: what is wrong around a message, over real sockets. */

const rows = new Rows('http');

t.test('heads, at every endpoint', async (t) => {
  await runHeads(t, await startEndpoints(t), rows);
});

t.test('H19: slow heads', (t) => slowHeads(t, rows));
t.test('H20: slow bodies', (t) => slowBodies(t, rows));
t.test('H20: a slow backend', (t) => slowBackend(t, rows));
t.test('H21: slow readers', (t) => slowReaders(t, rows));
t.test('H32: dead connections', (t) => deadConnections(t, rows));

t.test('H22: bodies that lie', (t) => lyingBodies(t, rows));
t.test('H24: requests ahead of their turn', (t) => pipelined(t, rows));
t.test('H25: unread bodies', (t) => unread(t, rows));
t.test('H26: many connections', (t) => manyConnections(t, rows));
t.test('H27: no descriptors left', (t) => fewDescriptors(t, rows));
t.test('H10: flags of the process', strictDespiteFlags);
t.test(
  'certificates are verified, whatever the environment says',
  WITH_OPENSSL,
  verifiedDespiteEnvironment,
);
t.test('H33: resets', (t) => resets(t, rows));
t.test('H34: spoofed addresses', (t) => forwardedFor(t, rows));
t.test('F02, F07: fields of one connection', (t) => hopByHop(t, rows));
t.test('F03: broken replies', (t) => brokenReplies(t, rows));
t.test('F04: callers that leave', (t) => departures(t, rows));
t.test('F05: early answers', (t) => earlyAnswers(t, rows));
t.test('F08: invitations', (t) => invitations(t, rows));
t.test('F09: no retries', (t) => noRetry(t, rows));

t.test('the table is done', async (t) => rows.assertComplete(t));
