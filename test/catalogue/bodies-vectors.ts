import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { KIB, MIB } from '../../src/core/limit.js';
import { DIALECT_NAMES, DIALECTS, type DialectName } from '../../src/soap/dialect.js';
import { fill } from '../perimeter/case-file.js';
import { include, type PackagePart, type PackageParts, printPackage } from '../soap/packages.js';
import type { MessageVector } from './messages.js';

const BOUNDARY = 'uuid:3f2-b';

/** An envelope of this dialect with this in its operation, and these header blocks. */
export const envelopeOf = (dialect: DialectName, content = '', header = ''): string =>
  fill(
    '<E:Envelope xmlns:E="{env}" xmlns:c="{enc}">' +
      `${header === '' ? '' : `<E:Header>${header}</E:Header>`}<E:Body><m:Ping xmlns:m="urn:m">` +
      `${content}</m:Ping></E:Body></E:Envelope>`,
    dialect,
  );

export const packageType = (dialect: DialectName, boundary = BOUNDARY): string =>
  'multipart/related; type="application/xop+xml"; start="<root@x>"; ' +
  `start-info="${DIALECTS[dialect].mediaType}"; boundary="${boundary}"`;

/** The part of the envelope as most stacks write it. */
export const rootPart = (
  dialect: DialectName,
  content: string,
  ...more: readonly string[]
): PackagePart => ({
  head: [
    `Content-Type: application/xop+xml; charset=utf-8; type="${DIALECTS[dialect].mediaType}"`,
    'Content-ID: <root@x>',
    ...more,
  ],
  content,
});

export const PART: PackagePart = {
  head: ['Content-Type: image/png', 'Content-Transfer-Encoding: binary', 'Content-ID: <a@x>'],
  content: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 45, 45, 255]),
};

/** A package as most stacks write it, with these parts behind the envelope. */
export const packageOf = (
  dialect: DialectName,
  content = include('cid:a@x'),
  change: Partial<PackageParts> = {},
): Buffer =>
  printPackage({
    boundary: BOUNDARY,
    parts: [rootPart(dialect, envelopeOf(dialect, content)), PART],
    ...change,
  });

/** The same with an empty message and these parts behind it. */
const withParts = (dialect: DialectName, ...parts: readonly PackagePart[]): Buffer =>
  packageOf(dialect, '', { parts: [rootPart(dialect, envelopeOf(dialect)), ...parts] });

/** One vector for each dialect: the Content-Type of a package says which. */
function packageVectors(
  name: string,
  message: (dialect: DialectName) => Buffer | string,
  more: {
    readonly row?: string;
    readonly type?: (dialect: DialectName) => string;
    readonly path?: string;
  } = {},
): readonly MessageVector[] {
  const { row = 'S21', type = packageType, path } = more;
  return DIALECT_NAMES.map((dialect) => ({
    row,
    case: name,
    dialects: [dialect],
    message,
    headers: { 'Content-Type': type(dialect) },
    ...(path === undefined ? {} : { path }),
  }));
}

const empty = (count: number): readonly PackagePart[] =>
  Array.from({ length: count }, () => ({ head: [], content: '' }));
const long = (name: string): PackagePart => ({
  head: [`Content-ID: <${name}>`],
  content: Buffer.alloc(300 * KIB, 'x'),
});
const closed = (dialect: DialectName): string => packageOf(dialect).toString('latin1');
const withRoot = (dialect: DialectName, root: PackagePart): Buffer =>
  packageOf(dialect, '', { parts: [root, PART] });
const otherType = (dialect: DialectName): DialectName => (dialect === '1.1' ? '1.2' : '1.1');

const PASSED: readonly MessageVector[] = [
  ...packageVectors('MTOM with a part', (dialect) => packageOf(dialect)),
  ...packageVectors(
    'MTOM as JAX-WS and gSOAP write it',
    (dialect) =>
      printPackage({
        boundary: '==a+/b==',
        epilogue: '',
        parts: [
          {
            head: [
              'Content-Id: <SOAP-ENV:Envelope>',
              'Content-Type: application/xop+xml;charset=utf-8;' +
                `type="${DIALECTS[dialect].mediaType}"`,
            ],
            content: envelopeOf(dialect, include('cid:id1')),
          },
          { head: ['Content-Id: <id1>'], content: 'GIF' },
        ],
      }),
    {
      type: (dialect) =>
        'multipart/related;start="<SOAP-ENV:Envelope>' +
        '";type="application/xop+xml";boundary="==a+/b==";' +
        `start-info="${DIALECTS[dialect].mediaType}"`,
    },
  ),
  ...packageVectors(
    'SOAP with Attachments',
    (dialect) =>
      printPackage({
        boundary: 'b',
        preamble: '\r\n',
        parts: [
          {
            head: [`Content-Type: ${DIALECTS[dialect].mediaType}; charset=UTF-8`],
            content: envelopeOf(dialect),
          },
          PART,
        ],
      }),
    { type: (dialect) => `Multipart/Related; type=${DIALECTS[dialect].mediaType}; boundary=b` },
  ),
  ...packageVectors('lines that end with LF', (dialect) => withLineFeeds(closed(dialect))),
  ...packageVectors(
    'an empty line and lines that end with LF',
    (dialect) => `\n${withLineFeeds(closed(dialect))}`,
  ),
  ...packageVectors('Content-ID and reference encoded', (dialect) =>
    packageOf(dialect, include('cid:a%40x')).toString('latin1').replace('<a@x>', '<a%40x>'),
  ),
  ...packageVectors('Content-ID encoded', (dialect) =>
    packageOf(dialect, include('cid:a@x')).toString('latin1').replace('<a@x>', '<a%40x>'),
  ),
  ...packageVectors('100 parts', (dialect) => withParts(dialect, ...empty(99))),
];

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

const BROKEN: readonly MessageVector[] = [
  ...packageVectors(
    'boundary of 71 characters',
    (dialect) => packageOf(dialect, undefined, { boundary: 'b'.repeat(71) }),
    { type: (dialect) => packageType(dialect, 'b'.repeat(71)) },
  ),
  ...packageVectors('no boundary', (dialect) => packageOf(dialect), {
    type: (dialect) => `multipart/related; type="${DIALECTS[dialect].mediaType}"`,
  }),
  ...packageVectors('101 parts', (dialect) => withParts(dialect, ...empty(100))),
  ...packageVectors('header of a part over 8 KiB', (dialect) =>
    withRoot(dialect, rootPart(dialect, envelopeOf(dialect), `X: ${'x'.repeat(8 * KIB)}`)),
  ),
  ...packageVectors('start names no part', (dialect) =>
    closed(dialect).replace('<root@x>', '<other@x>'),
  ),
  ...packageVectors('package in a package', (dialect) =>
    closed(dialect).replace('image/png', 'multipart/mixed; boundary=c'),
  ),
  ...packageVectors('no closing boundary', (dialect) =>
    closed(dialect).slice(0, closed(dialect).lastIndexOf('\r\n--')),
  ),
  ...packageVectors('closing boundary cut off', (dialect) => closed(dialect).slice(0, -3)),
  ...packageVectors('boundary after a bare line feed', (dialect) =>
    closed(dialect).replace(
      `\r\n--${BOUNDARY}\r\nContent-Type: image`,
      `\n--${BOUNDARY}\r\nContent-Type: image`,
    ),
  ),
  ...packageVectors('boundary after CR LF in lines of LF', (dialect) =>
    withLineFeeds(closed(dialect)).replace(
      `\n--${BOUNDARY}\nContent-Type: image`,
      (found) => `\r${found}`,
    ),
  ),
  ...packageVectors('boundary after a bare return in lines of LF', (dialect) =>
    withLineFeeds(
      withRoot(dialect, rootPart(dialect, envelopeOf(dialect, `a\r--${BOUNDARY}\r`))).toString(
        'latin1',
      ),
    ),
  ),
  ...packageVectors('header with CR LF in lines of LF', (dialect) =>
    withLineFeeds(closed(dialect)).replace('image/png\n', 'image/png\r\n'),
  ),
  ...packageVectors('header with LF in lines of CR LF', (dialect) =>
    closed(dialect).replace('image/png\r\n', 'image/png\n'),
  ),
  ...packageVectors('Content-IDs that are equal when decoded', (dialect) =>
    withParts(dialect, PART, { ...PART, head: PART.head.map((line) => line.replace('@', '%40')) }),
  ),
  ...packageVectors('a reference that names two parts', (dialect) =>
    packageOf(dialect, '', {
      parts: [
        rootPart(dialect, envelopeOf(dialect, include('cid:b%40x'))),
        { head: ['Content-ID: <b%2540x>'], content: '' },
        { head: ['Content-ID: <b@x>'], content: '' },
      ],
    }),
  ),
  ...packageVectors('boundary after a bare return', (dialect) =>
    withRoot(dialect, rootPart(dialect, envelopeOf(dialect, `a\r--${BOUNDARY}\r`))),
  ),
  ...packageVectors(
    'boundary after the end',
    (dialect) => `${closed(dialect)}--${BOUNDARY}\r\n\r\n`,
  ),
  ...packageVectors('another envelope before that of start', (dialect) =>
    packageOf(dialect, '', {
      parts: [
        {
          head: [`Content-Type: ${DIALECTS[dialect].mediaType}`],
          content: envelopeOf(dialect, '<evil/>'),
        },
        rootPart(dialect, envelopeOf(dialect)),
      ],
    }),
  ),
  ...packageVectors('envelope in base64', (dialect) =>
    withRoot(dialect, rootPart(dialect, envelopeOf(dialect), 'Content-Transfer-Encoding: base64')),
  ),
  ...packageVectors('envelope of another type than announced', (dialect) =>
    closed(dialect).replace('Content-Type: application/xop+xml', 'Content-Type: text/xml'),
  ),
  ...packageVectors('Content-ID twice', (dialect) => withParts(dialect, PART, PART)),
  ...packageVectors('included part is missing', (dialect) =>
    packageOf(dialect, include('cid:b@x')),
  ),
  ...packageVectors('included part is missing at the end of a long package', (dialect) =>
    packageOf(dialect, '', {
      parts: [rootPart(dialect, envelopeOf(dialect, include('cid:b@x'))), long('a@x'), long('c@x')],
    }),
  ),
  ...packageVectors('no closing boundary of a long package', (dialect) =>
    withParts(dialect, long('a@x')).subarray(0, -4),
  ),
  ...packageVectors('envelope that is not well-formed', (dialect) => packageOf(dialect, '<a>')),
  ...packageVectors('two operations in the envelope', (dialect) =>
    closed(dialect).replace('</m:Ping>', '</m:Ping><m:Pong xmlns:m="urn:m"/>'),
  ),
  ...packageVectors(
    'media type of the other version',
    (dialect) => {
      const { mediaType } = DIALECTS[dialect];
      return closed(dialect).replace(
        `type="${mediaType}"`,
        `type="${DIALECTS[otherType(dialect)].mediaType}"`,
      );
    },
    { type: () => `multipart/related; type="application/xop+xml"; boundary="${BOUNDARY}"` },
  ),
  ...packageVectors('another multipart type', (dialect) => packageOf(dialect), {
    type: (dialect) => packageType(dialect).replace('related', 'form-data'),
  }),
  ...packageVectors('package whose envelope is of no SOAP type', (dialect) => packageOf(dialect), {
    type: () => `multipart/related; type="text/html"; boundary="${BOUNDARY}"`,
  }),
];

const INCLUDES: readonly MessageVector[] = Object.entries({
  http: include('http://127.0.0.1:1/a'),
  file: include('file:///etc/passwd'),
  relative: include('a@x'),
  'no reference': include('cid:a@x').replace('href', 'src'),
  'the same part twice': `<a>${include('cid:a@x')}</a><b>${include('cid:a@x')}</b>`,
  'the same part in two spellings': `<a>${include('cid:a@x')}</a><b>${include('cid:a%40x')}</b>`,
  'the envelope itself': include('cid:root@x'),
}).flatMap(([name, content]) =>
  packageVectors(name, (dialect) => packageOf(dialect, `<d>${content}</d>`), { row: 'S22' }),
);

const IN_HEADER = packageVectors(
  'http in a header block',
  (dialect) => {
    const block = `<h:B xmlns:h="urn:h">${include('http://127.0.0.1:1/a')}</h:B>`;
    return withRoot(dialect, rootPart(dialect, envelopeOf(dialect, '', block)));
  },
  { row: 'S22' },
);

export const PACKAGE_VECTORS: readonly MessageVector[] = [
  ...PASSED,
  ...BROKEN,
  ...INCLUDES,
  ...IN_HEADER,
];

/** A package of little envelope and more than 1 MiB. */
export const longPackage = (dialect: DialectName): Buffer =>
  packageOf(dialect, '', {
    parts: [rootPart(dialect, envelopeOf(dialect)), { head: [], content: Buffer.alloc(MIB, 'x') }],
  });

export const NO_ATTACHMENTS_VECTORS: readonly MessageVector[] = packageVectors(
  'package for a service without attachments',
  (dialect) => packageOf(dialect),
);

/** Text that is neither dull nor random. */
export const manyLines = (bytes: number): string =>
  Array.from({ length: bytes / 16 }, (_, line) => `${(line * 7919) % 1_000_003} of 1000003\n`).join(
    '',
  );

const zipped = (dialect: DialectName, content = ''): Buffer =>
  gzipSync(envelopeOf(dialect, content));

function corrupt(bytes: Buffer, place: number): Buffer {
  const broken = Buffer.from(bytes);
  // As the first byte behind the header: a block of no type there is.
  broken[place] = 7;
  return broken;
}

function coded(
  name: string,
  message: (dialect: DialectName) => Buffer | string,
  coding = 'gzip',
  headers: Readonly<Record<string, string>> = {},
): MessageVector {
  return { row: 'H23', case: name, message, headers: { 'Content-Encoding': coding, ...headers } };
}

export const CODING_VECTORS: readonly MessageVector[] = [
  coded('gzip', (dialect) => zipped(dialect)),
  coded('x-gzip', (dialect) => zipped(dialect), 'X-Gzip'),
  coded('identity', (dialect) => envelopeOf(dialect), 'identity'),
  coded('a long message as gzip', (dialect) => zipped(dialect, manyLines(400 * KIB))),
  ...DIALECT_NAMES.map((dialect) => ({
    ...coded('a package as gzip', () => gzipSync(packageOf(dialect)), 'gzip', {
      'Content-Type': packageType(dialect),
    }),
    dialects: [dialect],
  })),
  coded('bomb 1000:1', (dialect) => zipped(dialect, ' '.repeat(8 * MIB))),
  coded('decoded longer than a message may be', (dialect) => zipped(dialect, manyLines(12 * MIB))),
  coded('gzip twice', (dialect) => gzipSync(zipped(dialect)), 'gzip, gzip'),
  coded('two fields', (dialect) => gzipSync(zipped(dialect)), 'gzip', {
    'content-encoding': 'gzip',
  }),
  coded('br', (dialect) => brotliCompressSync(envelopeOf(dialect)), 'br'),
  coded('deflate', (dialect) => deflateSync(envelopeOf(dialect)), 'deflate'),
  coded('nothing named', (dialect) => envelopeOf(dialect), ''),
  coded('no gzip at all', (dialect) => envelopeOf(dialect)),
  coded('corrupt', (dialect) => corrupt(zipped(dialect), 10)),
  coded('corrupt at the end of a long message', (dialect) => {
    const long = zipped(dialect, manyLines(400 * KIB));
    return corrupt(long, long.length - 1);
  }),
  coded('cut off', (dialect) => zipped(dialect).subarray(0, -1)),
  coded('trailing garbage', (dialect) => Buffer.concat([zipped(dialect), Buffer.from('garbage')])),
  coded('a second member', (dialect) => Buffer.concat([zipped(dialect), zipped(dialect)])),
  coded('what is decoded is validated', (dialect) =>
    gzipSync(`<!DOCTYPE a>${envelopeOf(dialect)}`),
  ),
];
