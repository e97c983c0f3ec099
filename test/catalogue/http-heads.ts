import type { Test } from 'tap';

import { chunked, RawClient } from '../kit/raw-client.js';
import { expectAnswer } from './expect.js';
import { ENVELOPE, GRAPHQL, PLAIN, SOAP } from './http-endpoints.js';
import type { Perimeter } from './messages.js';
import type { Rows } from './rows.js';

/** What is sent to a endpoint, in bytes. */
export interface HeadVector {
  readonly row: string;
  readonly case: string;
  readonly bytes: (path: string) => Buffer | string;
  /** SOAP, plain and GraphQL unless given. */
  readonly endpoints?: readonly string[];
}

const LENGTH = `Content-Length: ${ENVELOPE.length}`;
const TYPE = 'Content-Type: text/xml';

const head = (fields: readonly string[], method = 'POST', version = ' HTTP/1.1') => {
  const lines = fields.map((field) => `${field}\r\n`).join('');
  return (path: string): string => `${method} ${path}${version}\r\n${lines}\r\n`;
};

/** A POST of an envelope, with further fields. */
const post =
  (...fields: readonly string[]) =>
  (path: string): string =>
    head(['Host: a', TYPE, LENGTH, ...fields])(path) + ENVELOPE;

const withLengths =
  (...lengths: readonly string[]) =>
  (path: string): string =>
    head(['Host: a', TYPE, ...lengths])(path) + ENVELOPE;

const inChunks =
  (codings: readonly string[], version = ' HTTP/1.1', body: Buffer | string = chunked(ENVELOPE)) =>
  (path: string): string =>
    head(['Host: a', TYPE, ...codings], 'POST', version)(path) + body.toString('latin1');

const get =
  (...fields: readonly string[]) =>
  (path: string): string =>
    head(['Host: a', ...fields], 'GET')(path);

/** In place of the path of the endpoint, for what is wrong with the target. */
const target = (made: (path: string) => string) => (path: string) =>
  Buffer.from(get()(made(path)), 'latin1');

const CHUNKED = 'Transfer-Encoding: chunked';

const vector = (
  row: string,
  endpoints: readonly string[] | null,
  cases: Readonly<Record<string, HeadVector['bytes']>>,
) =>
  Object.entries(cases).map(
    ([name, bytes]): HeadVector => ({
      row,
      case: name,
      bytes,
      ...(endpoints === null ? {} : { endpoints }),
    }),
  );

export const HEAD_VECTORS: readonly HeadVector[] = [
  ...vector('H01', null, {
    'Content-Length before Transfer-Encoding': inChunks([LENGTH, CHUNKED]),
    'Transfer-Encoding before Content-Length': inChunks([CHUNKED, LENGTH]),
    'a length in the chunks': inChunks(['Content-Length: 0', CHUNKED]),
  }),
  ...vector('H02', null, {
    'twice the same': withLengths(LENGTH, LENGTH),
    'twice, different': withLengths(LENGTH, 'Content-Length: 1'),
    'a list': withLengths(`${LENGTH}, ${ENVELOPE.length}`),
    'with a plus': withLengths(`Content-Length: +${ENVELOPE.length}`),
    'with a minus': withLengths('Content-Length: -1'),
    hexadecimal: withLengths(`Content-Length: 0x${ENVELOPE.length.toString(16)}`),
    'blank inside': withLengths('Content-Length: 1 0'),
    'larger than any number': withLengths('Content-Length: 99999999999999999999'),
    empty: withLengths('Content-Length: '),
  }),
  ...vector('H03', null, {
    'gzip before chunked': inChunks(['Transfer-Encoding: gzip, chunked']),
    'x-chunked': inChunks(['Transfer-Encoding: x-chunked']),
    'chunked before identity': inChunks(['Transfer-Encoding: chunked, identity']),
    'chunked twice': inChunks(['Transfer-Encoding: chunked, chunked']),
    'chunked in two fields': inChunks([CHUNKED, CHUNKED]),
    'gzip and chunked in two fields': inChunks(['Transfer-Encoding: gzip', CHUNKED]),
    'chunked with a tab before it': inChunks(['Transfer-Encoding:\t\u000bchunked']),
  }),
  ...vector('H03', [SOAP, PLAIN], { 'in capitals': inChunks(['Transfer-Encoding: CHUNKED']) }),
  ...vector('H04', null, { 'HTTP/1.0': inChunks([CHUNKED], ' HTTP/1.0') }),
  ...vector('H05', null, {
    '101 fields': get(...Array.from({ length: 100 }, (_, index) => `a${index}: b`)),
    'a framing field behind 1,100': head(
      ['Host: a', ...Array.from({ length: 1100 }, () => 'a:b'), LENGTH],
      'GET',
    ),
    'longer than 16 KiB': get(`a: ${'b'.repeat(17_000)}`),
  }),
  ...vector('H06', null, {
    'no Host': head([TYPE, LENGTH]),
    'empty Host': head(['Host: ', TYPE, LENGTH]),
    'two Hosts': post('Host: b'),
    'the same Host twice': post('host: a'),
    'a Host that is none': head(['Host: a/b', TYPE, LENGTH]),
    'a Host with a user': head(['Host: u@a', TYPE, LENGTH]),
    'absolute form of another host': head(['Host: b'], 'GET', ' HTTP/1.1').bind(
      null,
      'http://a/soap/s11',
    ),
  }),
  ...vector('H07', null, {
    'HTTP/0.9': head(['Host: a'], 'GET', ''),
    'HTTP/0.9 as a version': head(['Host: a'], 'GET', ' HTTP/0.9'),
    'HTTP/2.0': head(['Host: a'], 'GET', ' HTTP/2.0'),
    'HTTP/1.2': head(['Host: a'], 'GET', ' HTTP/1.2'),
    'HTTP/3.0': head(['Host: a'], 'GET', ' HTTP/3.0'),
    'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  }),
  ...vector('H08', [SOAP, PLAIN], {
    'a short extension': inChunks([CHUNKED], ' HTTP/1.1', extended(';name=value')),
  }),
  ...vector('H08', [SOAP, PLAIN], {
    '1 MB of extensions': inChunks([CHUNKED], ' HTTP/1.1', extended(`;a=${'b'.repeat(1_000_000)}`)),
    'a line feed in an extension': inChunks([CHUNKED], ' HTTP/1.1', extended(';a\nb')),
    'a broken size': inChunks([CHUNKED], ' HTTP/1.1', 'zz\r\n<a/>\r\n0\r\n\r\n'),
    'no end after a chunk': inChunks(
      [CHUNKED],
      ' HTTP/1.1',
      `${ENVELOPE.length.toString(16)}\r\n${ENVELOPE}xx0\r\n\r\n`,
    ),
    'a size beyond any number': inChunks(
      [CHUNKED],
      ' HTTP/1.1',
      'fffffffffffffffffff\r\n<a/>\r\n0\r\n\r\n',
    ),
  }),
  ...vector('H09', [SOAP, PLAIN], {
    Authorization: inChunks([CHUNKED], ' HTTP/1.1', trailed('Authorization: Basic YTpi\r\n')),
    announced: inChunks([CHUNKED, 'Trailer: X-Sum'], ' HTTP/1.1', trailed('X-Sum: 1\r\n')),
  }),
  ...vector('H09', [SOAP, PLAIN], {
    'Content-Length': inChunks([CHUNKED], ' HTTP/1.1', trailed('Content-Length: 5\r\n')),
    'longer than a head may be': inChunks(
      [CHUNKED],
      ' HTTP/1.1',
      trailed(`X-Sum: ${'1'.repeat(17_000)}\r\n`),
    ),
  }),
  ...vector('H10', null, {
    'a folded line': post('X-A: b\r\n c'),
    'a bare carriage return': post('X-A: b\rX-B: c'),
    'a bare line feed': post('X-A: b\nX-B: c'),
    NUL: post('X-A: b\u0000c'),
    'a blank before the colon': post('X-A : b'),
    'a blank before the name': head([' X-A: b', 'Host: a', TYPE, LENGTH]),
    'no name': post(': b'),
    'no colon': post('abc'),
    'lines that end with a line feed alone': (path) => post()(path).replaceAll('\r\n', '\n'),
  }),
  ...vector('H11', null, {
    'authorization and content-length': post('Connection: authorization, content-length'),
    host: post('Connection: close, Host'),
    'a field of tracing': post('Connection: keep-alive, traceparent'),
    soapaction: post('Connection: SOAPAction'),
  }),
  ...vector('H11', [SOAP, PLAIN], {
    'fields of the connection': post('Connection: keep-alive, X-Inner', 'X-Inner: 1'),
  }),
  ...vector('H12', null, {
    Content_Length: post('Content_Length: 1'),
    X_Forwarded_For: post('X_Forwarded_For: 1.2.3.4'),
    'Content-Length and Content_Type': post('Content_Type: text/html'),
  }),
  ...vector('H13', [SOAP, PLAIN], {
    'names of what every object has': post(
      'constructor: a',
      'toString: b',
      'hasOwnProperty: c',
      'valueOf: d',
    ),
  }),
  ...vector('H13', null, { 'the prototype': post('__proto__: a') }),
  ...vector('H14', null, {
    'two slashes': target((path) => path.replace('/', '//')),
    'two slashes inside': target((path) => `${path}//a`),
    'a dot': target((path) => `/.${path}`),
    'two dots': target((path) => `/a/..${path}`),
    'two dots with a parameter': target((path) => `/a/..;a=b${path}`),
    'encoded dots': target((path) => `/a/%2e%2E${path}`),
    'an encoded slash': target((path) => `${path}%2f`),
    'an encoded backslash': target((path) => `${path}%5c`),
    'an encoded NUL': target((path) => `${path}%00`),
    'encoded twice': target((path) => `/a/%252e%252e${path}`),
    'a percent sign alone': target((path) => `${path}%`),
    'a backslash': target((path) => `${path}\\a`),
    'a fragment': target((path) => `${path}#a`),
    'a fragment after the query': target((path) => `${path}?a#b`),
    'not ASCII': target((path) => `${path}/\u00e9`),
    'not ASCII in the query': target((path) => `${path}?\u00e9`),
    'an at sign': target((path) => `${path}@a`),
    'an authority': target((path) => `a@b${path}`),
    'a blank': target((path) => `${path} a`),
    'a control character': target((path) => `${path}\u0001`),
    'a DEL': target((path) => `${path}\u007f`),
    'an asterisk': target(() => '*'),
  }),
  ...vector('H14', [SOAP, GRAPHQL], {
    'capital letters': target((path) => path.toUpperCase()),
    'a slash after it': target((path) => `${path}/`),
    'something after it': target((path) => `${path}/a`),
    'an encoded letter': target((path) => path.replace('s', '%73').replace('g', '%67')),
    'an ignored parameter': target((path) => `${path};a=b`),
  }),
  ...vector('H15', [SOAP], {
    PUT: head(['Host: a', TYPE, 'Content-Length: 0'], 'PUT'),
    DELETE: head(['Host: a'], 'DELETE'),
    HEAD: head(['Host: a'], 'HEAD'),
    OPTIONS: head(['Host: a'], 'OPTIONS'),
    PATCH: head(['Host: a', 'Content-Length: 0'], 'PATCH'),
    PROPFIND: head(['Host: a'], 'PROPFIND'),
  }),
  ...vector('H15', null, {
    TRACE: head(['Host: a'], 'TRACE'),
    CONNECT: head(['Host: a'], 'CONNECT'),
  }),
  ...vector('H15', null, {
    'no known method': head(['Host: a'], 'WONDER'),
    'a method in small letters': head(['Host: a'], 'get'),
  }),
  ...vector('H16', [SOAP], {
    missing: head(['Host: a', 'Content-Length: 0']),
    'text/html': head(['Host: a', 'Content-Type: text/html', 'Content-Length: 0']),
    twice: post(TYPE),
    'twice, different': post('Content-Type: text/html'),
    'no type at all': head(['Host: a', 'Content-Type: ;', 'Content-Length: 0']),
  }),
  ...vector('H17', null, {
    'another expectation': post('Expect: x'),
    'two of them': post('Expect: 100-continue, x'),
    'twice the same': post('Expect: 100-continue', 'Expect: 100-continue'),
    'something before it': post('Expect: x 100-continue'),
    'something after it': post('Expect: 100-continue;a=b'),
    'a blank inside': post('Expect: 100- continue'),
    'in two fields': post('Expect: 100-continue', 'expect: x'),
    'of a head that is refused': post('Expect: 100-continue', 'Host: b'),
  }),
  ...vector('H18', [SOAP, PLAIN], {
    h2c: post(
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    ),
    websocket: post(
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: a',
      'Sec-WebSocket-Version: 13',
    ),
  }),
  ...vector('H30', null, { 'of 8 KiB and one byte': target((path) => path.padEnd(8193, 'a')) }),
  ...vector('H30', [PLAIN], { 'of 8 KiB': target((path) => path.padEnd(8192, 'a')) }),
  ...vector('H31', null, {
    'GET with a length': head(['Host: a', 'Content-Length: 3'], 'GET'),
    'GET in chunks': head(['Host: a', CHUNKED], 'GET'),
    'HEAD with a length': head(['Host: a', 'Content-Length: 3'], 'HEAD'),
    'GET with a request in its body': (path) =>
      head(['Host: a', 'Content-Length: 27'], 'GET')(path) + get()('/admin'),
  }),
  // A bare GET on the path of a service is answered with a page; with a query it is forwarded.
  ...vector('H31', [SOAP, PLAIN], {
    'GET with a length of 0': (path) => get('Content-Length: 0')(`${path}?id=1`),
  }),
  ...vector('F01', null, {
    'DELETE with a length': head(['Host: a', 'Content-Length: 3'], 'DELETE'),
    'DELETE in chunks': (path) =>
      head(['Host: a', CHUNKED], 'DELETE')(path) + chunked(get()('/admin')),
    'OPTIONS with a length': head(['Host: a', 'Content-Length: 3'], 'OPTIONS'),
    'OPTIONS in chunks': (path) =>
      head(['Host: a', CHUNKED], 'OPTIONS')(path) + chunked(get()('/admin')),
    'HEAD in chunks': (path) => head(['Host: a', CHUNKED], 'HEAD')(path) + chunked('a'),
  }),
  ...vector('F01', [PLAIN], {
    'DELETE without a body': head(['Host: a'], 'DELETE'),
    'POST in chunks': inChunks([CHUNKED]),
  }),
  ...vector('F06', [PLAIN], {
    'this host': head(['Host: a'], 'GET').bind(null, 'http://a/files/a'),
    'this host in capitals': head(['Host: a'], 'GET').bind(null, 'HTTP://A/files/a'),
    'another host': head(['Host: a'], 'GET').bind(null, 'http://b/files/a'),
    'another port': head(['Host: a'], 'GET').bind(null, 'http://a:81/files/a'),
    'with a user': head(['Host: a'], 'GET').bind(null, 'http://u@a/files/a'),
    'another scheme': head(['Host: a'], 'GET').bind(null, 'https://a/files/a'),
    'no host': head(['Host: a'], 'GET').bind(null, 'http:///files/a'),
    'an authority alone': head(['Host: a'], 'GET').bind(null, 'a:80'),
  }),
];

/** One chunk with an extension. */
function extended(extension: string): string {
  return `${ENVELOPE.length.toString(16)}${extension}\r\n${ENVELOPE}\r\n0\r\n\r\n`;
}

/** One chunk, and fields after it. */
function trailed(fields: string): string {
  return `${ENVELOPE.length.toString(16)}\r\n${ENVELOPE}\r\n0\r\n${fields}\r\n`;
}

/**
 * Longer heads are not sent byte by byte: shorter ones show that each byte may be the end of a
 * packet.
 */
const BYTEWISE_BYTES = 1500;

/**
 * Sends every vector to its endpoints, whole and byte by byte; what is refused never begins at the
 * backend.
 */
export async function runHeads(
  t: Test,
  { backend, gateway }: Perimeter,
  rows: Rows,
): Promise<void> {
  let lines = gateway.logLines().filter((line) => line['msg'] === 'request').length;
  for (const { row, case: name, bytes, endpoints = [SOAP, PLAIN, GRAPHQL] } of HEAD_VECTORS) {
    const answer = rows.answer(row, name);
    for (const endpoint of endpoints) {
      const sent = Buffer.from(bytes(endpoint).toString('latin1'), 'latin1');
      const ways: (readonly [string, readonly Uint8Array[]])[] = [['whole', [sent]]];
      if (sent.length <= BYTEWISE_BYTES)
        ways.push(['byte by byte', Array.from(sent, (byte) => Uint8Array.of(byte))]);
      for (const [way, pieces] of ways) {
        const label = `${row} ${name}, ${endpoint}, ${way}`;
        backend.complete.length = 0;
        const begun = backend.begun;
        const client = await RawClient.connect(gateway.url);
        const reply = client.reply();
        for (const piece of pieces) await client.send(piece);
        expectAnswer(t, await reply, answer, '1.1', label);
        client.close();
        t.equal(
          backend.complete.length,
          answer === 'pass' ? 1 : 0,
          `${label}: complete messages at the backend`,
        );
        if (answer !== 'pass')
          t.ok(
            backend.begun - begun <= (row === 'H08' || row === 'H09' ? 1 : 0),
            `${label}: begun`,
          );
        await gateway.accessLine(++lines);
      }
    }
  }
  t.equal(
    gateway.logLines().filter((line) => line['msg'] === 'request').length,
    lines,
    'one line for each request',
  );
}
