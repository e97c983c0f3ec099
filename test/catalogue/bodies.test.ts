import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';

import { chunked, post, sendRaw } from '../kit/raw-client.js';
import { include } from '../soap/packages.js';
import {
  CODING_VECTORS,
  envelopeOf,
  longPackage,
  manyLines,
  NO_ATTACHMENTS_VECTORS,
  PACKAGE_VECTORS,
  PART,
  packageOf,
  packageType,
  rootPart,
} from './bodies-vectors.js';
import { expectAnswer } from './expect.js';
import { replyOf, runMessages, sendPieces, startPerimeter } from './messages.js';
import { Rows } from './rows.js';

/** Group S, the packages of parts, and what is coded on its way in and out. */
const rows = new Rows('bodies');

t.test('packages of parts', async (t) => {
  await runMessages(t, await startPerimeter(t), rows, PACKAGE_VECTORS);
});

t.test('packages that are too long', async (t) => {
  const { gateway, backend } = await startPerimeter(
    t,
    '',
    'limits:\n  xml:\n    messageBytes: 1MiB\n',
  );
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
  await runMessages(
    t,
    await startPerimeter(t, '    attachments: false\n'),
    rows,
    NO_ATTACHMENTS_VECTORS,
  );
});

t.test('content codings', async (t) => {
  // The long messages are compressed in this very process, which then comes late to its work.
  const perimeter = await startPerimeter(t, '', 'limits:\n  overload:\n    eventLoopMillis: 0\n');
  await runMessages(t, perimeter, rows, CODING_VECTORS);
});

/** What a backend answers, and whether that is what its caller gets, decoded. */
interface ReplyVector {
  readonly case: string;
  readonly contentType?: string;
  readonly coding?: string;
  readonly body: Uint8Array | string;
  /** What the caller gets; the body itself unless given. */
  readonly passed?: Uint8Array | string;
}

const PLAIN = replyOf('1.1');
const BOMB = PLAIN.replace('/></E:Body>', `>${' '.repeat(8_000_000)}</m:PingResponse></E:Body>`);
const LONG_TEXT = PLAIN.replace('/></E:Body>', `>${manyLines(400_000)}</m:PingResponse></E:Body>`);
const replyPackage = (content: string): Buffer =>
  packageOf('1.1', '', {
    parts: [
      rootPart('1.1', PLAIN.replace('/></E:Body>', `>${content}</m:PingResponse></E:Body>`)),
      PART,
    ],
  });

const REPLIES: readonly ReplyVector[] = [
  { case: 'gzip, not asked', coding: 'gzip', body: gzipSync(PLAIN), passed: PLAIN },
  { case: 'a long answer as gzip', coding: 'x-gzip', body: gzipSync(LONG_TEXT), passed: LONG_TEXT },
  { case: 'gzip bomb', coding: 'gzip', body: gzipSync(BOMB) },
  { case: '6 encodings', coding: 'gzip, gzip, gzip, gzip, gzip, gzip', body: gzipSync(PLAIN) },
  { case: 'an empty coding', coding: '', body: PLAIN },
  { case: 'deflate', coding: 'deflate', body: deflateSync(PLAIN) },
  {
    case: 'two members of gzip',
    coding: 'gzip',
    body: Buffer.concat([gzipSync(PLAIN.slice(0, 50)), gzipSync(PLAIN.slice(50))]),
    passed: PLAIN,
  },
  {
    case: 'members of gzip that are a bomb together',
    coding: 'gzip',
    body: Buffer.concat(
      Array.from({ length: 8 }, (_, part) =>
        gzipSync(BOMB.slice((part * BOMB.length) / 8, ((part + 1) * BOMB.length) / 8)),
      ),
    ),
  },
  {
    case: '101 members of gzip',
    coding: 'gzip',
    body: Buffer.concat([gzipSync(PLAIN), ...Array.from({ length: 100 }, () => gzipSync(''))]),
  },
  { case: 'a charset as coding', coding: 'utf-8', body: PLAIN },
  { case: 'br', coding: 'br', body: brotliCompressSync(PLAIN) },
  { case: 'corrupt gzip', coding: 'gzip', body: gzipSync(PLAIN).subarray(0, -1) },
  { case: 'gzip that is none', coding: 'gzip', body: PLAIN },
  { case: 'what is decoded is validated', coding: 'gzip', body: gzipSync('<a/>') },
  { case: 'package', contentType: packageType('1.1'), body: replyPackage(include('cid:a@x')) },
  {
    case: 'package as gzip',
    contentType: packageType('1.1'),
    coding: 'gzip',
    body: gzipSync(replyPackage('')),
    passed: replyPackage(''),
  },
  {
    case: 'one part included twice',
    contentType: packageType('1.1'),
    body: replyPackage(`<a>${include('cid:a@x')}</a><b>${include('cid:a%40x')}</b>`),
  },
  {
    // Each Include would become 300 KiB: 12 MB.
    case: 'one part until it passes the limit',
    contentType: packageType('1.1'),
    body: packageOf('1.1', '', {
      parts: [
        rootPart(
          '1.1',
          PLAIN.replace(
            '/></E:Body>',
            `>${`<a>${include('cid:a@x')}</a>`.repeat(40)}</m:PingResponse></E:Body>`,
          ),
        ),
        { head: ['Content-ID: <a@x>'], content: Buffer.alloc(300 * 1024, 'x') },
      ],
    }),
  },
  {
    case: 'package without its end',
    contentType: packageType('1.1'),
    body: replyPackage('').subarray(0, -4),
  },
  {
    case: 'package that includes from elsewhere',
    contentType: packageType('1.1'),
    body: replyPackage(include('http://127.0.0.1:1/a')),
  },
  { case: 'package without a boundary', contentType: 'multipart/related', body: replyPackage('') },
  {
    case: 'another multipart type',
    contentType: 'multipart/mixed; boundary=b',
    body: replyPackage(''),
  },
];

t.test('what a backend answers in codings and packages', async (t) => {
  // Within the window, so that there can still be a Fault.
  const limits =
    'limits:\n  soap:\n    inflateFreeBytes: 32KiB\n  overload:\n    eventLoopMillis: 0\n';
  const { gateway, backend } = await startPerimeter(t, '', limits);
  for (const {
    case: name,
    contentType = 'text/xml; charset=utf-8',
    coding,
    body,
    passed = body,
  } of REPLIES) {
    const answer = rows.answer('U17', name);
    for (const isChunked of [false, true]) {
      backend.answer = (_message, response) => {
        const length = isChunked ? {} : { 'content-length': body.length };
        const codings = coding === undefined ? {} : { 'content-encoding': coding };
        response.writeHead(200, { 'content-type': contentType, ...codings, ...length });
        for (let at = 0; at < body.length; at += 50_000)
          response.write(body.slice(at, at + 50_000));
        response.end();
      };
      const reply = await sendRaw(gateway.url, post('/soap/s11', 'text/xml', envelopeOf('1.1')));
      expectAnswer(t, reply, answer, '1.1', `${name}${isChunked ? ', chunked' : ''}`);
      if (answer !== 'pass') continue;
      t.equal(reply.body, Buffer.from(passed).toString(), `${name}: the bytes`);
      t.equal(reply.headers.get('content-encoding'), undefined, `${name}: no coding`);
      t.equal(reply.headers.get('content-type'), contentType, `${name}: the type`);
    }
  }
});

t.test('a bomb that flows already is cut', async (t) => {
  const { gateway, backend } = await startPerimeter(t);
  const body = gzipSync(BOMB);
  backend.answer = (_message, response) => {
    response.writeHead(200, {
      'content-type': 'text/xml',
      'content-encoding': 'gzip',
      'content-length': body.length,
    });
    response.end(body);
  };
  const reply = await sendRaw(gateway.url, post('/soap/s11', 'text/xml', envelopeOf('1.1')));
  expectAnswer(t, reply, rows.answer('U17', 'gzip bomb that flows already'), '1.1', 'bomb');
  t.equal((await gateway.accessLine())['code'], 'UPSTREAM_RESPONSE_LIMIT');
});

t.test('every case of the table was asked', async (t) => rows.assertComplete(t));
