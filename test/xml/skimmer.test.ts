import assert from 'node:assert/strict';

import fc from 'fast-check';
import t from 'tap';

import { Refusal } from '../../src/core/refusals/refusal.js';
import { ELEMENTS as ELEMENTS_WORD } from '../../src/xml/assembly/layout.js';
import { ELEMENTS_ONLY, type Interest, SKIP } from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { COPIED_BYTES_MIN, skimMemory } from '../../src/xml/skim-memory.js';
import { orders } from '../bench/messages.js';
import { cutAt } from '../kit/splits.js';
import { LIMITS, LogHandler, type Outcome, type ReadOptions, read } from './log.js';

const skipped = { interest: (): Interest => SKIP };

/** In pieces so small that the skimmer is left out. */
const stepwise = (message: Buffer, options: ReadOptions = skipped): Outcome =>
  read(
    Array.from(message, (byte) => Uint8Array.of(byte)),
    options,
  );

/** Behind it is room, so that the end of the message is not near. */
const within = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('<r>'), Buffer.from(content), Buffer.from(`</r>${' '.repeat(100)}`)]);

t.test('a message whose content is skipped goes through the skimmer, all of it at once', (t) => {
  const reader = new XmlReader(new LogHandler(() => SKIP), LIMITS);
  skimMemory.setWord(ELEMENTS_WORD, 0);
  reader.write(orders(5000));
  reader.end();
  t.ok(reader.elements > 100);
  t.equal(skimMemory.word(ELEMENTS_WORD), reader.elements);
  t.end();
});

t.test('every character and every reference is taken or refused as step by step', (t) => {
  const codes = [
    0x9, 0xa, 0xd, 0x20, 0x7e, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xfffe, 0xffff,
    0x10000,
  ];
  codes.push(0x1fffe, 0x10fffd, 0x10ffff);
  const characters = codes.map((code) => String.fromCodePoint(code));
  const references = [...codes, 0, 0x1f, 0xd800, 0xdfff, 0x110000, 0xfffffff].flatMap((code) => [
    `&#${code};`,
    `&#x${code.toString(16)};`,
    `&#x${code.toString(16).toUpperCase()};`,
    `&#000${code};`,
    `&#x${code.toString(16)} ;`,
  ]);
  const named = [
    '&lt;',
    '&gt;',
    '&amp;',
    '&quot;',
    '&apos;',
    '&lt',
    '&amp',
    '&quot',
    '&apos',
    '&quit;',
    '&apex;',
    '&nbsp;',
  ];
  const others = [
    '&;',
    '&#;',
    '&#x;',
    '&#xg;',
    '&#a;',
    '&#-1;',
    '& ',
    ']]>',
    ']]',
    ']>',
    '\0',
    '\x01',
    '\x1f',
  ];
  const sequences = [
    '80',
    'bf',
    'c0af',
    'c1bf',
    'c280',
    'c2',
    'e08080',
    'e0a080',
    'eda080',
    'edbfbf',
    'efbfbe',
    'e282',
  ];
  sequences.push('f0808080', 'f0908080', 'f48fbfbf', 'f4908080', 'f5808080', 'f09f98', 'ff', 'fe');
  const contents = [
    ...[...characters, ...references, ...named, ...others].map((text) => Buffer.from(text)),
    ...sequences.map((hex) => Buffer.from(hex, 'hex')),
  ];
  let accepted = 0;
  for (const content of contents) {
    for (const before of ['', 'a', 'fifteen bytes..', 'sixteen bytes...']) {
      const text = within(
        Buffer.concat([Buffer.from(`<a>${before}`), content, Buffer.from('</a>')]),
      );
      const value = within(
        Buffer.concat([Buffer.from(`<a b="${before}`), content, Buffer.from('"/>')]),
      );
      for (const message of [text, value]) {
        const expected = stepwise(message);
        if (expected.refusal === null) accepted++;
        assert.deepStrictEqual(read([message], skipped), expected, message.toString('latin1'));
      }
    }
  }
  t.ok(accepted > 500 && accepted < contents.length * 6, `${accepted} accepted`);
  t.end();
});

t.test('names, prefixes and attributes are taken or refused as step by step', (t) => {
  const names = [
    'a',
    '_',
    'A.b-c',
    'a1',
    '1a',
    '-a',
    '.a',
    'p:a',
    'p:1',
    'p:',
    ':a',
    'p:a:b',
    'q:a',
    'xml:a',
    'xmlns:a',
  ];
  names.push(
    'é',
    'aé',
    'fifteen-letters',
    'sixteen--letters',
    'seventeen-letters',
    `p:${'long'.repeat(20)}`,
    'a\u00b7',
    'a[',
  );
  names.push('longer-than-16-bytes:a', 'xmla', 'xmlns', 'xml', 'š:a');
  const tags = names.flatMap((name) => [
    `<${name}></${name}>`,
    `<${name}/>`,
    `<${name} />`,
    `<${name}></${name} >`,
    `<${name}></${name}x>`,
    `<a ${name}="1"/>`,
    `<a ${name}='1'></a>`,
    `<a p:b="1" ${name}="2"/>`,
    `<a ${name}="1" ${name}="2"/>`,
    `<a ${name}="1" b="2"></a>`,
    `<a ${name} = "1"/>`,
    `<a ${name}="1"b="2"/>`,
  ]);
  tags.push(
    '<a p:b="1" s:b="2"/>',
    '<a p:b="1" b="2"/>',
    '<a b="<"/>',
    '<a b="1"',
    '<a b="1"/',
    '<a b="1"/ >',
    '<a\n/>',
    '< a/>',
  );
  tags.push(
    '<a><b></a></b>',
    '</a>',
    '<a xmlns:q="u"><q:b/></a><q:b/>',
    '<a xmlns:p=""/>',
    '<!--c--><a/>',
    '<?p?><a/>',
  );
  let accepted = 0;
  for (const tag of tags) {
    const message = Buffer.from(
      '<r xmlns:p="urn:p" xmlns:s="urn:p" xmlns:longer-than-16-bytes="urn:l" xmlns:š="urn:s">' +
        `<b/>${tag}<c><d/></c></r>${' '.repeat(100)}`,
    );
    const expected = stepwise(message);
    if (expected.refusal === null) accepted++;
    assert.deepStrictEqual(read([message], skipped), expected, tag);
  }
  t.ok(accepted > 100 && accepted < tags.length - 100, `${accepted} of ${tags.length} accepted`);
  t.end();
});

t.test('limits hold at their edge', (t) => {
  const rows: readonly (readonly [
    name: string,
    limits: ReadOptions['limits'],
    content: (count: number) => string,
  ])[] = [
    ['XML_DEPTH_LIMIT', { depth: 60 }, (n) => `${'<a>'.repeat(n - 1)}${'</a>'.repeat(n - 1)}`],
    ['XML_CHILD_LIMIT', { children: 60 }, (n) => '<a>t</a>'.repeat(n)],
    ['XML_ELEMENT_LIMIT', { elements: 60 }, (n) => '<a/>'.repeat(n - 1)],
    ['XML_NAME_LIMIT', { nameChars: 60 }, (n) => `<b/><${'a'.repeat(n)}/>`],
    ['XML_NAME_LIMIT', { nameChars: 60 }, (n) => `<b ${'a'.repeat(n)}="1"/>`],
    ['XML_ATTR_VALUE_LIMIT', { attributeValueBytes: 60 }, (n) => `<b a="${'a'.repeat(n)}"/>`],
    [
      'XML_ATTR_LIMIT',
      { attributes: 60 },
      (n) => `<b${Array.from({ length: n }, (_, k) => ` a${k}="1"`).join('')}/>`,
    ],
    [
      'XML_ATTR_LIMIT',
      { attributes: 6 },
      (n) => `<b${Array.from({ length: n - 54 }, (_, k) => ` a${k}="1"`).join('')}/>`,
    ],
  ];
  for (const [code, limits, content] of rows) {
    const options = { ...skipped, limits: limits ?? {} };
    t.equal(read([within(content(60))], options).refusal, null, `${code}: 60`);
    const { refusal } = read([within(content(61))], options);
    t.match(refusal, code, `${code}: 61`);
    t.equal(refusal, stepwise(within(content(61)), options).refusal);
  }
  t.end();
});

t.test('what is longer than the part that is held is read on', (t) => {
  const long = (bytes: number): string => 'text '.repeat(bytes / 5);
  const contents = [
    `${'<a b="1">t</a>'.repeat(20_000)}`,
    `<a>${long(100_000)}</a>${'<c/>'.repeat(30_000)}`,
    `<a b="${long(65_000)}"/>${'<c/>'.repeat(30_000)}<a b="${long(65_000)}"/>`,
    `${'<a xmlns="urn:x"><b>é</b></a>'.repeat(5000)}`,
    `${'<a><![CDATA[x]]></a>'.repeat(5000)}${'<abc>'.repeat(50)}${long(70_000)}` +
      `${'</abc>'.repeat(50)}`,
  ];
  for (const content of contents) {
    const message = within(content);
    const expected = stepwise(message);
    t.equal(expected.refusal, null);
    t.same(read([message], skipped), expected);
    const pieces = Array.from({ length: Math.ceil(message.length / 1000) }, (_, k) =>
      message.subarray(k * 1000, k * 1000 + 1000),
    );
    t.same(read(pieces, skipped), expected);
    const broken = Buffer.concat([message.subarray(0, -110), Buffer.from('<x></r>')]);
    t.equal(read([broken], skipped).refusal, stepwise(broken).refusal);
  }
  t.end();
});

t.test('long text is taken or refused as step by step, wherever it is cut', (t) => {
  const specials = [
    '<b/>',
    '&amp;',
    '&#252;',
    '&#0;',
    '&nbsp;',
    'é',
    '€',
    '😀',
    '\r\n',
    '\x01',
    ']]>',
    ']]',
    ']',
    ']>',
    '>',
  ];
  const contents = [
    ...specials.map((text) => Buffer.from(text)),
    Buffer.from('c3', 'hex'),
    Buffer.from('eda080', 'hex'),
  ];
  const edges = [
    0,
    1,
    2,
    3,
    240,
    ...Array.from({ length: 24 }, (_, k) => COPIED_BYTES_MIN - 8 + k),
    2 * COPIED_BYTES_MIN,
  ];
  let accepted = 0;
  for (const interest of [SKIP, ELEMENTS_ONLY] as const) {
    const options = { interest: (): Interest => interest };
    for (const content of contents) {
      for (const edge of edges) {
        const before = Buffer.from(`<r><a>${'x'.repeat(edge)}`);
        const message = Buffer.concat([
          before,
          content,
          Buffer.from(`${'y '.repeat(400)}</a></r>`),
        ]);
        const expected = stepwise(message, options);
        if (expected.refusal === null) accepted++;
        const about = `${content} behind ${edge}, ${interest}`;
        assert.deepStrictEqual(read([message], options), expected, about);
        // The second part begins within the text: behind half of what comes before, and within the
        // special one.
        for (const at of [6 + (edge >> 1), before.length, before.length + 1]) {
          assert.deepStrictEqual(
            read([message.subarray(0, at), message.subarray(at)], options),
            expected,
            `${about}, cut at ${at}`,
          );
        }
      }
    }
  }
  t.ok(accepted > 500, `${accepted} accepted`);
  t.end();
});

t.test('messages that are read in turns do not meet', (t) => {
  const deep = `${'<abc>'.repeat(80)}text${'</abc>'.repeat(80)}`;
  const part = fc.constantFrom(
    ...[
      '<a b="1"><c>é</c></a>',
      '<p:a xmlns:p="urn:p"><p:b p:c="1"/></p:a>',
      '<a><!-- c --><b/></a >',
      deep,
      '<q:a/>',
      '</a>',
      '<x>',
    ],
  );
  const content = fc
    .array(part, { minLength: 1, maxLength: 12 })
    .map((parts) => within(parts.join('text')));
  fc.assert(
    fc.property(
      fc.tuple(content, content),
      fc.array(fc.nat(), { maxLength: 12 }),
      (messages, places) => {
        const runs = messages.map((message) => {
          const reader = new XmlReader(new LogHandler(() => SKIP), LIMITS);
          return {
            reader,
            message,
            pieces: [...cutAt(message, places)],
            refusal: null as string | null,
          };
        });
        while (runs.some(({ pieces }) => pieces.length > 0)) {
          for (const run of runs) {
            const piece = run.pieces.shift();
            if (piece === undefined) continue;
            try {
              run.reader.write(piece);
              if (run.pieces.length === 0) run.reader.end();
            } catch (caught) {
              if (!(caught instanceof Refusal)) throw caught;
              run.refusal = `${caught.code}: ${caught.detail}`;
              run.pieces.length = 0;
            }
          }
        }
        for (const { message, refusal, reader } of runs) {
          const expected = stepwise(message);
          assert.equal(refusal, expected.refusal);
          assert.equal(reader.skippedBytes, expected.skippedBytes);
        }
      },
    ),
    { numRuns: 500 },
  );
  t.end();
});

t.test('a skipped text of references is passed over once', async (t) => {
  for (const content of ['&#13;', '&lt;€', '&#x1F600;']) {
    const { skim } = skimMemory;
    let calls = 0;
    const count: typeof skim = (...range) => {
      calls++;
      return skim(...range);
    };
    Reflect.set(skimMemory, 'skim', count);
    const message = within(content.repeat(100_000));
    const reader = new XmlReader(new LogHandler(() => SKIP), LIMITS);
    reader.write(message);
    reader.end();
    Reflect.set(skimMemory, 'skim', skim);
    t.ok(calls <= message.length / 32_768, `${calls} calls for ${content}`);
  }
});
