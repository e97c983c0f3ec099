import t from 'tap';
import type { Place } from '../../src/core/refusals/facts.js';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { ALL, ELEMENTS_ONLY, PRESENCE, SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { LIMITS } from './log.js';

/**
 * Refuses elements called `open`, `close` and `text` at that event; skips the content of `skip`.
 */
function refusing(): XmlHandler {
  const names: string[] = [];
  const refuse = (): never => {
    throw new Refusal('SOAP_STRUCTURE', 'refused');
  };
  return {
    open({ local }) {
      names.push(local);
      if (local === 'open') refuse();
      if (local === 'skip') return SKIP;
      return local === 'text' ? ALL : local === 'presence' ? PRESENCE : ELEMENTS_ONLY;
    },
    close() {
      if (names.pop() === 'close') refuse();
    },
    text() {
      refuse();
    },
  };
}

function placeOf(chunks: readonly Buffer[], charset: string | null): Place | null {
  const reader = new XmlReader(refusing(), LIMITS);
  reader.begin(charset);
  reader.locateRefusals();
  try {
    for (const chunk of chunks) reader.write(Buffer.from(chunk));
    reader.end();
  } catch (caught) {
    if (caught instanceof Refusal) return caught.place;
    throw caught;
  }
  return null;
}

const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const ENCODINGS: readonly (readonly [
  charset: string | null,
  mark: string,
  encode: (text: string) => Buffer,
])[] = [
  [null, '', (text) => Buffer.from(text)],
  [null, '\ufeff', (text) => Buffer.from(text)],
  ['utf-16', '\ufeff', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16le', '', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', '', big],
  ['iso-8859-1', '', (text) => Buffer.from(text, 'latin1')],
];

/** The place that is expected is marked, and not part of the message. */
const MARK = '\u2502';
/** Longer than what is counted without WebAssembly, with characters of every length. */
const LINES = `${'  <b a="é">ü\u00df</b>\n'.repeat(40)}`;

const CASES: readonly (readonly [name: string, message: string])[] = [
  ['an end tag', `<a>\n${LINES}<b>\n</${MARK}c></a>`],
  ['an end tag in many lines', `<a>\n<b\n>\r\n</b\n${MARK}c></a>`],
  ['a character', `<a>\n\n<b>1 ${MARK}& 2`.replace(`${MARK}& `, `&${MARK} `)],
  [
    'an attribute twice, found behind its tag',
    `<a>\n\n${MARK}<b c="1"\n  d="2"\n c="3"\n></b></a>`,
  ],
  ['a prefix that is not declared', `<a>\n${LINES}\n${MARK}<p:b\n\n/></a>`],
  ['an attribute value', `<a>\n<b c="1"\n d="${MARK}<"/></a>`],
  ['the end', `<a>\n<b>\n</b>\n${MARK}`],
  ['text behind the document element', `<a>\n</a>\n\n ${MARK}x`],
  ['a DTD behind a declaration in two lines', `<?xml version="1.0"\n?>\n${MARK}<!DOCTYPE a>`],
  ['a refusal at a start tag', `<a>\n${LINES}\n${MARK}<open\n\n x="1"\n>\n</open></a>`],
  ['a refusal at an end tag', `<a><close>\n<b\n/>\n</close\n${MARK}></a>`],
  [
    'a refusal at an end tag, behind what was skipped',
    `<a><close>\n<skip><p:x xmlns:p="u"\n/>\n</skip>\n</close${MARK}></a>`,
  ],
  ['a refusal at an empty element', `<a>\n<close x="1"\n/${MARK}></a>`],
  ['a refusal at a text', `<a>\n\n${MARK}<text\n>\n\nx</text></a>`],
  ['a refusal at a text behind an element', `<presence>\n<b>\n</b${MARK}>\n\n x</presence>`],
];

t.test(
  'a refusal has the line and the byte of the message as it was sent, however it is cut',
  async (t) => {
    for (const [name, marked] of CASES) {
      const at = marked.indexOf(MARK);
      const message = marked.replace(MARK, '');
      for (const [charset, mark, encode] of ENCODINGS) {
        const bytes = encode(mark + message);
        const before = marked.slice(0, at);
        const expected = { line: before.split('\n').length, byte: encode(mark + before).length };
        const wrong: unknown[] = [];
        for (let cut = 0; cut < bytes.length; cut++) {
          const found = placeOf([bytes.subarray(0, cut), bytes.subarray(cut)], charset);
          if (found?.line !== expected.line || found.byte !== expected.byte)
            wrong.push({ cut, found });
        }
        const single = placeOf(
          Array.from(bytes, (byte) => Buffer.of(byte)),
          charset,
        );
        t.same(
          [...wrong.slice(0, 3), single],
          [expected],
          `${name}, ${charset ?? 'utf-8'}${mark === '' ? '' : ' with a mark'}`,
        );
      }
    }
  },
);

t.test('bytes that their encoding does not have are behind all that was read', async (t) => {
  const utf8 = Buffer.concat([Buffer.from('<a>\n\n<b>'), Buffer.of(0xc3, 0x28)]);
  const utf16 = Buffer.concat([
    Buffer.from('\ufeff<a>\n\n<b>', 'utf16le'),
    Buffer.of(0x00, 0xdc, 0x41, 0x00),
  ]);
  const ascii = Buffer.concat([Buffer.from('<a>\n\n<b>'), Buffer.of(0xe9)]);
  for (const [bytes, charset, byte] of [
    [utf8, null, 8],
    [utf16, 'utf-16', 18],
    [ascii, 'us-ascii', 8],
  ] as const) {
    for (let cut = 0; cut < bytes.length; cut++) {
      t.same(
        placeOf([bytes.subarray(0, cut), bytes.subarray(cut)], charset),
        { line: 3, byte },
        `${charset} ${cut}`,
      );
    }
  }
});

t.test('lines are counted in chunks of any length', async (t) => {
  for (const length of [
    0, 1, 15, 16, 17, 255, 256, 257, 271, 272, 273, 65_535, 65_536, 65_537, 200_000,
  ]) {
    const text = Array.from({ length }, (_, i) => (i % 7 === 3 || i % 64 === 63 ? '\n' : 'x')).join(
      '',
    );
    const chunk = Buffer.from(`<a>${text}`);
    const expected = { line: text.split('\n').length, byte: chunk.length + 1 };
    t.same(placeOf([chunk, Buffer.from('& ')], null), expected, `${length} bytes`);
    t.same(
      placeOf([Buffer.concat([chunk, Buffer.from('& ')])], null),
      expected,
      `${length} bytes at once`,
    );
  }
});
