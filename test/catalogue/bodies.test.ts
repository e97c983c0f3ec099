import t from 'tap';

import { chunked, post } from '../kit/raw-client.js';
import { CODING_VECTORS, longPackage, NO_ATTACHMENTS_VECTORS, PACKAGE_VECTORS, packageType } from './bodies-vectors.js';
import { expectAnswer } from './expect.js';
import { runMessages, sendPieces, startPerimeter } from './messages.js';
import { Rows } from './rows.js';

/** Group S, the packages of parts, and what is coded on its way in and out. */
const rows = new Rows('bodies');

t.test('packages of parts', async (t) => {
  await runMessages(t, await startPerimeter(t), rows, PACKAGE_VECTORS);
});

t.test('packages that are too long', async (t) => {
  const { gateway, backend } = await startPerimeter(t, '', 'limits:\n  xml:\n    messageBytes: 1MiB\n');
  const answer = rows.answer('S21', 'package longer than a message may be');
  for (const [dialect, path] of [
    ['1.1', '/soap/s11'],
    ['1.2', '/soap/s12'],
  ] as const) {
    // What announces its length is refused for that.
    const head = { 'Content-Length': null, 'Transfer-Encoding': 'chunked' };
    const pieces = [post(path, packageType(dialect), '', head), chunked(longPackage(dialect))];
    expectAnswer(t, await sendPieces(gateway.url, pieces), answer, dialect, dialect);
    t.equal(backend.complete.length, 0);
  }
});

t.test('packages where none are wanted', async (t) => {
  await runMessages(t, await startPerimeter(t, '    attachments: false\n'), rows, NO_ATTACHMENTS_VECTORS);
});

t.test('content codings', async (t) => {
  // The long messages are compressed in this very process, which then comes late to its work.
  const perimeter = await startPerimeter(t, '', 'limits:\n  overload:\n    eventLoopMillis: 0\n');
  await runMessages(t, perimeter, rows, CODING_VECTORS);
});
