import { DIALECTS } from '../../src/soap/dialect.js';
import { answerOf, envelope, http } from './upstream-kit.js';
import {
  type AnswerVector,
  chunks,
  fine,
  interim,
  long,
  MIB,
  own,
  PING,
  raw,
  USUAL,
  vectors,
} from './upstream-wire.js';

const SECRET = { secret: 'secret' };
const HTML = { 'Content-Type': 'text/html' };

/** So many header fields. */
const fields = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'a']));

/** One case for each status, named by its number behind `name`. */
const statuses = (
  name: string,
  lines: readonly string[],
  answer: (status: string) => AnswerVector['answer'],
) => Object.fromEntries(lines.map((status) => [name + status.slice(0, 3), answer(status)]));

/** The reply of the operation, with this status. */
const result =
  (status: string): AnswerVector['answer'] =>
  (dialect) =>
    http(envelope(PING, dialect), own(dialect), status);

const NO_RESULT = [
  '205 Reset Content',
  '206 Partial Content',
  '299 Odd',
  '404 Not Found',
  '413 Too Large',
  '500 Oops',
  '503 Busy',
  '999 Odd',
];
const RESULT = ['201 Created', '202 Accepted', '203 Non-Authoritative Information'];
const REDIRECTS = [
  '301 Moved',
  '302 Found',
  '303 See Other',
  '307 Temporary Redirect',
  '308 Permanent Redirect',
];

/** Heads of answers, what is no envelope, limits, and what callers must not see. */
export const HEADS: readonly AnswerVector[] = [
  ...vectors('U13', USUAL, {
    '101 fields': () => http(envelope(PING), fields(99)),
    '100 fields': (dialect) => http(envelope(PING, dialect), { ...own(dialect), ...fields(98) }),
    'head over 16 KiB': () => http(envelope(PING), { 'X-A': 'a'.repeat(16 * 1024) }),
    '11 interim answers': interim(11, '100 Continue'),
    '10 interim answers': interim(10, '100 Continue'),
    'one 100 Continue nobody asked for': interim(1, '100 Continue'),
    '102 and 103': (dialect) =>
      Buffer.concat([
        Buffer.from(
          'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
        ),
        fine(dialect),
      ]),
    '101 nobody asked for': () =>
      raw(['HTTP/1.1 101 Switching Protocols', 'Upgrade: h2c', 'Connection: Upgrade']),
    'interim answer without end': () =>
      `HTTP/1.1 103 Early Hints\r\n${'X-A: aaaaaaaaaaaaaaa\r\n'.repeat(1000)}`,
  }),
  ...vectors('U14', SECRET, {
    '200 text/html': () => http('<html>secret</html>', HTML),
    '200 HTML as XML': () => http('<html>secret</html>'),
    '502 HTML page': () => http('<html>secret</html>', HTML, '502 Bad Gateway'),
    '500 text/plain': () =>
      http('A server error occurred, secret', { 'Content-Type': 'text/plain' }, '500 Oops'),
    JSON: () => http('{"secret":1}', { 'Content-Type': 'application/json' }),
    'empty 200': () => http(''),
    'empty 200 without a type': () => http('', { 'Content-Type': null }),
    'blank 200': () => http('\n\n'),
    'notice of PHP before the envelope': (dialect) =>
      http(`<br /><b>Notice</b>: secret\n${envelope(PING, dialect)}`),
  }),
  ...vectors('U14', { secret: 'PingResponse' }, statuses('result with ', NO_RESULT, result)),
  ...vectors('U14', USUAL, statuses('result with ', RESULT, result)),
  ...vectors(
    'U14',
    { operation: 'GetOrder', dialects: ['1.1'], secret: 'GetOrderResponse' },
    {
      'result of an operation with 500': (dialect) =>
        http(envelope(answerOf('GetOrder'), dialect), own(dialect), '500 Oops'),
    },
  ),
  ...vectors('U15', USUAL, {
    'malformed XML': () => http(`${envelope(PING).slice(0, -3)}`),
    DTD: () => http(`<!DOCTYPE a>${envelope(PING)}`),
    'depth 101': (dialect) =>
      http(envelope('<a>'.repeat(99) + '</a>'.repeat(99), dialect), own(dialect)),
    'depth 100': (dialect) =>
      http(envelope('<a>'.repeat(98) + '</a>'.repeat(98), dialect), own(dialect)),
  }),
  ...vectors('U18', USUAL, {
    'long answer over the limit': (dialect) => (socket) =>
      socket.write(http(long(dialect, 3 * MIB), own(dialect))),
    'head without end': (dialect) =>
      http(envelope(PING, dialect, `<h xmlns="urn:h">${'a'.repeat(300_000)}</h>`), own(dialect)),
  }),
  ...vectors(
    'U19',
    { secret: '169.254' },
    statuses('', REDIRECTS, (status) => () => {
      return http(envelope(PING), { Location: 'http://169.254.169.254/secret' }, status);
    }),
  ),
  ...vectors(
    'U19',
    { secret: 'PingResponse' },
    {
      '302 without an address': (dialect) =>
        http(envelope(PING, dialect), own(dialect), '302 Found'),
      '302 without an address, a page': () =>
        http('<html>PingResponse</html>', { 'Content-Type': 'text/html' }, '302 Found'),
      '304 with content': (dialect) =>
        http(envelope(PING, dialect), own(dialect), '304 Not Modified'),
    },
  ),
  // The caller's own credentials are refused: the challenge is for the caller, the content is not.
  ...vectors(
    'U21',
    { secret: 'PingResponse' },
    {
      '401': () =>
        http(envelope(PING), { 'WWW-Authenticate': 'Basic realm="desk"' }, '401 Unauthorized'),
    },
  ),
  ...vectors('U21', SECRET, {
    '407': () =>
      http(
        '',
        { 'Proxy-Authenticate': 'Basic realm="secret"' },
        '407 Proxy Authentication Required',
      ),
  }),
  ...vectors(
    'U22',
    { secret: 'busy' },
    { '503': () => http('<html>busy</html>', HTML, '503 Busy') },
  ),
  ...vectors('U28', USUAL, {
    'content type that is no text': (dialect) =>
      http(envelope(PING, dialect), { 'Content-Type': 'text/xml; a="\x7f"' }),
  }),
  ...vectors(
    'U28',
    { secret: '75' },
    {
      'odd but real heads': (dialect) =>
        raw(
          [
            'HTTP/1.1 200 ',
            'Set-Cookie: 75',
            'Set-Cookie2: 75',
            'Connection: close',
            'Connection: close',
            `Content-type: ${DIALECTS[dialect].mediaType}`,
            'Transfer-encoding: chunked',
            'Host: a',
            'Trailer: X',
          ],
          `${chunks(envelope(PING, dialect))}0\r\n\r\n`,
        ),
    },
  ),
];
