import { DIALECTS } from '../../src/soap/dialect.js';
import { answerOf, envelope, http } from './upstream-kit.js';
import {
  type AnswerVector,
  CLOSES,
  chunks,
  fault,
  fine,
  long,
  MIB,
  own,
  PING,
  raw,
  USUAL,
  vectors,
} from './upstream-wire.js';

const ONCE = { dialects: ['1.1'] } as const;
const ONLY_12 = { dialects: ['1.2'] } as const;
const SECRET = { secret: 'secret' };
const ONE_WAY = { operation: 'NoteOrder', ...ONCE, secret: 'PingResponse' };
const GET_ORDER = { operation: 'GetOrder', ...ONCE };
const STRANGER = { ...GET_ORDER, secret: 'stranger' };
const XML_HEAD = ['HTTP/1.1 200 OK', 'Content-Type: text/xml'];
const IN_CHUNKS = [...XML_HEAD, 'Transfer-Encoding: chunked'];

/** What comes back from one answer on a connection of its own. */
export const ANSWERS: readonly AnswerVector[] = [
  ...vectors('S23', ONE_WAY, {
    'one-way answered with a body': () => http(envelope(PING)),
    'one-way answered with 200 and nothing': () => http(''),
    'one-way answered with 202 and HTML': () =>
      http('<html>', { 'Content-Type': 'text/html' }, '202 Accepted'),
  }),
  ...vectors('S23', GET_ORDER, {
    'two-way answered 202 empty': () => http('', {}, '202 Accepted'),
    'two-way answered 200 empty': () => http(''),
  }),
  ...vectors('S23', USUAL, {
    'answered 202 empty where no WSDL tells': () => http('', {}, '202 Accepted'),
  }),
  ...vectors('S24', ONCE, {
    'Fault of the sender with 200, 1.1': (dialect) => http(fault(dialect, 'Client')),
    'Fault with 503': (dialect) => http(fault(dialect, 'Client'), own(dialect), '503 Busy'),
  }),
  ...vectors('S24', ONLY_12, {
    'Fault of the sender with 200, 1.2': (dialect) => http(fault(dialect, 'Sender'), own(dialect)),
    'Fault of the receiver with 200, 1.2': (dialect) =>
      http(fault(dialect, 'Receiver'), own(dialect)),
    'Fault of the sender with 205, 1.2': (dialect) =>
      http(fault(dialect, 'Sender'), own(dialect), '205 Reset Content'),
    'Fault of the sender with 999, 1.2': (dialect) =>
      http(fault(dialect, 'Sender'), own(dialect), '999 Odd'),
  }),
  ...vectors(
    'S24',
    { dialects: ['2001-12'] },
    { 'Fault with 200, 2001-12': (dialect) => http(fault(dialect, 'Client'), own(dialect)) },
  ),
  ...vectors(
    'U01',
    { operation: 'GetOrder', dialects: ['1.1', '1.2'], secret: 'DropOrder' },
    {
      'reply of another operation': (dialect) =>
        http(envelope(answerOf('DropOrder'), dialect), own(dialect)),
    },
  ),
  ...vectors('U01', STRANGER, {
    'reply of no operation': () => http(envelope('<a xmlns="urn:stranger"/>')),
    'reply of this operation in another namespace': () =>
      http(envelope('<GetOrderResponse xmlns="urn:stranger"/>')),
  }),
  ...vectors('U01', GET_ORDER, {
    'reply of this operation': () => http(envelope(answerOf('GetOrder'))),
  }),
  ...vectors('U06', USUAL, { 'never answers': () => () => {} }),
  ...vectors('U07', USUAL, {
    'head, then nothing': (dialect) => (socket) => socket.write(fine(dialect).subarray(0, -9)),
    'one byte now and then': () => (socket) => {
      socket.write(http('', { 'Content-Length': '100000' }));
      const timer = setInterval(() => socket.write(' '), 20);
      socket.once('close', () => clearInterval(timer));
    },
  }),
  ...vectors('U08', USUAL, { 'closes without an answer': () => (socket) => socket.end() }),
  ...vectors('U09', USUAL, {
    'reset inside the window': (dialect) => (socket) => {
      socket.write(fine(dialect).subarray(0, -9), () =>
        setImmediate(() => socket.resetAndDestroy()),
      );
    },
    'reset inside a long answer': (dialect) => (socket) => {
      const answer = http(long(dialect, MIB), own(dialect));
      socket.write(answer.subarray(0, 300_000), () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      );
    },
  }),
  ...vectors('U10', CLOSES, {
    'shorter than its length': (dialect) => fine(dialect).subarray(0, -9),
    'no last chunk': (dialect) => raw(IN_CHUNKS, chunks(envelope(PING, dialect))),
    'ends with the connection, in the middle': (dialect) =>
      raw(['HTTP/1.0 200 OK', 'Content-Type: text/xml'], envelope(PING, dialect).slice(0, -4)),
    'ends with the connection': (dialect) =>
      raw(
        ['HTTP/1.0 200 OK', `Content-Type: ${DIALECTS[dialect].mediaType}`],
        envelope(PING, dialect),
      ),
    'long, shorter than its length': (dialect) => (socket) =>
      socket.end(http(long(dialect, MIB), own(dialect)).subarray(0, 300_000)),
  }),
  ...vectors('U11', SECRET, {
    'longer than its length': (dialect) => Buffer.concat([fine(dialect), Buffer.from('<secret/>')]),
    'two answers': (dialect) =>
      Buffer.concat([fine(dialect), http(envelope('<secret/>', dialect))]),
  }),
  ...vectors('U12', SECRET, {
    'length and chunks': () =>
      raw([...XML_HEAD, 'Content-Length: 5', 'Transfer-Encoding: chunked'], chunks('secret')),
    'two lengths': () =>
      raw(['HTTP/1.1 200 OK', 'Content-Length: 6', 'Content-Length: 7'], 'secret!'),
    'two equal lengths': () =>
      raw(['HTTP/1.1 200 OK', 'Content-Length: 6', 'Content-Length: 6'], 'secret'),
    'length that is none': () => raw(['HTTP/1.1 200 OK', 'Content-Length: +6'], 'secret'),
    'bare line feeds': () => 'HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: 6\n\nsecret',
    'folded field': () => raw([...XML_HEAD, 'X-A: a', ' X-B: b', 'Content-Length: 6'], 'secret'),
    'carriage return in a value': () =>
      raw(['HTTP/1.1 200 OK', 'X-A: a\rContent-Length: 3', 'Content-Length: 6'], 'secret'),
    'blank before the colon': () => raw(['HTTP/1.1 200 OK', 'Content-Length : 6'], 'secret'),
    'NUL in a value': () => raw(['HTTP/1.1 200 OK', 'X-A: a\0b', 'Content-Length: 6'], 'secret'),
    'HTTP/2.0 in the status line': () => raw(['HTTP/2.0 200 OK', 'Content-Length: 6'], 'secret'),
    'no HTTP at all': () => 'secret',
    'blank behind a chunk size': (dialect) =>
      raw(IN_CHUNKS, `${chunks(envelope(PING, dialect)).replace('\r\n', '  \r\n')}0   \r\n\r\n`),
    'blank before a chunk size': (dialect) =>
      raw(IN_CHUNKS, ` ${chunks(envelope(PING, dialect))}0\r\n\r\n`),
    'digits behind a blank in a chunk size': (dialect) =>
      raw(IN_CHUNKS, `${chunks(envelope(PING, dialect)).replace('\r\n', ' 1\r\n')}0\r\n\r\n`),
    'tab behind a chunk size': (dialect) =>
      raw(IN_CHUNKS, `${chunks(envelope(PING, dialect)).replace('\r\n', '\t\r\n')}0\r\n\r\n`),
    'chunk size that ends with a line feed': (dialect) =>
      raw(IN_CHUNKS, `${chunks(envelope(PING, dialect)).replace('\r\n', ' \n')}0\r\n\r\n`),
    'chunk size with an overflow': () => raw(IN_CHUNKS, 'fffffffffffffffff\r\nsecret'),
    'chunks of another coding': (dialect) =>
      raw(
        [...XML_HEAD, 'Transfer-Encoding: gzip, chunked'],
        `${chunks(envelope(PING, dialect))}0\r\n\r\n`,
      ),
  }),
  ...vectors('U12', CLOSES, {
    'another coding than chunks': (dialect) =>
      raw([...XML_HEAD, 'Transfer-Encoding: xchunked'], envelope(PING, dialect)),
  }),
];
