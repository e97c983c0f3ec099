import fc from 'fast-check';
import t from 'tap';

import { defaultsOf, KIB, MIB } from '../../src/core/limit.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { IncludeReader } from '../../src/soap/mime/include.js';
import { MIME_LIMITS } from '../../src/soap/mime/mime-limits.js';
import { MultipartReader } from '../../src/soap/mime/multipart.js';
import { readPackageType } from '../../src/soap/mime/package-type.js';
import { References } from '../../src/soap/mime/references.js';
import { ALL, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { assertSplitsAgree, cutAt } from '../kit/splits.js';
import { include, type PackagePart, type PackageParts, printPackage } from './packages.js';

const LIMITS = defaultsOf(MIME_LIMITS);
const ROOT = [
  'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
  'Content-ID: <root@x>',
];
const TYPE =
  'multipart/related; type="application/xop+xml"; start="<root@x>"; ' +
  'start-info="text/xml"; boundary="uuid:a-1"';
const ENVELOPE = `<E:Envelope xmlns:E="urn:e"><E:Body><d>${include('cid:a%40x')}</d></E:Body></E:Envelope>`;
const PICTURE: PackagePart = {
  head: ['Content-Type: image/png', 'Content-Transfer-Encoding: binary', 'Content-ID: <a@x>'],
  content: Buffer.concat([
    Buffer.from([0, 13, 10, 45, 45, 13, 13, 10, 255, 13, 45, 45]),
    Buffer.from('uuid IEND'),
  ]),
};

interface Read {
  readonly envelope: string | null;
  readonly mediaType: string | null;
  readonly start: number;
  readonly refusal: string | null;
}

/** Reads a package in these pieces: what the reader of the envelope was given, and how it ended. */
function read(
  pieces: readonly Uint8Array[],
  contentType = TYPE,
  headBytes = 256 * KIB,
  messageBytes = MIB,
): Read {
  const given: Buffer[] = [];
  const events: XmlHandler = { open: () => ALL, close() {}, text() {} };
  let mediaType: string | null = null;
  let start = 0;
  try {
    const type = readPackageType(contentType, LIMITS);
    const references = new References(LIMITS.parts);
    const xml = new XmlReader(new IncludeReader(events, references), defaultsOf(XML_LIMITS));
    const envelope = {
      encoding: null,
      begin: (charset: string | null) => xml.begin(charset),
      write(chunk: Buffer) {
        given.push(Buffer.from(chunk));
        xml.write(chunk);
      },
      end: () => xml.end(),
    };
    const reader = new MultipartReader(envelope, references, {
      type,
      limits: LIMITS,
      messageBytes,
      headBytes,
      onEnvelope(name) {
        mediaType = name;
      },
    });
    for (const piece of pieces) reader.write(Buffer.from(piece));
    reader.end();
    start = reader.sourceStart;
  } catch (caught) {
    if (!(caught instanceof Refusal)) throw caught;
    return { envelope: null, mediaType: null, start: 0, refusal: caught.code };
  }
  return { envelope: Buffer.concat(given).toString('latin1'), mediaType, start, refusal: null };
}

const pack = (change: Partial<PackageParts> = {}): Buffer =>
  printPackage({
    boundary: 'uuid:a-1',
    parts: [{ head: ROOT, content: ENVELOPE }, PICTURE],
    ...change,
  });

const packRoot = (head: readonly string[], content = ENVELOPE): Buffer =>
  pack({ parts: [{ head, content }, PICTURE] });

t.test('the envelope is found and read, whole and at every split', (t) => {
  const message = pack();
  const { envelope, mediaType, start, refusal } = assertSplitsAgree(message, (pieces) =>
    read(pieces),
  );
  t.equal(refusal, null);
  t.equal(envelope, ENVELOPE);
  t.equal(mediaType, 'text/xml');
  t.equal(
    message.subarray(start, start + ENVELOPE.length).toString(),
    ENVELOPE,
    'and it says where that began',
  );
  t.end();
});

const HEADER = 'multipart/related; boundary=';

t.test('what real stacks send is accepted', (t) => {
  const plain = '<E:Envelope xmlns:E="urn:e"/>';
  const cases: readonly (readonly [string, string, Buffer])[] = [
    [
      'gSOAP',
      'multipart/related; boundary="==a+b/c=="; type="application/xop+xml"; ' +
        'start="<SOAP-ENV:Envelope>"; start-info="text/xml"',
      printPackage({
        boundary: '==a+b/c==',
        epilogue: '',
        parts: [
          {
            head: [
              'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
              'Content-Transfer-Encoding: binary',
              'Content-ID: <SOAP-ENV:Envelope>',
            ],
            content: `<E:Envelope xmlns:E="urn:e">${include('cid:id1')}</E:Envelope>`,
          },
          { head: ['Content-Type: image/gif', 'Content-ID: <id1>'], content: 'GIF' },
        ],
      }),
    ],
    [
      'JAX-WS',
      'multipart/related;start="<rootpart*a@jaxws>";type="application/xop+xml";boundary="uuid:a";start-info="application/soap+xml;action=\\"urn:a\\""',
      printPackage({
        boundary: 'uuid:a',
        epilogue: '',
        parts: [
          {
            head: [
              'Content-Id: <rootpart*a@jaxws>',
              'Content-Type: application/xop+xml;charset=utf-8;' +
                'type="application/soap+xml;action=\\"urn:a\\""',
              'Content-Transfer-Encoding: binary',
            ],
            content: plain,
          },
        ],
      }),
    ],
    [
      'WCF: folded fields, a blank in start',
      'multipart/related; type="application/xop+xml";start=" ' +
        '<http://tempuri.org/0>";boundary="uuid:a+id=1";start-info="text/xml"',
      printPackage({
        boundary: 'uuid:a+id=1',
        preamble: '\r\n',
        parts: [
          {
            head: [
              'Content-ID: <http://tempuri.org/0>',
              'Content-Transfer-Encoding: 8bit',
              'Content-Type: application/xop+xml;',
              '              charset=utf-8;type="text/xml"',
            ],
            content:
              `<E:Envelope xmlns:E="urn:e">${include('cid:http%3A%2F%2Ftempuri.org%2F1%2F6')}` +
              '</E:Envelope>',
          },
          { head: ['Content-ID: <http://tempuri.org/1/6>'], content: '' },
        ],
      }),
    ],
    [
      'Axis2: no angle brackets, no start-info',
      'multipart/Related; charset="UTF-8"; type="application/xop+xml"; ' +
        'boundary="----=_AxIs2_=4"; start="SOAPPart"',
      printPackage({
        boundary: '----=_AxIs2_=4',
        parts: [
          {
            head: [
              'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"',
              'Content-ID: SOAPPart',
            ],
            content: plain,
          },
        ],
      }),
    ],
    [
      'SOAP with Attachments, nothing in quotes',
      'Multipart/Related; type=text/xml; start=<a@b>; boundary=MIME_boundary',
      printPackage({
        boundary: 'MIME_boundary',
        preamble: 'This is a multi-part message.',
        parts: [
          { head: ['Content-Type: text/xml; charset=UTF-8', 'Content-ID: <a@b>'], content: plain },
          {
            head: ['content-type: image/tiff', 'content-transfer-encoding: base64'],
            content: 'AAAA',
          },
          { head: [], content: 'a part without a header' },
        ],
      }),
    ],
  ];
  for (const [name, type, message] of cases) {
    t.equal(assertSplitsAgree(message, (pieces) => read(pieces, type)).refusal, null, name);
  }
  t.end();
});

t.test('what breaks the structure of a package is refused', (t) => {
  const closed = pack().toString('latin1');
  const cases: Record<string, Buffer | string> = {
    'no closing boundary': closed.slice(0, closed.lastIndexOf('\r\n--')),
    'closing boundary cut off': closed.slice(0, -3),
    'empty message': '',
    'no boundary at all': ENVELOPE,
    'an envelope without its package': `${'x'.repeat(2000)}${closed}`,
    'too much after the end': pack({ epilogue: `\r\n${'x'.repeat(2000)}` }),
    'bytes on the closing line': pack({ epilogue: 'x' }),
    'a boundary after the end': pack({ epilogue: '\r\n--uuid:a-1\r\n\r\n' }),
    'no parts': '--uuid:a-1--\r\n',
    // Readers that do not know `start` take it for the envelope, whatever its type.
    'a part before the envelope': printPackage({
      boundary: 'uuid:a-1',
      parts: [
        { head: ['Content-Type: text/plain', 'Content-ID: <p>'], content: ENVELOPE },
        {
          head: ['Content-Type: application/xop+xml; type="text/xml"', 'Content-ID: <root@x>'],
          content: ENVELOPE,
        },
      ],
    }),
    'more on the line of a boundary': closed.replace('--uuid:a-1\r\n', '--uuid:a-1x\r\n'),
    'a boundary after a bare return': closed.replace('IEND', '\r--uuid:a-1'),
    'a boundary after a bare line feed': closed.replace(
      '\r\n--uuid:a-1\r\nContent-Type: image',
      '\n--uuid:a-1\r\nContent-Type: image',
    ),
    'start names no part': packRoot([
      'Content-Type: application/xop+xml; type="text/xml"',
      'Content-ID: <other>',
    ]),
    'no Content-Type of the envelope': packRoot(['Content-ID: <root@x>']),
    'another Content-Type of the envelope': packRoot([
      'Content-Type: text/xml',
      'Content-ID: <root@x>',
    ]),
    'the envelope in another type than announced': packRoot([
      'Content-Type: application/xop+xml; type="application/soap+xml"',
      'Content-ID: <root@x>',
    ]),
    'the envelope in base64': packRoot([...ROOT, 'Content-Transfer-Encoding: base64']),
    'the envelope in quoted-printable': packRoot([
      ...ROOT,
      'content-transfer-encoding: Quoted-Printable',
    ]),
    'a field twice': packRoot([...ROOT, 'Content-ID: <root@x>']),
    'a header too long': packRoot([...ROOT, `X: ${'x'.repeat(8 * KIB)}`]),
    'a line that is no field': packRoot([...ROOT, 'nothing']),
    'a control character in a header': packRoot([...ROOT, 'X: \0']),
    'a header that begins with a continuation': packRoot([' x: y', ...ROOT]),
    'a blank before the colon': packRoot(['Content-ID : <root@x>']),
    'a boundary in a header': packRoot([...ROOT, '--uuid:a-1: x']),
    'Content-ID twice': pack({ parts: [{ head: ROOT, content: ENVELOPE }, PICTURE, PICTURE] }),
    'a package in a package': pack({
      parts: [
        { head: ROOT, content: ENVELOPE },
        PICTURE,
        { head: ['Content-Type: multipart/mixed'], content: '' },
      ],
    }),
    'too many parts': pack({
      parts: [
        { head: ROOT, content: ENVELOPE },
        ...Array.from({ length: 100 }, () => ({ head: [], content: '' })),
      ],
    }),
    'an included part that is missing': pack({ parts: [{ head: ROOT, content: ENVELOPE }] }),
    'another envelope first': pack({
      parts: [
        { head: ['Content-Type: text/xml'], content: '<evil/>' },
        { head: ROOT, content: ENVELOPE },
        PICTURE,
      ],
    }),
    'content of an Include': packRoot(ROOT, ENVELOPE.replace('/></d>', '><a/></xop:Include></d>')),
    'text in an Include': packRoot(ROOT, ENVELOPE.replace('/></d>', '>a</xop:Include></d>')),
  };
  for (const [name, message] of Object.entries(cases)) {
    const bytes = Buffer.from(message);
    t.equal(read([bytes]).refusal, 'MTOM_STRUCTURE', name);
    t.equal(
      read(Array.from(bytes, (byte) => Uint8Array.of(byte))).refusal,
      'MTOM_STRUCTURE',
      `${name}, byte by byte`,
    );
  }
  t.equal(
    read(cutAt(pack(), [100]), TYPE, 100).refusal,
    'MTOM_STRUCTURE',
    'the envelope begins too late',
  );
  t.equal(
    read([pack()], TYPE, 256 * KIB, 300).refusal,
    'XML_MESSAGE_LIMIT',
    'the attachments count',
  );
  t.equal(
    read([packRoot(ROOT, '<a>')]).refusal,
    'XML_NOT_WELLFORMED',
    'the envelope itself is validated',
  );
  const hundred = [
    { head: ROOT, content: ENVELOPE },
    PICTURE,
    ...Array(98).fill({ head: [], content: '' }),
  ];
  t.equal(read([pack({ parts: hundred })]).refusal, null, '100 parts are in order');
  t.end();
});

t.test('the Content-Type of a package says how to read it, or is refused', (t) => {
  const message = printPackage({
    boundary: 'b',
    parts: [{ head: ['Content-Type: text/xml'], content: '<a/>' }],
  });
  const cases: readonly (readonly [string, string | null])[] = [
    [`${HEADER}b`, null],
    [`${HEADER}"b"; type="text/xml"`, null],
    ['multipart/related', 'MTOM_STRUCTURE'],
    [`${HEADER}""`, 'MTOM_STRUCTURE'],
    [`${HEADER}"${'b'.repeat(71)}"`, 'MTOM_STRUCTURE'],
    [`${HEADER}"b "`, 'MTOM_STRUCTURE'],
    [`${HEADER}"b\\"c"`, 'MTOM_STRUCTURE'],
    [`${HEADER}"\\b"`, 'MTOM_STRUCTURE'],
    [`${HEADER}"b"; boundary=c`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; boundary*0=c`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; x="; Boundary=c"`, 'MTOM_STRUCTURE'],
    [`multipart/related; xboundary=c; boundary=b`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; x="start=c"`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; type=""`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; type="application/soap+xml"`, 'MTOM_STRUCTURE'],
    [`${HEADER}b; start="<a>"`, 'MTOM_STRUCTURE'],
    [`${HEADER}c`, 'MTOM_STRUCTURE'],
  ];
  for (const [type, refusal] of cases) t.equal(read([message], type).refusal, refusal, type);
  const longest = 'b'.repeat(70);
  const long = printPackage({
    boundary: longest,
    parts: [{ head: ['Content-Type: text/xml'], content: '<a/>' }],
  });
  t.equal(read([long], HEADER + longest).refusal, null, '70 characters are in order');
  t.end();
});

t.test('an Include names one part of its own message', (t) => {
  const cases: readonly (readonly [string, string | null])[] = [
    [include('cid:a@x'), null],
    [include('CID:a%40x'), null],
    [include('http://127.0.0.1/a'), 'MTOM_EXTERNAL_HREF'],
    [include('file:///etc/passwd'), 'MTOM_EXTERNAL_HREF'],
    [include('a@x'), 'MTOM_EXTERNAL_HREF'],
    [include(''), 'MTOM_EXTERNAL_HREF'],
    [include('cid:'), 'MTOM_EXTERNAL_HREF'],
    [include('cid:%'), 'MTOM_EXTERNAL_HREF'],
    [include(' cid:a@x').replace(' cid', '&#32;cid'), 'MTOM_EXTERNAL_HREF'],
    [include(`cid:${'a'.repeat(5000)}`), 'MTOM_EXTERNAL_HREF'],
    [include('cid:root@x'), 'MTOM_EXTERNAL_HREF'],
    [include('cid:a@x') + include('cid:a%40x'), null],
    [include('cid:a@x').replace('href', 'src'), 'MTOM_EXTERNAL_HREF'],
    [include('cid:a@x').replace('href', 'size="1" href'), 'MTOM_EXTERNAL_HREF'],
    [include('cid:b@x'), 'MTOM_STRUCTURE'],
    [include('cid:a@x').replace('xop/include', 'xop/other'), null],
  ];
  for (const [element, refusal] of cases) {
    const envelope = `<e><skipped><c>${element}</c></skipped></e>`;
    t.equal(read([packRoot(ROOT, envelope)]).refusal, refusal, element.slice(0, 120));
  }
  t.end();
});

const BOUNDARY_CHARS = [..."0123456789ABCabc'()+_,-./:=?"];
const boundaries = fc.string({
  unit: fc.constantFrom(...BOUNDARY_CHARS),
  minLength: 1,
  maxLength: 70,
});

/**
 * Reads a message, and one with another byte, whole and in pieces: the outcome must be the same.
 */
function compareSplits(
  message: Buffer,
  type: string,
  cuts: readonly number[],
  place: number,
  byte: number,
): void {
  const mutated = Buffer.from(message);
  mutated[place % mutated.length] = byte;
  for (const given of [message, mutated]) {
    const whole = read([given], type);
    const cut = read(cutAt(given, cuts), type);
    if (JSON.stringify(whole) !== JSON.stringify(cut))
      throw new Error(`${JSON.stringify(whole)} ${JSON.stringify(cut)}`);
  }
}

t.test('random packages are read at any split, and mutated ones never crash', (t) => {
  const contents = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .array(
        fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r-', '\r--', '\r\n-', '\r\n--', 'a'),
        { maxLength: 30 },
      )
      .map((pieces) => Buffer.from(pieces.join(''))),
  );
  const places = fc.array(fc.nat(), { maxLength: 6 });
  const property = fc.property(
    boundaries,
    fc.array(contents, { maxLength: 5 }),
    places,
    fc.nat(),
    fc.nat(255),
    (boundary, attachments, cuts, place, byte) => {
      fc.pre(attachments.every((content) => !Buffer.from(content).includes(`--${boundary}`)));
      const envelope = '<E:Envelope xmlns:E="urn:e"><E:Body>\r\n-\r\n</E:Body></E:Envelope>\r\n';
      const message = printPackage({
        boundary,
        parts: [
          { head: ['Content-Type: text/xml; charset=utf-8'], content: envelope },
          ...attachments.map((content, index) => ({ head: [`Content-ID: <${index}>`], content })),
        ],
      });
      const type = `multipart/related; type="text/xml"; boundary="${boundary}"`;
      const outcome = read(cutAt(message, cuts), type);
      if (outcome.refusal !== null || outcome.envelope !== envelope)
        throw new Error(JSON.stringify(outcome));
      const withLineFeeds = Buffer.from(
        message.toString('latin1').replaceAll('\r\n', '\n'),
        'latin1',
      );
      for (const given of [message, withLineFeeds]) compareSplits(given, type, cuts, place, byte);
    },
  );
  fc.assert(property, { numRuns: 1000 });
  t.end();
});

t.test('the work grows with the bytes, whatever they are', (t) => {
  const boundary = `${'-'.repeat(69)}x`;
  const hostile = [
    '\r\n',
    `\r--${'-'.repeat(69)}`,
    '\n',
    '\r',
    `\r\n--${'-'.repeat(69)}`,
    '-',
    `\n--${'-'.repeat(68)}`,
  ];
  for (const unit of hostile) {
    const content = Buffer.alloc(MIB, unit);
    const message = printPackage({
      boundary,
      parts: [
        { head: ['Content-Type: text/xml'], content: '<a/>' },
        { head: [], content },
      ],
    });
    const pieces: Buffer[] = [];
    for (let at = 0; at < message.length; at += 7) pieces.push(message.subarray(at, at + 7));
    for (const [way, given] of [
      ['whole', [message]],
      ['in pieces of 7', pieces],
    ] as const) {
      const started = process.cpuUsage();
      const { refusal } = read(given, `multipart/related; boundary="${boundary}"`, MIB, 2 * MIB);
      const { user, system } = process.cpuUsage(started);
      t.comment(
        `1 MiB of ${JSON.stringify(unit.slice(0, 5))} ${way}: ` +
          `${Math.round((user + system) / 1000)} ms`,
      );
      t.equal(refusal, null, `${JSON.stringify(unit)} ${way}`);
    }
  }
  t.end();
});
