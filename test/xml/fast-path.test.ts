import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/core/refusals/refusal.js';
import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  type StartTag,
} from '../../src/xml/events.js';
import { XmlReader } from '../../src/xml/reader.js';
import { orders } from '../bench/messages.js';
import { cutAt } from '../kit/splits.js';
import { documents, places, print } from './documents.js';
import { LIMITS, LogHandler, type Outcome, read } from './log.js';

/**
 * What is read here all at once is read byte by byte too: then nothing is ever read but step by
 * step.
 */
const stepwise = (message: Buffer, interest: (tag: StartTag) => Interest): Outcome =>
  read(
    Array.from(message, (byte) => Uint8Array.of(byte)),
    { interest },
  );

/** What a handler may want of a message: everything, nothing below some depth, a mixture. */
const INTERESTS: readonly ((tag: StartTag) => Interest)[] = [
  () => ALL,
  () => ELEMENTS_ONLY,
  () => PRESENCE,
  () => SKIP,
  (tag) => (tag.depth < 3 ? PRESENCE : SKIP),
  (tag) => ([ALL, ELEMENTS_ONLY, PRESENCE, SKIP] as const)[tag.local.length % 4] ?? ALL,
];

t.test('skipped content is checked like the rest', async () => {
  fc.assert(
    fc.property(documents, places, (document, cuts) => {
      const message = Buffer.from(print(document));
      const { refusal } = read([message]);
      for (const interest of [SKIP, ELEMENTS_ONLY, PRESENCE] as const) {
        // The second time, what comes is expected.
        for (const pieces of [cutAt(message, cuts), [message], [message]]) {
          assert.equal(read(pieces, { interest: () => interest }).refusal, refusal);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

const ENVELOPE = orders(1_500);
const SMALL = Buffer.from(
  '<s:E xmlns:s="urn:s" xmlns:x="urn:x" x:a="1" b="&lt;"><s:H/>\n' +
    '<s:B><p:op xmlns:p="urn:p" xmlns="urn:d"><a i="1" x:i="2">t]]</a>' +
    '<a i="2"/><b>é&amp;€</b><p:c>\r\n<q/></p:c><a i="3">&quot;&apos;&#65;</a><!-- c --><b>' +
    '<![CDATA[d]]></b></p:op></s:B></s:E>',
);
const snippets = fc.constantFrom(
  ...[
    '<',
    '>',
    '&',
    '"',
    "'",
    '/',
    ' ',
    '\r',
    '\n',
    ']',
    ']]>',
    '--',
    '\0',
    '\ufffe',
    'é',
    '€',
    '😀',
    ':',
    'x',
    'xx',
  ],
  ...[
    '<a>',
    '</a>',
    '<a/>',
    '<x:a/>',
    '<u:a/>',
    '<!--c-->',
    '<![CDATA[]]>',
    '<?p?>',
    '<!DOCTYPE a>',
    '&lt;',
    '&lt',
    '&amp ',
    '&quo;',
  ],
  ...[
    ' i="1"',
    ' x:i="1"',
    ' u:i="1"',
    ' xmlns:x="urn:p"',
    ' xmlns="urn:s"',
    ' xmlns:x=""',
    ' xmlns:s="urn:x"',
    ' xml:id="1"',
  ],
  ...['\x80', '\xc3', '\xe2\x82', '\xed\xa0\x80', '\xff'].map((bytes) =>
    Buffer.from(bytes, 'latin1'),
  ),
);
/** Where something is put in, how many bytes it takes the place of, and what it is. */
const mutations = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), snippets), {
  minLength: 1,
  maxLength: 2,
});

function mutate(
  message: Buffer,
  list: readonly (readonly [number, number, string | Buffer])[],
): Buffer {
  return list.reduce((bytes, [place, removed, added]) => {
    const at = place % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at + removed)]);
  }, message);
}

t.test('what is read at once is read as it is step by step, right or wrong', async (t) => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(SMALL, SMALL, ENVELOPE),
      mutations,
      places,
      fc.nat(),
      (message, list, cuts, choice) => {
        const mutated = mutate(message, list);
        const interest = INTERESTS[choice % INTERESTS.length] ?? ((): Interest => ALL);
        const expected = stepwise(mutated, interest);
        if (expected.refusal === null) accepted++;
        else refused++;
        // What was read before makes the same thing expected.
        for (const learnt of [message, message, mutated]) read([learnt], { interest });
        assert.deepStrictEqual(read([mutated], { interest }), expected);
        assert.deepStrictEqual(read(cutAt(mutated, cuts), { interest }), expected);
      },
    ),
    { numRuns: 3000 },
  );
  t.ok(accepted > 100 && refused > 500, `${accepted} accepted, ${refused} refused`);
});

t.test(
  'a start tag known from the document element is held to the limit of other ' +
    'elements where it stands again',
  async (t) => {
    const message = (count: number, depth: number): Buffer => {
      const declarations = Array.from({ length: count }, (_, i) => ` xmlns:p${i}="u"`).join('');
      const tag = `<r${declarations}>`;
      return Buffer.from(
        `${'<r>'.repeat(depth)}${tag}x</r>${'</r>'.repeat(depth)}${' '.repeat(80)}`,
      );
    };
    const limits = { ...LIMITS, namespacesPerElement: 2, namespacesOnRoot: 3 };
    // One reader, because what is known of a start tag is known under its limits.
    const reader = new XmlReader(new LogHandler(), limits);
    const outcome = (message: Buffer): string => {
      try {
        reader.reset(new LogHandler());
        reader.begin(null);
        reader.write(message);
        reader.end();
        return 'accepted';
      } catch (caught) {
        return caught instanceof Refusal ? caught.code : 'crash';
      }
    };
    for (let time = 0; time < 4; time++) {
      t.equal(outcome(message(3, 0)), 'accepted');
      t.equal(outcome(message(3, 1)), 'XML_NS_LIMIT', 'a child');
      t.equal(outcome(message(3, 2)), 'XML_NS_LIMIT', 'a child of a child');
      t.equal(outcome(message(2, 1)), 'accepted');
      t.equal(outcome(message(4, 0)), 'XML_NS_LIMIT');
    }
  },
);

t.test('limits hold for what is expected as for the rest', async (t) => {
  const rows: readonly (readonly [string, string, Parameters<typeof read>[1]])[] = [
    [
      '<r><a b="123456"/><a b="123456"/></r>',
      'XML_ATTR_VALUE_LIMIT',
      { limits: { attributeValueBytes: 5 } },
    ],
    ['<r><a b="1" c="2"/><a b="1" c="2"/></r>', 'XML_ATTR_LIMIT', { limits: { attributes: 1 } }],
    ['<r><abc/><abc/></r>', 'XML_NAME_LIMIT', { limits: { nameChars: 2 } }],
    ['<r><a bcd="1"/></r>', 'XML_NAME_LIMIT', { limits: { nameChars: 2 } }],
    ['<r><a></a><a></a><a></a></r>', 'XML_CHILD_LIMIT', { limits: { children: 2 } }],
    ['<r><a/><a/><a/></r>', 'XML_CHILD_LIMIT', { limits: { children: 2 } }],
    ['<r><a><a><a></a></a></a></r>', 'XML_DEPTH_LIMIT', { limits: { depth: 3 } }],
    ['<r><a><a><a/></a></a></r>', 'XML_DEPTH_LIMIT', { limits: { depth: 3 } }],
    ['<r><a></a><a></a><a></a></r>', 'XML_ELEMENT_LIMIT', { limits: { elements: 3 } }],
    ['<r xmlns:p="urn:long"><a/></r>', 'XML_NS_LIMIT', { limits: { namespaceUriBytes: 3 } }],
    ['<r xmlns:p="u" xmlns:q="u"><a/></r>', 'XML_NS_LIMIT', { limits: { namespacesOnRoot: 1 } }],
    [
      '<r><a xmlns:p="u" xmlns:q="u"/></r>',
      'XML_NS_LIMIT',
      { limits: { namespacesPerElement: 1 } },
    ],
    [
      '<r xmlns:p="u" xmlns:q="u"><a xmlns:r="u"/></r>',
      'XML_NS_LIMIT',
      { limits: { namespacesInScope: 2 } },
    ],
    ['<r xmlns:pqr="u"><a/></r>', 'XML_NAME_LIMIT', { limits: { nameChars: 8 } }],
    ['<r><a>123456</a></r>', 'XML_TEXT_LIMIT', { limits: { textBytes: 5 } }],
  ];
  for (const [text, code, options] of rows) {
    // Behind it is room, so that the end of the message is not near.
    const message = Buffer.from(`${text}${' '.repeat(80)}`);
    const interests: readonly Interest[] =
      code === 'XML_TEXT_LIMIT' ? [ALL] : [ALL, ELEMENTS_ONLY, PRESENCE, SKIP];
    for (const interest of interests) {
      for (let time = 0; time < 3; time++) {
        t.equal(
          read([message], { interest: () => interest }).refusal,
          null,
          `${text} without limits`,
        );
        t.match(read([message], { ...options, interest: () => interest }).refusal, code, text);
      }
    }
  }
});
