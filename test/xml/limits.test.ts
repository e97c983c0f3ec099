import t from 'tap';
import { ALL, ELEMENTS_ONLY, SKIP } from '../../src/xml/events.js';
import type { XmlLimits } from '../../src/xml/limits.js';
import { assertSplitsAgree } from '../kit/splits.js';
import { LIMITS, read, result } from './log.js';

type Row = readonly [
  limit: keyof XmlLimits,
  at: number,
  code: string,
  make: (count: number) => string,
];

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

/**
 * Messages with `count` of what is limited, not ended: what is too much must be refused before the
 * end is known.
 */
const ROWS: readonly Row[] = [
  ['depth', 4, 'XML_DEPTH_LIMIT', (count) => many(count, () => '<a>')],
  ['depth', 100, 'XML_DEPTH_LIMIT', (count) => `${many(count - 1, (i) => `<e${i}>`)}<x`],
  ['children', 3, 'XML_CHILD_LIMIT', (count) => `<a>${many(count, () => '<b><c/></b>')}`],
  ['children', 3, 'XML_CHILD_LIMIT', (count) => `<a>${many(count - 1, () => '<b/>')}<b`],
  ['elements', 5, 'XML_ELEMENT_LIMIT', (count) => `<a>${many(count - 1, () => '<b/>')}`],
  [
    'attributes',
    3,
    'XML_ATTR_LIMIT',
    (count) => `<a xmlns:p="u" ${many(count, (i) => ` b${i}="1"`)}`,
  ],
  ['attributes', 3, 'XML_ATTR_LIMIT', (count) => `<a ${many(count - 1, (i) => ` b${i}="1"`)} c=`],
  ['attributeValueBytes', 5, 'XML_ATTR_VALUE_LIMIT', (count) => `<a b="${'x'.repeat(count)}`],
  ['attributeValueBytes', 5, 'XML_ATTR_VALUE_LIMIT', (count) => `<a b="${'x'.repeat(count)}"`],
  [
    'attributeValueBytes',
    7,
    'XML_ATTR_VALUE_LIMIT',
    (count) => `<a b="x&#${'0'.repeat(count - 3)}`,
  ],
  [
    'attributeValueBytes',
    6,
    'XML_ATTR_VALUE_LIMIT',
    (count) => `<a b="${'x'.repeat(count - 4)}&lt;"`,
  ],
  ['nameChars', 6, 'XML_NAME_LIMIT', (count) => `<${'a'.repeat(count)}`],
  ['nameChars', 6, 'XML_NAME_LIMIT', (count) => `<p:${'a'.repeat(count - 2)} x`],
  ['nameChars', 6, 'XML_NAME_LIMIT', (count) => `<a ${'b'.repeat(count)}`],
  ['nameChars', 8, 'XML_NAME_LIMIT', (count) => `<a xmlns:${'p'.repeat(count - 6)}`],
  [
    'namespacesOnRoot',
    2,
    'XML_NS_LIMIT',
    (count) => `<a b="" ${many(count, (i) => ` xmlns:p${i}="u"`)}`,
  ],
  [
    'namespacesOnRoot',
    2,
    'XML_NS_LIMIT',
    (count) => `<a xmlns="u"${many(count - 1, (i) => ` xmlns:p${i}="u"`)}`,
  ],
  [
    'namespacesPerElement',
    2,
    'XML_NS_LIMIT',
    (count) => `<a><a b="" ${many(count, (i) => ` xmlns:p${i}="u"`)}`,
  ],
  [
    'namespacesPerElement',
    2,
    'XML_NS_LIMIT',
    (count) => `<a><b/><c xmlns="u"${many(count - 1, (i) => ` xmlns:p${i}="u"`)}`,
  ],
  ['namespacesInScope', 4, 'XML_NS_LIMIT', (count) => many(count, () => '<a xmlns="u">')],
  [
    'namespacesInScope',
    4,
    'XML_NS_LIMIT',
    (count) => `<a><b xmlns="v"/>${many(count, (i) => `<a xmlns:p${i}="u">`)}`,
  ],
  ['namespaceUriBytes', 4, 'XML_NS_LIMIT', (count) => `<a xmlns="${'u'.repeat(count)}`],
  ['namespaceUriBytes', 4, 'XML_NS_LIMIT', (count) => `<a xmlns:p='${'u'.repeat(count)}'`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a>${'x'.repeat(count)}`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a>${'x'.repeat(count)}</a`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a>${'&lt;'.repeat(count)}`],
  [
    'textBytes',
    6,
    'XML_TEXT_LIMIT',
    (count) => `<a>x<b>123456</b>${'x'.repeat(count - 2)}<!-- -->x`,
  ],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a>${'\r\n'.repeat(count)}`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a>xx<![CDATA[${'x'.repeat(count - 2)}`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a><![CDATA[${'\r\n'.repeat(count)}`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a><![CDATA[${']'.repeat(count - 1)}x`],
  ['textBytes', 6, 'XML_TEXT_LIMIT', (count) => `<a><![CDATA[${']'.repeat(count + 2)}`],
  ['commentBytes', 3, 'XML_COMMENT_LIMIT', (count) => `<!--${'x'.repeat(count)}`],
  ['commentBytes', 3, 'XML_COMMENT_LIMIT', (count) => `<a><!--${'x'.repeat(count)}--></a`],
  ['commentBytes', 3, 'XML_COMMENT_LIMIT', (count) => `<a><!--${'x'.repeat(count - 2)}-x`],
  ['messageBytes', 20, 'XML_MESSAGE_LIMIT', (count) => `<a>${'x'.repeat(count - 3)}`],
];

t.test('n is accepted, n + 1 refused while still open, however the message is cut', async (t) => {
  for (const [limit, at, code, make] of ROWS) {
    const limits = { ...LIMITS, [limit]: at };
    const outcome = (message: string) =>
      assertSplitsAgree(Buffer.from(message), (pieces) => read(pieces, { limits }));
    t.equal(
      outcome(make(at)).refusal?.replace(/\d+$/, ''),
      'XML_NOT_WELLFORMED: the message is cut off at byte ',
      `${limit} ${make(at)}`,
    );
    t.equal(result(outcome(make(at + 1))), code, `${limit} ${make(at + 1)}`);
  }
});

t.test('a character that straddles a limit is beyond it', async (t) => {
  const rows: readonly (readonly [keyof XmlLimits, string, string])[] = [
    ['textBytes', '<a>xxx€</a>', 'XML_TEXT_LIMIT'],
    ['textBytes', '<a><![CDATA[xxx€]]></a>', 'XML_TEXT_LIMIT'],
    ['textBytes', '<a>xxx&#x20AC;</a>', 'XML_TEXT_LIMIT'],
    ['attributeValueBytes', '<a b="xxx€"/>', 'XML_ATTR_VALUE_LIMIT'],
    ['nameChars', '<axx€/>', 'XML_NAME_LIMIT'],
    ['nameChars', '<axxé/>', 'accepted'],
    ['textBytes', '<a>xxé</a>', 'accepted'],
    ['attributeValueBytes', '<a b="xxé"/>', 'accepted'],
  ];
  for (const [limit, message, expected] of rows) {
    const limits = { ...LIMITS, [limit]: limit === 'textBytes' ? 4 : 5 };
    const at = {
      ...limits,
      [limit]: message.includes('é') && limit !== 'nameChars' ? 4 : limits[limit],
    };
    const outcome = assertSplitsAgree(Buffer.from(message), (pieces) =>
      read(pieces, { limits: at }),
    );
    t.equal(result(outcome), expected, message);
  }
});

t.test('text that only passes is not limited', async (t) => {
  const message = Buffer.from(
    `<a>${'x'.repeat(50)}<b>${'y'.repeat(50)}</b><![CDATA[${']'.repeat(50)}]]></a>`,
  );
  for (const interest of [SKIP, ELEMENTS_ONLY] as const) {
    const outcome = assertSplitsAgree(message, (pieces) =>
      read(pieces, { limits: { textBytes: 5 }, interest: () => interest }),
    );
    t.equal(result(outcome), 'accepted');
  }
  const mixed = read([Buffer.from('<a>12345<b>12345</b></a>')], {
    limits: { textBytes: 5 },
    interest: () => ALL,
  });
  t.equal(result(mixed), 'accepted', 'each element has its own');
});

t.test('what is skipped is limited like the rest', async (t) => {
  for (const [limit, at, code, make] of ROWS) {
    if (limit === 'textBytes' || limit === 'messageBytes' || limit === 'namespacesOnRoot') continue;
    const limits = { ...LIMITS, [limit]: limit === 'elements' || limit === 'depth' ? at + 1 : at };
    const outcome = read([Buffer.from(`<r>${make(at + 1)}`)], { limits, interest: () => SKIP });
    t.equal(result(outcome), code, limit);
  }
});

t.test('a message of exactly the permitted length is accepted', async (t) => {
  const message = Buffer.from('<a>é€</a>');
  const run = (messageBytes: number) =>
    assertSplitsAgree(message, (pieces) => read(pieces, { limits: { messageBytes } }));
  t.equal(result(run(message.length)), 'accepted');
  for (let length = 0; length < message.length; length++)
    t.equal(result(run(length)), 'XML_MESSAGE_LIMIT');
});

t.test('the defaults are those of the catalogue', async (t) => {
  const run = (message: string): string =>
    result(read([Buffer.from(message)], { interest: () => ELEMENTS_ONLY }));
  t.equal(run('<a>'.repeat(100) + '</a>'.repeat(100)), 'accepted');
  t.equal(run('<a>'.repeat(101)), 'XML_DEPTH_LIMIT');
  t.equal(run(`<a>${'<b/>'.repeat(50_000)}</a>`), 'accepted');
  t.equal(run(`<a>${'<b/>'.repeat(50_001)}`), 'XML_CHILD_LIMIT');
  t.equal(run(`<a ${many(100, (i) => ` b${i}=""`)}/>`), 'accepted');
  t.equal(run(`<a ${many(101, (i) => ` b${i}=""`)}/>`), 'XML_ATTR_LIMIT');
  t.equal(run(`<a b="${'x'.repeat(65_536)}"/>`), 'accepted');
  t.equal(run(`<a b="${'x'.repeat(65_537)}`), 'XML_ATTR_VALUE_LIMIT');
  t.equal(run(`<${'a'.repeat(256)}/>`), 'accepted');
  t.equal(run(`<${'a'.repeat(257)}`), 'XML_NAME_LIMIT');
  const declaring = (count: number): string => `<a ${many(count, (i) => ` xmlns:p${i}="u"`)}/>`;
  t.equal(run(declaring(256)), 'accepted');
  t.equal(run(declaring(257)), 'XML_NS_LIMIT');
  t.equal(run(`<r>${declaring(256)}</r>`), 'accepted');
  t.equal(run(`<r>${declaring(257)}</r>`), 'XML_NS_LIMIT');
  t.equal(run(`<a xmlns="${'u'.repeat(1024)}"/>`), 'accepted');
  t.equal(run(`<a xmlns="${'u'.repeat(1025)}`), 'XML_NS_LIMIT');
  t.equal(run(`<a><!--${'x'.repeat(1024)}--></a>`), 'accepted');
  t.equal(run(`<a><!--${'x'.repeat(1025)}`), 'XML_COMMENT_LIMIT');
  const declarations = (count: number): string =>
    many(
      Math.ceil(count / 20),
      (i) => `<a${many(Math.min(20, count - i * 20), (j) => ` xmlns:p${j}="u"`)}>`,
    );
  t.equal(run(declarations(1024)), 'XML_NOT_WELLFORMED');
  t.equal(run(declarations(1025)), 'XML_NS_LIMIT');
});
