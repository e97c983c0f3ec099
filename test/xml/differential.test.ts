import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import t from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import { isNcName } from '../../src/xml/chars.js';
import { XmlWriter } from '../../src/xml/writer.js';
import { cutAt } from '../kit/splits.js';
import { documents, places, print } from './documents.js';
import { read, result, textOf } from './log.js';

/** The same log as ours, of saxes; null for what it refuses. */
function readBySaxes(message: string): unknown {
  const log: unknown[] = [];
  const parser = new SaxesParser({ xmlns: true });
  let text = '';
  const flush = (): void => {
    if (text !== '') log.push({ text });
    text = '';
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('cdata', (piece) => {
    text += piece;
  });
  parser.on('opentag', (tag) => {
    flush();
    const list = Object.values(tag.attributes)
      .filter(({ prefix: p, name }) => p !== 'xmlns' && name !== 'xmlns')
      .map(({ uri, local: name, value }) => [`{${uri}}${name}`, value]);
    log.push({ open: `{${tag.uri}}${tag.local}`, prefix: tag.prefix, attributes: list });
  });
  parser.on('closetag', () => {
    flush();
    log.push('close');
  });
  try {
    parser.write(message).close();
    return log;
  } catch {
    return null;
  }
}

t.test('generated documents are read as saxes reads them, however they are cut', async (t) => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(documents, places, (document, cuts) => {
      const message = print(document);
      const outcome = read(cutAt(Buffer.from(message), cuts));
      const theirs = readBySaxes(message);
      if (outcome.refusal === null) accepted++;
      else refused++;
      const ours =
        outcome.refusal === null
          ? outcome.log.map((entry) =>
              typeof entry === 'object' && 'open' in entry
                ? { open: entry.open, prefix: entry.prefix, attributes: entry.attributes }
                : entry,
            )
          : null;
      assert.equal(JSON.stringify(ours), JSON.stringify(theirs), message);
    }),
    { numRuns: 2000 },
  );
  t.ok(accepted > 200 && refused > 200, `${accepted} accepted, ${refused} refused`);
});

t.test(
  'the same message gives the same outcome however it is cut, also when bytes are broken',
  async () => {
    fc.assert(
      fc.property(documents, places, fc.nat(), fc.nat({ max: 255 }), (document, cuts, at, byte) => {
        const message = Buffer.from(print(document));
        message[at % message.length] = byte;
        assert.deepStrictEqual(read(cutAt(message, cuts)), read([message]));
      }),
      { numRuns: 1000 },
    );
  },
);

t.test('more names than are cached stay distinct', async (t) => {
  const name = (i: number): string => `n${i % 7 === 0 ? 'x'.repeat(130) : ''}${(i * 7919) % 9000}`;
  const elements = Array.from(
    { length: 20_000 },
    (_, i) => `<${name(i)} ${name(i + 1)}="${i}"></${name(i)}>`,
  );
  const message = `<r>${elements.join('')}</r>`;
  for (const cuts of [[], [1000, 99_999, 400_001]]) {
    const { log } = read(cutAt(Buffer.from(message), cuts));
    const opened = log.filter((entry) => typeof entry === 'object' && 'open' in entry).slice(1);
    t.equal(opened.length, elements.length);
    const wrong = opened.findIndex(
      ({ open, attributes: list }, i) =>
        open !== `{}${name(i)}` ||
        list[0]?.[0] !== `{}${name(i + 1)}` ||
        list[0]?.[1] !== String(i),
    );
    t.equal(wrong, -1);
  }
  t.equal(
    result(read([Buffer.from(`<r>${'<a></a>'.repeat(3)}<a></b></r>`)])),
    'XML_NOT_WELLFORMED',
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        '<',
        '&',
        '>',
        ']]>',
        '"',
        "'",
        '\r',
        '\n',
        '\t',
        '\r\n',
        '-->',
        ' ',
        'a',
        '\u0085',
        '\u2028',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 6,
  }),
);
const writable = (text: string): boolean =>
  !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text) && Buffer.from(text).toString() === text;

t.test('what the writer writes reads back as it was given, and stays one value', async (t) => {
  let refused = 0;
  fc.assert(
    fc.property(anyText, anyText, places, (text, value, cuts) => {
      const write = (): Buffer =>
        new XmlWriter()
          .open('p', 'a')
          .namespace('p', 'urn:p')
          .namespace(null, 'urn:d')
          .attribute(null, 'b', value)
          .attribute('p', 'b', value)
          .text(text)
          .empty(null, 'c')
          .close()
          .finish();
      if (!writable(text) || !writable(value)) {
        refused++;
        assert.throws(write, { name: 'Refusal', code: 'BAD_USER_INPUT' });
        return;
      }
      const outcome = read(cutAt(write(), cuts));
      assert.equal(result(outcome), 'accepted');
      assert.equal(textOf(outcome), text);
      const opened = outcome.log.filter((entry) => typeof entry === 'object' && 'open' in entry);
      assert.deepStrictEqual(
        opened.map((entry) => [entry.open, entry.attributes]),
        [
          [
            '{urn:p}a',
            [
              ['{}b', value],
              ['{urn:p}b', value],
            ],
          ],
          ['{urn:d}c', []],
        ],
      );
    }),
    { numRuns: 1000 },
  );
  t.ok(refused > 50);
});

t.test('the writer writes', async (t) => {
  const written = new XmlWriter()
    .open(null, 'a')
    .attribute(null, 'b', '<&>"\'\t\n\r')
    .open('', 'c')
    .text('')
    .close()
    .text('<&>"\'\r\n]]>')
    .close()
    .finish();
  t.equal(
    written.toString(),
    '<a b="&lt;&amp;&gt;&quot;\'&#9;&#10;&#13;"><c></c>&lt;&amp;&gt;"\'&#13;\n]]&gt;</a>',
  );
  t.throws(() => new XmlWriter().open(null, 'a').finish(), /invariant/);
  t.throws(() => new XmlWriter().close(), /invariant/);
  t.throws(() => new XmlWriter().text('x'), /invariant/);
  t.throws(() => new XmlWriter().finish(), /invariant/);
  t.throws(() => new XmlWriter().open(null, 'a').text('x').attribute(null, 'b', 'c'), /invariant/);
  t.throws(() => new XmlWriter().empty(null, 'a').open(null, 'b'), /invariant/);
  for (const bad of ['\0', '\x1f', '\ufffe', '\ud800', '\udc00\ud800']) {
    t.throws(() => new XmlWriter().open(null, 'a').text(bad), Refusal);
    t.throws(() => new XmlWriter().open(null, 'a').attribute(null, 'b', bad), Refusal);
    t.throws(() => new XmlWriter().open(null, 'a').namespace('b', bad), Refusal);
  }
});

t.test('NCNames', async (t) => {
  for (const name of ['a', '_', 'é', 'a-b.c1·', '\u{10000}', '__proto__'])
    t.ok(isNcName(name), name);
  for (const name of [
    '',
    '1',
    '-a',
    '.a',
    'a:b',
    ':',
    'a b',
    'a>',
    '·a',
    '\ud800',
    'a\uffff',
    '×',
    'a=""',
  ])
    t.notOk(isNcName(name), name);
});
