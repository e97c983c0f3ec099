import t from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { LIMITS, LogHandler, type Outcome, type ReadOptions, read, result, textOf } from './log.js';

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const bytes = (...values: readonly (number | string)[]): Uint8Array =>
  Buffer.concat(
    values.map((value) =>
      typeof value === 'number' ? Buffer.of(value) : Buffer.from(value, 'utf8'),
    ),
  );

/** What comes of a message, however it is cut. */
function outcomeOf(message: string | Uint8Array, options: ReadOptions = {}): Outcome {
  const whole = typeof message === 'string' ? utf8(message) : message;
  return assertSplitsAgree(whole, (pieces) => read(pieces, options));
}

type Row = readonly [rule: string, result: string, message: string | Uint8Array];

const BAD = 'XML_NOT_WELLFORMED';
const NS = 'XML_NS_ERROR';
const OK = 'accepted';

const RULES: readonly Row[] = [
  ['an empty element', OK, '<a/>'],
  ['an element', OK, '<a></a>'],
  ['white space around the document element', OK, ' \t\r\n<a/>\n '],
  ['white space in tags', OK, '<a\t\r\n b = "c"\n d\t=\r\'e\' ></a \r\n>'],
  ['no white space needed before />', OK, '<a b="c"/>'],
  [
    'comments anywhere between tags',
    OK,
    '<!-- x --><a><!----><!-- - -- --></a><!--y-->'.replace(' -- ', ' '),
  ],
  ['names beyond ASCII', OK, '<é><𐀀·/></é>'],
  ['names with dots and hyphens', OK, '<a.b-c_d1 _.-="1"/>'],
  [
    'prototype names',
    OK,
    '<__proto__ constructor="1" __proto__="2"><toString/><hasOwnProperty/></__proto__>',
  ],
  ['nothing at all', BAD, ''],
  ['white space only', BAD, ' \n'],
  ['a comment only', BAD, '<!-- -->'],
  ['text before the document element', BAD, 'x<a/>'],
  ['text behind the document element', BAD, '<a/>x'],
  ['a reference behind the document element', BAD, '<a/>&#32;'],
  ['a CDATA section behind the document element', BAD, '<a/><![CDATA[]]>'],
  ['a byte order mark inside', BAD, '<a/>\ufeff'],
  ['a second document element', BAD, '<a/><b/>'],
  ['an end tag without a start tag', BAD, '</a>'],
  ['an end tag behind the document element', BAD, '<a></a></a>'],
  ['an element not ended', BAD, '<a><b></b>'],
  ['a start tag not ended', BAD, '<a'],
  ['an end tag not ended', BAD, '<a></a'],
  ['elements crossed', BAD, '<a><b></a></b>'],
  ['an end tag too long', BAD, '<a></ab>'],
  ['an end tag too short', BAD, '<ab></a>'],
  ['another case', BAD, '<a></A>'],
  ['another prefix with the same meaning', BAD, '<p:a xmlns:p="u" xmlns:q="u"></q:a>'],
  ['an end tag with attributes', BAD, '<a></a b="c">'],
  ['a space before the name', BAD, '< a/>'],
  ['a space before the end name', BAD, '<a></ a>'],
  ['a space in />', BAD, '<a/ >'],
  ['a name with a digit first', BAD, '<1a/>'],
  ['a name with a hyphen first', BAD, '<-a/>'],
  ['a name with a middle dot first', BAD, '<·a/>'],
  ['a name with a character that is none of names', BAD, '<a×/>'],
  ['a name with other ASCII', BAD, '<a$/>'],
  ['no name', BAD, '<>'],
  ['no end name', BAD, '<a></>'],
  ['a stray <', BAD, '<a> < </a>'],
  ['a double <', BAD, '<<a/>'],
  ['an attribute without value', BAD, '<a b/>'],
  ['an attribute without =', BAD, '<a b "c"/>'],
  ['an attribute without quotes', BAD, '<a b=c/>'],
  ['an attribute with an open quote', BAD, '<a b="c/>'],
  ['an attribute with mixed quotes', BAD, '<a b="c\'/>'],
  ['attributes without space between', BAD, '<a b="c"d="e"/>'],
  ['an attribute name with a digit first', BAD, '<a 1b="c"/>'],
  ['the other quote in a value', OK, '<a b="\'" c=\'"\'/>'],
  ['> in a value', OK, '<a b=">]]>"/>'],
  ['< in a value', BAD, '<a b="<"/>'],
  ['an attribute twice', BAD, '<a b="1" b="2"/>'],
  ['an attribute twice among many', BAD, `<a ${letters(12)} b="2"/>`],
  ['many attributes', OK, `<a ${letters(12)}/>`],
  ['a control character in a value', BAD, '<a b="\u0001"/>'],
  ['a control character in text', BAD, '<a>\u0008</a>'],
  ['a control character in a comment', BAD, '<a><!-- \u0000 --></a>'],
  ['a control character in CDATA', BAD, '<a><![CDATA[\u001f]]></a>'],
  ['a control character between attributes', BAD, '<a \u0001b="c"/>'],
  ['DEL and C1 controls, which XML 1.0 allows', OK, '<a>\u007f\u0085\u009f</a>'],
  ['U+FFFE in text', BAD, '<a>\ufffe</a>'],
  ['U+FFFF in a value', BAD, '<a b="\uffff"/>'],
  ['U+FFFF in a comment', BAD, '<a><!--\uffff--></a>'],
  ['U+FFFF in CDATA', BAD, '<a><![CDATA[\uffff]]></a>'],
  ['U+FFFF in a name', BAD, '<a\uffff/>'],
  ['U+FFFD, U+1FFFE, U+10FFFF', OK, '<a>\ufffd\u{1fffe}\u{10ffff}</a>'],
  [']]> in text', BAD, '<a>]]></a>'],
  [']]> in text with more brackets', BAD, '<a>x]]]]></a>'],
  [']]> behind a reference', BAD, '<a>&lt;]]></a>'],
  [']]> behind a CDATA section', BAD, '<a><![CDATA[]]>]]></a>'],
  ['] ]> and ]> in text', OK, '<a>] ]>]>]]</a>'],
  [']]> interrupted by a comment', OK, '<a>]<!-- -->]><!-- -->]]<b/>></a>'],
  [']]&gt; in text', OK, '<a>]]&gt;&#93;]></a>'],
  ['the five entities', OK, '<a b="&lt;&gt;&amp;&apos;&quot;">&lt;&gt;&amp;&apos;&quot;</a>'],
  ['an unknown entity', BAD, '<a>&nbsp;</a>'],
  ['an unknown entity in a value', BAD, '<a b="&x;"/>'],
  ['an entity in capitals', BAD, '<a>&LT;</a>'],
  ['an entity too long', BAD, '<a>&quots;</a>'],
  ['an entity named like a prototype', BAD, '<a>&constructor;</a>'],
  ['an ampersand alone', BAD, '<a>& </a>'],
  ['an empty reference', BAD, '<a>&;</a>'],
  ['a reference without ;', BAD, '<a>&lt</a>'],
  ['a reference cut by the end of the value', BAD, '<a b="&lt"/>'],
  [
    'character references',
    OK,
    '<a b="&#9;&#xA;&#13;">&#x41;&#65;&#x10FFFF;&#x0000000000000000000041;&#xd7ff;&#xE000;</a>',
  ],
  ['an empty character reference', BAD, '<a>&#;</a>'],
  ['an empty hexadecimal reference', BAD, '<a>&#x;</a>'],
  ['X for x', BAD, '<a>&#X41;</a>'],
  ['a letter in a decimal reference', BAD, '<a>&#6a;</a>'],
  ['g in a hexadecimal reference', BAD, '<a>&#xg;</a>'],
  ['punctuation in a hexadecimal reference', BAD, '<a>&#x4:;</a>'],
  ['a reference to U+0000', BAD, '<a>&#0;</a>'],
  ['a reference to a control character', BAD, '<a>&#8;</a>'],
  ['a reference to a surrogate', BAD, '<a>&#xD800;</a>'],
  ['a reference to U+FFFF', BAD, '<a b="&#xFFFF;"/>'],
  ['a reference beyond U+10FFFF', BAD, '<a>&#x110000;</a>'],
  ['a reference beyond everything', BAD, '<a>&#99999999999999999999999999;</a>'],
  ['-- in a comment', BAD, '<a><!-- a -- b --></a>'],
  ['--- at the end of a comment', BAD, '<a><!-- a ---></a>'],
  ['the shortest comment that is none', BAD, '<a><!--></a>'],
  ['the next that is none', BAD, '<a><!---></a>'],
  ['a comment begun by one hyphen', BAD, '<a><!- x --></a>'],
  ['a comment not ended', BAD, '<a><!-- </a>'],
  ['a comment in a tag', BAD, '<a <!-- --> />'],
  ['CDATA', OK, '<a><![CDATA[<&>"\']]]]></a>'],
  ['CDATA in lower case', BAD, '<a><![cdata[]]></a>'],
  ['CDATA cut', BAD, '<a><![CDAT[]]></a>'],
  ['CDATA not ended', BAD, '<a><![CDATA[]]</a>'],
  ['a declaration of an element', BAD, '<a><!ELEMENT a ANY></a>'],
  ['a DTD', 'XML_DTD_FORBIDDEN', '<!DOCTYPE a><a/>'],
  ['a DTD that is not even complete', 'XML_DTD_FORBIDDEN', bytes('<!D', 0, 0xff)],
  ['a DTD in content', 'XML_DTD_FORBIDDEN', '<a><!DOCTYPE a></a>'],
  ['a processing instruction in front', 'XML_PI_FORBIDDEN', '<?xml-stylesheet href="x"?><a/>'],
  ['a processing instruction in content', 'XML_PI_FORBIDDEN', '<a><?php x ?></a>'],
  ['a processing instruction behind', 'XML_PI_FORBIDDEN', '<a/><?x?>'],
  ['a declaration behind white space', 'XML_PI_FORBIDDEN', ' <?xml version="1.0"?><a/>'],
  ['a second declaration', 'XML_PI_FORBIDDEN', '<?xml version="1.0"?><?xml version="1.0"?><a/>'],
  ['prefixes', OK, '<p:a xmlns:p="u" p:b="1"><p:c p:d="2"/></p:a>'],
  ['an unbound prefix on an element', NS, '<p:a/>'],
  ['an unbound prefix on an attribute', NS, '<a p:b="c"/>'],
  ['an unbound prefix within an end', NS, '<a><b xmlns:p="u"/><p:c/></a>'],
  ['a prefix used before its declaration', OK, '<p:a p:b="" xmlns:p="u"/>'],
  ['the prefix xml', OK, '<a xml:lang="en" xml:space="preserve"/>'],
  ['the prefix xml declared as it is', OK, '<a xmlns:xml="http://www.w3.org/XML/1998/namespace"/>'],
  ['the prefix xml bound to another', NS, '<a xmlns:xml="u"/>'],
  [
    'another prefix for the namespace of xml',
    NS,
    '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>',
  ],
  ['the namespace of xml as default', NS, '<a xmlns="http://www.w3.org/XML/1998/namespace"/>'],
  ['the prefix xmlns declared', NS, '<a xmlns:xmlns="u"/>'],
  ['a prefix for the namespace of xmlns', NS, '<a xmlns:p="http://www.w3.org/2000/xmlns/"/>'],
  ['the namespace of xmlns as default', NS, '<a xmlns="http://www.w3.org/2000/xmlns/"/>'],
  ['an element with the prefix xmlns', NS, '<xmlns:a/>'],
  ['a prefix undeclared', NS, '<a xmlns:p="u"><b xmlns:p=""/></a>'],
  ['the default undeclared', OK, '<a xmlns="u"><b xmlns=""/></a>'],
  ['the same default twice', BAD, '<a xmlns="u" xmlns="v"/>'],
  ['the same prefix twice', BAD, '<a xmlns:p="u" xmlns:p="u"/>'],
  ['an attribute twice under two prefixes', NS, '<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>'],
  ['the same among many', NS, `<a xmlns:p="u" xmlns:q="u" p:b="1" ${letters(12)} q:b="2"/>`],
  ['the same local name in two namespaces', OK, '<a xmlns="u" xmlns:p="u" b="1" p:b="2"/>'],
  ['two colons', NS, '<a:b:c xmlns:a="u"/>'],
  ['a colon first', NS, '<:a/>'],
  ['a colon last', NS, '<a: xmlns:a="u"/>'],
  ['a colon before a digit', NS, '<a:1 xmlns:a="u"/>'],
  ['xmlns: without prefix', NS, '<a xmlns:="u"/>'],
];

function letters(count: number): string {
  return Array.from({ length: count }, (_, i) => `${String.fromCharCode(98 + i)}="1"`).join(' ');
}

t.test('every rule of XML and namespaces, however the message is cut', async (t) => {
  for (const [rule, expected, message] of RULES)
    t.equal(result(outcomeOf(message)), expected, rule);
});

t.test('every beginning of a message is incomplete, nothing more', async (t) => {
  const message =
    '<?xml version="1.0"?><p:a xmlns:p="u" b="&lt;é"><!-- c --><![CDATA[d]]>e&#65;€<f/></p:a>';
  const whole = utf8(message);
  for (let length = 0; length < whole.length; length++) {
    const outcome = read([whole.subarray(0, length)]);
    // As long as no white space follows `<?xml`, it is the beginning of any processing instruction.
    const codes =
      length >= 2 && length <= 5 ? ['XML_PI_FORBIDDEN'] : ['XML_NOT_WELLFORMED', 'XML_ENCODING'];
    if (!codes.includes(result(outcome))) t.fail(`cut at ${length}`);
    if (!/at byte \d+$/.test(outcome.refusal ?? '')) t.fail(`no place at ${length}`);
  }
  t.equal(result(read([whole])), OK);
});

t.test('UTF-8 is read strictly', async (t) => {
  const broken: readonly (readonly number[])[] = [
    [0x80],
    [0xbf],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xc3],
    [0xc3, 0x28],
    [0xe0, 0x80, 0x80],
    [0xe0, 0x9f, 0xbf],
    [0xe2, 0x82],
    [0xe2, 0x28, 0xa1],
    [0xe2, 0x82, 0x28],
    [0xed, 0xa0, 0x80],
    [0xed, 0xbf, 0xbf],
    [0xf0, 0x80, 0x80, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf0, 0x9f, 0x98],
    [0xf0, 0x9f, 0x98, 0x28],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xfe],
    [0xff],
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  ];
  for (const sequence of broken) {
    const name = Buffer.from(sequence).toString('hex');
    t.equal(result(outcomeOf(bytes('<a>x', ...sequence, '</a>'))), 'XML_ENCODING', `text ${name}`);
    t.equal(
      result(outcomeOf(bytes('<a b="', ...sequence, '"/>'))),
      'XML_ENCODING',
      `value ${name}`,
    );
    t.equal(
      result(outcomeOf(bytes('<a><!--', ...sequence, '--></a>'))),
      'XML_ENCODING',
      `comment ${name}`,
    );
    t.equal(
      result(outcomeOf(bytes('<a><![CDATA[', ...sequence, ']]></a>'))),
      'XML_ENCODING',
      `CDATA ${name}`,
    );
    t.equal(result(outcomeOf(bytes('<a', ...sequence, '/>'))), 'XML_ENCODING', `name ${name}`);
    t.not(result(outcomeOf(bytes('<a/>', ...sequence))), OK, `behind ${name}`);
  }
  t.equal(
    textOf(outcomeOf('<a>\u0080\u07ff\u0800\ud7ff\ue000\ufffd😀\u{10ffff}</a>')),
    '\u0080\u07ff\u0800\ud7ff\ue000\ufffd😀\u{10ffff}',
  );
});

t.test('line ends, values and references mean what XML says', async (t) => {
  const text = (message: string): string => textOf(outcomeOf(message));
  t.equal(text('<a>1\r\n2\r3\n4\r\r\n5&#13;\n</a>'), '1\n2\n3\n4\n\n5\r\n');
  t.equal(text('<a><![CDATA[1\r\n2\r3\r]]>\n\r<!-- -->\n<![CDATA[\n]]></a>'), '1\n2\n3\n\n\n\n\n');
  t.equal(text('<a>&lt;b&gt;&amp;amp;&#x1F600;&apos;&quot;</a>'), '<b>&amp;😀\'"');
  t.equal(text('<a>x<![CDATA[<y>&lt;]]]]]>&gt;z<!-- no --></a>'), 'x<y>&lt;]]]>z');
  const value = (written: string): unknown => outcomeOf(`<a b="${written}"/>`).log[0];
  const expect = (normalised: string): unknown => ({
    open: '{}a',
    prefix: '',
    depth: 1,
    offset: 0,
    attributes: [['{}b', normalised]],
  });
  t.strictSame(value('1\t2\n3\r4\r\n5  6'), expect('1 2 3 4 5  6'));
  t.strictSame(value('&#9;&#10;&#13;&#32;&lt;&quot;é€😀'), expect('\t\n\r <"é€😀'));
  t.strictSame(value(''), expect(''));
});

t.test('names are reported with their namespaces', async (t) => {
  const { log } = outcomeOf(
    '<?xml version="1.0"?>\n<a xmlns="u" xmlns:p="v&amp;w"><p:b c="1" p:c="2"/>' +
      '<d xmlns="" p:e="" xmlns:p="x"/><d/></a>',
  );
  t.strictSame(
    log.map((entry) =>
      typeof entry === 'object' && 'open' in entry
        ? [entry.open, entry.depth, entry.offset, ...entry.attributes.map((a) => a[0])]
        : entry,
    ),
    [
      ['{u}a', 1, 22],
      ['{v&w}b', 2, 53, '{}c', '{v&w}c'],
      'close',
      ['{}d', 2, 73, '{x}e'],
      'close',
      ['{u}d', 2, 105],
      'close',
      'close',
    ],
  );
});

t.test('the tag answers for its attributes and prefixes', async (t) => {
  const seen: unknown[] = [];
  const interest = (tag: StartTag): Interest => {
    seen.push([
      tag.attribute('', 'b'),
      tag.attribute('v', 'b'),
      tag.attribute('', 'none'),
      tag.namespace(''),
      tag.namespace('p'),
      tag.namespace('none'),
      tag.namespace('xml'),
      tag.declares('v'),
      tag.declares('u'),
      tag.attributeValue(9),
    ]);
    return ALL;
  };
  outcomeOf('<x/>', { interest });
  t.strictSame(seen[0], [
    null,
    null,
    null,
    '',
    null,
    null,
    'http://www.w3.org/XML/1998/namespace',
    false,
    false,
    '',
  ]);
  seen.length = 0;
  read([utf8('<a xmlns="u"><c b="1" p:b="2" xmlns:p="v"/></a>')], { interest });
  t.strictSame(seen[1], [
    '1',
    '2',
    null,
    'u',
    'v',
    null,
    'http://www.w3.org/XML/1998/namespace',
    true,
    false,
    '',
  ]);
});

t.test('the handler receives the events it asked for', async (t) => {
  const message =
    '<a>1<b>2<c>3</c></b>4<d> \n<e/>&#32;<f/>x&amp;<g/><![CDATA[ ]]><h/>&amp;<!-- -->y</d></a>';
  const between = (from: string, to: string): number =>
    message.indexOf(to) - message.indexOf(from) - from.length;
  const by = (interests: Readonly<Record<string, Interest>>): unknown => {
    const { log, skippedBytes } = outcomeOf(message, {
      interest: (tag) => interests[tag.local] ?? ALL,
    });
    const events = log.map((entry) =>
      typeof entry === 'string' ? '/' : 'open' in entry ? entry.open.slice(2) : `"${entry.text}"`,
    );
    return [events.join(' '), skippedBytes];
  };
  t.strictSame(by({ a: SKIP }), ['a /', message.length - 7]);
  t.strictSame(by({ a: ELEMENTS_ONLY, b: SKIP, d: SKIP }), [
    'a b / d / /',
    between('<b>', '</b>') + between('<d>', '</d>'),
  ]);
  t.strictSame(by({ a: ELEMENTS_ONLY, b: ALL, d: ELEMENTS_ONLY }), [
    'a b "2" c "3" / / d e / f / g / h / / /',
    0,
  ]);
  t.strictSame(by({ d: PRESENCE }), ['a "1" b "2" c "3" / / "4" d e / f / "" g / h / "" / /', 0]);
});

t.test('nothing is taken for a member of Object.prototype, and nothing is put there', async (t) => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort();
  const { log } = outcomeOf(
    '<__proto__ xmlns:constructor="u" constructor:__proto__="1" toString="2">' +
      '<valueOf/></__proto__>',
  );
  t.strictSame(log[0], {
    open: '{}__proto__',
    prefix: '',
    depth: 1,
    offset: 0,
    attributes: [
      ['{u}__proto__', '1'],
      ['{}toString', '2'],
    ],
  });
  t.equal(result(outcomeOf('<toString:a/>')), NS);
  t.strictSame(Object.getOwnPropertyNames(Object.prototype).sort(), before);
});

t.test('a reader that failed stays failed until it is reset', async (t) => {
  const handler = new LogHandler();
  const reader = new XmlReader(handler, LIMITS);
  const caught = (act: () => void): unknown => {
    try {
      act();
      return null;
    } catch (error) {
      return error;
    }
  };
  const first = caught(() => reader.write(utf8('<a></b>')));
  t.ok(first instanceof Refusal);
  t.equal(
    caught(() => reader.write(utf8('<a/>'))),
    first,
  );
  t.equal(
    caught(() => reader.end()),
    first,
  );
  reader.reset(handler);
  t.strictSame(
    [reader.bytes, reader.elements, reader.skippedBytes, reader.encoding],
    [0, 0, 0, null],
  );
  reader.write(utf8('<p:a xmlns:p="u"><b/></p:a>'));
  reader.end();
  t.strictSame([reader.bytes, reader.elements, reader.encoding], [27, 2, 'utf-8']);
  const own = new Error('of the handler');
  reader.reset(
    new LogHandler(() => {
      throw own;
    }),
  );
  t.equal(
    caught(() => reader.write(utf8('<a/>'))),
    own,
  );
  t.equal(
    caught(() => reader.end()),
    own,
  );
});

t.test('a released reader reports nothing until it is reset', async (t) => {
  const handler = new LogHandler();
  const reader = new XmlReader(handler, LIMITS);
  reader.write(utf8('<a><b>'));
  const before = [...handler.log];
  reader.release();
  t.throws(() => reader.write(utf8('<c/>')), { message: 'The reader was released' });
  t.throws(() => reader.end(), { message: 'The reader was released' });
  t.strictSame(handler.log, before);
  t.equal(reader.elements, 2, 'what was counted can still be read');
  const next = new LogHandler();
  reader.reset(next);
  reader.write(utf8('<a/>'));
  reader.end();
  t.strictSame(handler.log, before);
  t.ok(next.log.length > 0);
});

t.test(
  'a reader that is reset at any point reads the next message as a new one does',
  async (t) => {
    const handler = new LogHandler();
    const reader = new XmlReader(handler, LIMITS);
    const first = utf8(
      '<?xml version="1.0"?><p:a xmlns:p="u" b="&lt;é">]]<![CDATA[]x]]>\r\n&#65;<q>é</q></p:a>',
    );
    const second = utf8('\n<p:a xmlns:p="v" c="d">\n></p:a>');
    const expected = read([second]).log;
    for (let length = 0; length <= first.length; length++) {
      reader.reset(handler);
      reader.write(first.subarray(0, length));
      reader.reset(handler);
      handler.log.length = 0;
      reader.write(second);
      reader.end();
      if (JSON.stringify(handler.log) !== JSON.stringify(expected)) t.fail(`after ${length} bytes`);
    }
  },
);

t.test('processing instructions, for handlers that take them', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['<?x?><a/>', 'accepted'],
    ['<?x ?><a/>', 'accepted'],
    ['<a><?x-1.é ??></a>', 'accepted'],
    ['<a><?x ? > é ?? ?></a>', 'accepted'],
    ['<a/>\n<?xml-stylesheet href="x"?>\n', 'accepted'],
    ['<a>]]<?x?>></a>', 'accepted'],
    ['<a><?x <!DOCTYPE a> ?></a>', 'accepted'],
    [`<a><?x ${'y'.repeat(1023)}?></a>`, 'accepted'],
    [`<a><?x ${'y'.repeat(1024)}?></a>`, 'XML_COMMENT_LIMIT'],
    [`<a><?x ${'?'.repeat(1025)}?></a>`, 'XML_COMMENT_LIMIT'],
    [`<a><?${'x'.repeat(257)}?></a>`, 'XML_NAME_LIMIT'],
    ['<??><a/>', 'XML_NOT_WELLFORMED'],
    ['<? x?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?1?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?x>?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?x?y?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?x??><a/>', 'XML_NOT_WELLFORMED'],
    ['<?x \u0001?><a/>', 'XML_NOT_WELLFORMED'],
    ['<?x <a/>', 'XML_NOT_WELLFORMED'],
    ['<?x:y?><a/>', 'XML_NS_ERROR'],
    [' <?xml version="1.0"?><a/>', 'XML_NOT_WELLFORMED'],
    ['<a/><?XmL?>', 'XML_NOT_WELLFORMED'],
    ['<?x?>', 'XML_NOT_WELLFORMED'],
  ];
  for (const [message, expected] of rows) {
    t.equal(result(outcomeOf(message, { instructions: true })), expected, message);
    if (expected === 'accepted')
      t.equal(result(outcomeOf(message)), 'XML_PI_FORBIDDEN', `${message}, unwanted`);
  }
  const { log } = outcomeOf('<?a?><b c="d">e<?f g?>h<i><?j?></i></b><?k?>', { instructions: true });
  t.strictSame(
    log.map((entry) =>
      typeof entry === 'string' ? entry : 'open' in entry ? entry.open : entry.text,
    ),
    [
      'instruction',
      '{}b',
      'e',
      'instruction',
      'h',
      '{}i',
      'instruction',
      'close',
      'close',
      'instruction',
    ],
  );
});

t.test('references and line ends are reported as texts, not one by one', async (t) => {
  for (const [content, expected] of [
    ['&#60;', '<'],
    ['a&lt;', 'a<'],
    ['é&#x1F600;', 'é😀'],
    ['\r', '\n'],
    ['\r\n', '\n'],
  ] as const) {
    for (const [before, after] of [
      ['', ''],
      ['<![CDATA[', ']]>'],
    ] as const) {
      if (before !== '' && content.includes('&')) continue;
      const texts: string[] = [];
      const handler: XmlHandler = { open: () => ALL, close() {}, text: (text) => texts.push(text) };
      const reader = new XmlReader(handler, LIMITS);
      reader.write(Buffer.from(`<a>${before}${content.repeat(20_000)}${after}</a>`));
      reader.end();
      t.equal(texts.join(''), expected.repeat(20_000), JSON.stringify(content));
      t.ok(texts.length < 50, `${texts.length} texts of ${JSON.stringify(content)}`);
    }
  }
});

t.test('a text of references ends at the limit of its bytes', async (t) => {
  for (const [content, bytes] of [
    ['&#60;', 1],
    ['a\r\n', 2],
    ['€&#8364;', 6],
    ['&#x1F600;', 4],
  ] as const) {
    const message = [Buffer.from(`<a>${content.repeat(100)}</a>`)];
    const limits = { textBytes: 100 * bytes };
    t.equal(read(message, { limits }).refusal, null, content);
    t.match(read(message, { limits: { textBytes: 100 * bytes - 1 } }).refusal, /XML_TEXT_LIMIT/);
  }
});
