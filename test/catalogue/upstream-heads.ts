import { DIALECTS } from '../../src/soap/dialect.js';
import { answerOf, envelope, http } from './upstream-kit.js';
import { type AnswerVector, chunks, fine, interim, long, MIB, own, PING, raw } from './upstream-wire.js';

/** Heads of answers, what is no envelope, limits, and what callers must not see. */
export const HEADS: readonly AnswerVector[] = [
  {
    row: 'U13',
    case: '101 fields',
    answer: () => http(envelope(PING), Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`X-${i}`, 'a']))),
  },
  {
    row: 'U13',
    case: '100 fields',
    answer: (dialect) =>
      http(envelope(PING, dialect), {
        ...own(dialect),
        ...Object.fromEntries(Array.from({ length: 98 }, (_, i) => [`X-${i}`, 'a'])),
      }),
  },
  { row: 'U13', case: 'head over 16 KiB', answer: () => http(envelope(PING), { 'X-A': 'a'.repeat(16 * 1024) }) },
  { row: 'U13', case: '11 interim answers', answer: interim(11, '100 Continue') },
  { row: 'U13', case: '10 interim answers', answer: interim(10, '100 Continue') },
  { row: 'U13', case: 'one 100 Continue nobody asked for', answer: interim(1, '100 Continue') },
  {
    row: 'U13',
    case: '102 and 103',
    answer: (dialect) =>
      Buffer.concat([
        Buffer.from('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
        fine(dialect),
      ]),
  },
  {
    row: 'U13',
    case: '101 nobody asked for',
    answer: () => raw(['HTTP/1.1 101 Switching Protocols', 'Upgrade: h2c', 'Connection: Upgrade']),
  },
  {
    row: 'U13',
    case: 'interim answer without end',
    answer: () => `HTTP/1.1 103 Early Hints\r\n${'X-A: aaaaaaaaaaaaaaa\r\n'.repeat(1000)}`,
  },
  {
    row: 'U14',
    case: '200 text/html',
    answer: () => http('<html>secret</html>', { 'Content-Type': 'text/html' }),
    secret: 'secret',
  },
  { row: 'U14', case: '200 HTML as XML', answer: () => http('<html>secret</html>'), secret: 'secret' },
  {
    row: 'U14',
    case: '502 HTML page',
    answer: () => http('<html>secret</html>', { 'Content-Type': 'text/html' }, '502 Bad Gateway'),
    secret: 'secret',
  },
  {
    row: 'U14',
    case: '500 text/plain',
    answer: () => http('A server error occurred, secret', { 'Content-Type': 'text/plain' }, '500 Oops'),
    secret: 'secret',
  },
  {
    row: 'U14',
    case: 'JSON',
    answer: () => http('{"secret":1}', { 'Content-Type': 'application/json' }),
    secret: 'secret',
  },
  { row: 'U14', case: 'empty 200', answer: () => http('') },
  { row: 'U14', case: 'empty 200 without a type', answer: () => http('', { 'Content-Type': null }) },
  { row: 'U14', case: 'blank 200', answer: () => http('\n\n') },
  {
    row: 'U14',
    case: 'notice of PHP before the envelope',
    answer: (dialect) => http(`<br /><b>Notice</b>: secret\n${envelope(PING, dialect)}`),
    secret: 'secret',
  },
  ...[
    '205 Reset Content',
    '206 Partial Content',
    '299 Odd',
    '404 Not Found',
    '413 Too Large',
    '500 Oops',
    '503 Busy',
    '999 Odd',
  ].map(
    (status): AnswerVector => ({
      row: 'U14',
      case: `result with ${status.slice(0, 3)}`,
      answer: (dialect) => http(envelope(PING, dialect), own(dialect), status),
      secret: 'PingResponse',
    }),
  ),
  ...['201 Created', '202 Accepted', '203 Non-Authoritative Information'].map(
    (status): AnswerVector => ({
      row: 'U14',
      case: `result with ${status.slice(0, 3)}`,
      answer: (dialect) => http(envelope(PING, dialect), own(dialect), status),
    }),
  ),
  {
    row: 'U14',
    case: 'result of an operation with 500',
    operation: 'GetOrder',
    dialects: ['1.1'],
    answer: (dialect) => http(envelope(answerOf('GetOrder'), dialect), own(dialect), '500 Oops'),
    secret: 'GetOrderResponse',
  },
  { row: 'U15', case: 'malformed XML', answer: () => http(`${envelope(PING).slice(0, -3)}`) },
  { row: 'U15', case: 'DTD', answer: () => http(`<!DOCTYPE a>${envelope(PING)}`) },
  {
    row: 'U15',
    case: 'depth 101',
    answer: (dialect) => http(envelope(`${'<a>'.repeat(99)}${'</a>'.repeat(99)}`, dialect), own(dialect)),
  },
  {
    row: 'U15',
    case: 'depth 100',
    answer: (dialect) => http(envelope(`${'<a>'.repeat(98)}${'</a>'.repeat(98)}`, dialect), own(dialect)),
  },
  {
    row: 'U18',
    case: 'long answer over the limit',
    answer: (dialect) => (socket) => socket.write(http(long(dialect, 3 * MIB), own(dialect))),
  },
  {
    row: 'U18',
    case: 'head without end',
    answer: (dialect) => http(envelope(PING, dialect, `<h xmlns="urn:h">${'a'.repeat(300_000)}</h>`), own(dialect)),
  },
  ...['301 Moved', '302 Found', '303 See Other', '307 Temporary Redirect', '308 Permanent Redirect'].map(
    (status): AnswerVector => ({
      row: 'U19',
      case: status.slice(0, 3),
      answer: () => http(envelope(PING), { Location: 'http://169.254.169.254/secret' }, status),
      secret: '169.254',
    }),
  ),
  {
    row: 'U21',
    case: '401',
    answer: () => http(envelope(PING), { 'WWW-Authenticate': 'Basic realm="secret"' }, '401 Unauthorized'),
    secret: 'secret',
  },
  {
    row: 'U21',
    case: '407',
    answer: () => http('', { 'Proxy-Authenticate': 'Basic realm="secret"' }, '407 Proxy Authentication Required'),
    secret: 'secret',
  },
  {
    row: 'U22',
    case: '503',
    answer: () => http('<html>busy</html>', { 'Content-Type': 'text/html' }, '503 Busy'),
    secret: 'busy',
  },
  {
    row: 'U28',
    case: 'content type that is no text',
    answer: (dialect) => http(envelope(PING, dialect), { 'Content-Type': 'text/xml; a="\x7f"' }),
  },
  {
    row: 'U28',
    case: 'odd but real heads',
    answer: (dialect) =>
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
    secret: '75',
  },
];
