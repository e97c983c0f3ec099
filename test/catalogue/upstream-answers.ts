import { DIALECTS } from '../../src/soap/dialect.js';
import { answerOf, envelope, http } from './upstream-kit.js';
import { type AnswerVector, chunks, fault, fine, long, MIB, own, PING, raw } from './upstream-wire.js';

const once = ['1.1'] as const;

/** What comes back from one answer on a connection of its own. */
export const ANSWERS: readonly AnswerVector[] = [
  {
    row: 'S23',
    case: 'one-way answered with a body',
    operation: 'NoteOrder',
    dialects: once,
    answer: () => http(envelope(PING)),
    secret: 'PingResponse',
  },
  {
    row: 'S23',
    case: 'one-way answered with 200 and nothing',
    operation: 'NoteOrder',
    dialects: once,
    answer: () => http(''),
  },
  {
    row: 'S23',
    case: 'one-way answered with 202 and HTML',
    operation: 'NoteOrder',
    dialects: once,
    answer: () => http('<html>', { 'Content-Type': 'text/html' }, '202 Accepted'),
  },
  {
    row: 'S23',
    case: 'two-way answered 202 empty',
    operation: 'GetOrder',
    dialects: once,
    answer: () => http('', {}, '202 Accepted'),
  },
  { row: 'S23', case: 'two-way answered 200 empty', operation: 'GetOrder', dialects: once, answer: () => http('') },
  { row: 'S23', case: 'answered 202 empty where no WSDL tells', answer: () => http('', {}, '202 Accepted') },
  {
    row: 'S24',
    case: 'Fault of the sender with 200, 1.1',
    dialects: once,
    answer: (dialect) => http(fault(dialect, 'Client')),
  },
  {
    row: 'S24',
    case: 'Fault of the sender with 200, 1.2',
    dialects: ['1.2'],
    answer: (dialect) => http(fault(dialect, 'Sender'), own(dialect)),
  },
  {
    row: 'S24',
    case: 'Fault of the receiver with 200, 1.2',
    dialects: ['1.2'],
    answer: (dialect) => http(fault(dialect, 'Receiver'), own(dialect)),
  },
  {
    row: 'S24',
    case: 'Fault with 200, 2001-12',
    dialects: ['2001-12'],
    answer: (dialect) => http(fault(dialect, 'Client'), own(dialect)),
  },
  ...['205 Reset Content', '999 Odd'].map(
    (status): AnswerVector => ({
      row: 'S24',
      case: `Fault of the sender with ${status.slice(0, 3)}, 1.2`,
      dialects: ['1.2'],
      answer: (dialect) => http(fault(dialect, 'Sender'), own(dialect), status),
    }),
  ),
  {
    row: 'S24',
    case: 'Fault with 503',
    dialects: once,
    answer: (dialect) => http(fault(dialect, 'Client'), own(dialect), '503 Busy'),
  },
  {
    row: 'U01',
    case: 'reply of another operation',
    operation: 'GetOrder',
    dialects: ['1.1', '1.2'],
    answer: (dialect) => http(envelope(answerOf('DropOrder'), dialect), own(dialect)),
    secret: 'DropOrder',
  },
  {
    row: 'U01',
    case: 'reply of no operation',
    operation: 'GetOrder',
    dialects: once,
    answer: () => http(envelope('<a xmlns="urn:stranger"/>')),
    secret: 'stranger',
  },
  {
    row: 'U01',
    case: 'reply of this operation in another namespace',
    operation: 'GetOrder',
    dialects: once,
    answer: () => http(envelope('<GetOrderResponse xmlns="urn:stranger"/>')),
    secret: 'stranger',
  },
  {
    row: 'U01',
    case: 'reply of this operation',
    operation: 'GetOrder',
    dialects: once,
    answer: () => http(envelope(answerOf('GetOrder'))),
  },
  { row: 'U06', case: 'never answers', answer: () => () => {} },
  {
    row: 'U07',
    case: 'head, then nothing',
    answer: (dialect) => (socket) => socket.write(fine(dialect).subarray(0, -9)),
  },
  {
    row: 'U07',
    case: 'one byte now and then',
    answer: () => (socket) => {
      socket.write(http('', { 'Content-Length': '100000' }));
      const timer = setInterval(() => socket.write(' '), 20);
      socket.once('close', () => clearInterval(timer));
    },
  },
  { row: 'U08', case: 'closes without an answer', answer: () => (socket) => socket.end() },
  {
    row: 'U09',
    case: 'reset inside the window',
    answer: (dialect) => (socket) => {
      socket.write(fine(dialect).subarray(0, -9), () => setImmediate(() => socket.resetAndDestroy()));
    },
  },
  {
    row: 'U09',
    case: 'reset inside a long answer',
    answer: (dialect) => (socket) => {
      const answer = http(long(dialect, MIB), own(dialect));
      socket.write(answer.subarray(0, 300_000), () => setTimeout(() => socket.resetAndDestroy(), 50));
    },
  },
  { row: 'U10', case: 'shorter than its length', answer: (dialect) => fine(dialect).subarray(0, -9), end: true },
  {
    row: 'U10',
    case: 'no last chunk',
    answer: (dialect) =>
      raw(['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'Transfer-Encoding: chunked'], chunks(envelope(PING, dialect))),
    end: true,
  },
  {
    row: 'U10',
    case: 'long, shorter than its length',
    answer: (dialect) => (socket) => socket.end(http(long(dialect, MIB), own(dialect)).subarray(0, 300_000)),
  },
  {
    row: 'U10',
    case: 'ends with the connection, in the middle',
    answer: (dialect) => raw(['HTTP/1.0 200 OK', 'Content-Type: text/xml'], envelope(PING, dialect).slice(0, -4)),
    end: true,
  },
  {
    row: 'U10',
    case: 'ends with the connection',
    answer: (dialect) =>
      raw(['HTTP/1.0 200 OK', `Content-Type: ${DIALECTS[dialect].mediaType}`], envelope(PING, dialect)),
    end: true,
  },
  {
    row: 'U11',
    case: 'longer than its length',
    answer: (dialect) => Buffer.concat([fine(dialect), Buffer.from('<secret/>')]),
    secret: 'secret',
  },
  {
    row: 'U11',
    case: 'two answers',
    answer: (dialect) => Buffer.concat([fine(dialect), http(envelope('<secret/>', dialect))]),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'length and chunks',
    answer: () =>
      raw(
        ['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
        chunks('secret'),
      ),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'two lengths',
    answer: () => raw(['HTTP/1.1 200 OK', 'Content-Length: 6', 'Content-Length: 7'], 'secret!'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'two equal lengths',
    answer: () => raw(['HTTP/1.1 200 OK', 'Content-Length: 6', 'Content-Length: 6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'length that is none',
    answer: () => raw(['HTTP/1.1 200 OK', 'Content-Length: +6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'chunks of another coding',
    answer: (dialect) =>
      raw(
        ['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'Transfer-Encoding: gzip, chunked'],
        `${chunks(envelope(PING, dialect))}0\r\n\r\n`,
      ),
  },
  {
    row: 'U12',
    case: 'another coding than chunks',
    answer: (dialect) =>
      raw(['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'Transfer-Encoding: xchunked'], envelope(PING, dialect)),
    end: true,
  },
  {
    row: 'U12',
    case: 'bare line feeds',
    answer: () => 'HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: 6\n\nsecret',
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'folded field',
    answer: () =>
      raw(['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'X-A: a', ' X-B: b', 'Content-Length: 6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'carriage return in a value',
    answer: () => raw(['HTTP/1.1 200 OK', 'X-A: a\rContent-Length: 3', 'Content-Length: 6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'blank before the colon',
    answer: () => raw(['HTTP/1.1 200 OK', 'Content-Length : 6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'NUL in a value',
    answer: () => raw(['HTTP/1.1 200 OK', 'X-A: a\0b', 'Content-Length: 6'], 'secret'),
    secret: 'secret',
  },
  {
    row: 'U12',
    case: 'HTTP/2.0 in the status line',
    answer: () => raw(['HTTP/2.0 200 OK', 'Content-Length: 6'], 'secret'),
    secret: 'secret',
  },
  { row: 'U12', case: 'no HTTP at all', answer: () => 'secret', secret: 'secret' },
  {
    row: 'U12',
    case: 'chunk size with an overflow',
    answer: () =>
      raw(['HTTP/1.1 200 OK', 'Content-Type: text/xml', 'Transfer-Encoding: chunked'], 'fffffffffffffffff\r\nsecret'),
    secret: 'secret',
  },
];
