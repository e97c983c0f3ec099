import { Refusal } from '../../src/core/refusals/refusal.js';
import { ALL, type Interest, SKIP, type XmlHandler } from '../../src/xml/events.js';
import { XML_LIMITS, type XmlLimits } from '../../src/xml/limits.js';
import { XmlReader } from '../../src/xml/reader.js';
import { detachBuffer } from './detach.js';
import { isProgram, isQuick, print, table } from './kit.js';
import { millisOf } from './reader.js';

const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

/** Messages meant to take more than linear time, by their size. */
const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  attributes: (size) => `<a ${repeat(size / 10, (i) => ` b${i}=""`)}/>`,
  'attributes, prefixed': (size) => `<a xmlns:p="u" ${repeat(size / 10, (i) => ` p:b${i}=""`)}/>`,
  'declarations on one element': (size) => `<a ${repeat(size / 20, (i) => ` xmlns:p${i}="u"`)}/>`,
  'declarations, nested': (size) =>
    repeat(size / 20, (i) => `<a xmlns:p${i}="u">`) + '</a>'.repeat(size / 20),
  'the same prefix, nested': (size) =>
    '<a xmlns:p="u">'.repeat(size / 20) + '</a>'.repeat(size / 20),
  nesting: (size) => '<a>'.repeat(size / 7) + '</a>'.repeat(size / 7),
  'nesting, long names': (size) =>
    `<a${'b'.repeat(100)}>`.repeat(size / 200) + `</a${'b'.repeat(100)}>`.repeat(size / 200),
  'names all different': (size) => `<r>${repeat(size / 9, (i) => `<a${i}/>`)}</r>`,
  'one long name': (size) => `<${'a'.repeat(size)}/>`,
  'one long value': (size) => `<a b="${'x'.repeat(size)}"/>`,
  'attribute names with one hash': (size) =>
    `<a ${repeat(size / 20, (i) => ` ${colliding(i)}=""`)}/>`,
  'attribute names like numbers': (size) => `<a ${repeat(size / 10, (i) => ` _${i}=""`)}/>`,
  'element names with one hash': (size) =>
    `<r>${repeat(size / 15, (i) => `<${colliding(i)}/>`)}</r>`,
  'the other quote in a value': (size) => `<a b="${"'".repeat(size)}"/>`,
  'references in a value': (size) => `<a b="${'&lt;'.repeat(size / 4)}"/>`,
  'references in text': (size) => `<a>${'&lt;'.repeat(size / 4)}</a>`,
  'zeros in a reference': (size) => `<a>&#${'0'.repeat(size)}65;</a>`,
  'carriage returns': (size) => `<a>${'\r'.repeat(size)}</a>`,
  'square brackets': (size) => `<a>${']'.repeat(size)}</a>`,
  'square brackets in CDATA': (size) => `<a><![CDATA[${']'.repeat(size)}]]></a>`,
  'CDATA sections': (size) => `<a>${'<![CDATA[]]>'.repeat(size / 12)}</a>`,
  'a long comment': (size) => `<a><!--${' -x'.repeat(size / 3)}--></a>`,
  'many comments': (size) => `<a>${'<!---->'.repeat(size / 7)}</a>`,
  'many pieces of text': (size) => `<a>${'x<b/>'.repeat(size / 5)}</a>`,
  'tags that are never expected': (size) =>
    `<r>${repeat(size / 12, (i) => `<a${i % 3}/><b${i % 5}/>`)}</r>`,
  'tags that change at their end': (size) =>
    `<r>${repeat(size / 120, (i) => `<a b="${'x'.repeat(100)}" c${i % 3}=""/>`)}</r>`,
  'scopes that alternate': (size) =>
    `<r>${repeat(size / 40, (i) => `<p:a xmlns:p="u${i % 2}"><p:b/></p:a>`)}</r>`,
  'text with a > at each step': (size) => `<a>${'x]>'.repeat(size / 3)}</a>`,
  'text beyond ASCII': (size) => `<a>${'é€'.repeat(size / 5)}</a>`,
  'space in a tag': (size) => `<a${' '.repeat(size)}/>`,
  'space in an end tag': (size) => `<a></a${' '.repeat(size)}>`,
};

/** `Aa` and `BB` have one hash where it is multiplied by 31: names of such pairs all collide. */
function colliding(index: number): string {
  return Array.from({ length: 16 }, (_, bit) => ((index >> bit) & 1 ? 'Aa' : 'BB')).join('');
}

/** No limit but those of memory: what is measured is the reader, not how soon it refuses. */
const UNLIMITED: XmlLimits = Object.freeze(
  Object.fromEntries(Object.keys(XML_LIMITS).map((name) => [name, 1_000_000_000])),
) as XmlLimits;

/** Twice as much may take at most so many times as long. */
const MOST_TIMES = 2.3;
const CHUNK_BYTES = 64 * 1024;

/**
 * How much longer twice as much takes, in chunks and byte by byte, told in full and skipped: about
 * 2 where time is linear, 4 where it is quadratic. False when a shape takes more than it may.
 */
export function benchHostile(quick: boolean): boolean {
  detachBuffer();
  const size = quick ? 200_000 : 400_000;
  const rows = Object.entries(HOSTILE).flatMap(([name, make]) => {
    const [once, twice] = [Buffer.from(make(size)), Buffer.from(make(size * 2))];
    return [
      ['in chunks', CHUNK_BYTES, ALL] as const,
      ['skipped', CHUNK_BYTES, SKIP] as const,
      ['byte by byte', 1, ALL] as const,
    ].map(([how, chunkBytes, interest]) => {
      const { millis, times } = compare(once, twice, chunkBytes, interest);
      return [
        `${name}, ${how}`,
        ((millis * 1e6) / once.length).toFixed(1),
        times.toFixed(2),
        times > MOST_TIMES ? 'NO' : '',
      ];
    });
  });
  print(`\nHostile messages, ${size / 1000} and ${size / 500} KB, limits lifted\n\n`);
  print(table(['message', 'ns/byte', '2n to n', 'too much'], rows));
  return rows.every((row) => row[3] === '');
}

/**
 * The least of some runs of each, in turn; more runs when the machine may have been busy with
 * something else.
 */
function compare(
  once: Buffer,
  twice: Buffer,
  chunkBytes: number,
  interest: Interest,
): { millis: number; times: number } {
  // One for all, as a pool would lend it: what it allots for itself once is not what is measured.
  const handler: XmlHandler = { open: () => interest, close() {}, text() {} };
  const reader = new XmlReader(handler, UNLIMITED);
  const run = (message: Buffer): number => hostileMillis(reader, handler, message, chunkBytes);
  let [millis, double] = [Infinity, Infinity];
  for (let round = 0; round < 3; round++) run(twice);
  for (let round = 0; round < 40 && (round < 5 || double / millis > MOST_TIMES); round++) {
    millis = Math.min(millis, run(once));
    double = Math.min(double, run(twice));
  }
  return { millis, times: double / millis };
}

function hostileMillis(
  reader: XmlReader,
  handler: XmlHandler,
  message: Buffer,
  chunkBytes: number,
): number {
  return millisOf(() => {
    reader.reset(handler);
    try {
      for (let at = 0; at < message.length; at += chunkBytes)
        reader.write(message.subarray(at, at + chunkBytes));
      reader.end();
    } catch (caught) {
      if (caught instanceof Refusal)
        throw new Error(`a hostile message was refused: ${caught.detail}`);
      throw caught;
    }
  });
}

if (isProgram(import.meta.url) && !benchHostile(isQuick())) process.exitCode = 1;
