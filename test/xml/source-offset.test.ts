import fc from 'fast-check';
import t from 'tap';
import { SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { sourceOffset } from '../../src/xml/source-offset.js';
import { LIMITS } from './log.js';

/**
 * What stands between the start and the end tag of the one child, cut out of the bytes as they were
 * sent.
 */
function cutOut(bytes: Buffer, charset: string | null): { whole: Buffer; content: Buffer } {
  const offsets: number[] = [];
  const handler: XmlHandler = {
    open(tag) {
      offsets.push(tag.offsetBytes, tag.contentBytes);
      return tag.depth === 1 ? 1 : SKIP;
    },
    close(contentEndBytes, endBytes) {
      offsets.push(contentEndBytes, endBytes);
    },
    text() {},
  };
  const reader = new XmlReader(handler, LIMITS);
  reader.begin(charset);
  reader.write(bytes);
  reader.end();
  const [begin = 0, contentBegin = 0, contentEnd = 0, end = 0] = offsets
    .slice(2)
    .map((offset) => sourceOffset(bytes, reader.encoding ?? 'utf-8', offset));
  return { whole: bytes.subarray(begin, end), content: bytes.subarray(contentBegin, contentEnd) };
}

const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const ENCODERS: readonly (readonly [string, string, (text: string) => Buffer])[] = [
  ['utf-8', '', (text) => Buffer.from(text)],
  ['utf-8', '\ufeff', (text) => Buffer.from(text)],
  ['utf-16', '\ufeff', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16le', '', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16', '\ufeff', big],
  ['utf-16be', '', big],
  ['iso-8859-1', '', (text) => Buffer.from(text, 'latin1')],
  ['us-ascii', '', (text) => Buffer.from(text, 'latin1')],
];

t.test('the place of an element in the bytes as they were sent', async (t) => {
  for (const [name, mark, encode] of ENCODERS) {
    const all = name.startsWith('utf');
    for (const declared of ['', `<?xml version="1.0" encoding="${name}"?>`]) {
      const letters = all
        ? ['a', 'é', '€', '😀', '\n']
        : name === 'us-ascii'
          ? ['a', 'b']
          : ['a', 'é', 'ÿ'];
      const texts = fc
        .array(fc.constantFrom(...letters), { maxLength: 5 })
        .map((parts) => parts.join(''));
      fc.assert(
        fc.property(texts, texts, texts, (before, value, content) => {
          const child = `<b c="${value}">${content}</b>`;
          const found = cutOut(encode(`${mark}${declared}<a>${before}${child}${before}</a>`), name);
          return found.whole.equals(encode(child)) && found.content.equals(encode(content));
        }),
        { numRuns: 50 },
      );
    }
  }
  const windows = Buffer.from('<a>\x80\xe9<b>\x80</b></a>', 'latin1');
  t.equal(cutOut(windows, 'windows-1252').whole.toString('latin1'), '<b>\x80</b>');
  t.throws(() => sourceOffset(windows, 'windows-1252', 4), /invariant/, 'within a character');
  t.throws(() => sourceOffset(windows, 'windows-1252', 400), /invariant/, 'behind the end');
});
