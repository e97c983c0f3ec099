import fc from 'fast-check';
import t from 'tap';
import { CanonicalHash } from '../../../src/codec/values/canonical-hash.js';
import { MIB } from '../../../src/core/limit.js';
import { readXml } from '../../kit/read-xml.js';
import { cutAt } from '../../kit/splits.js';

const LIMITS = { messageBytes: 4 * MIB, textBytes: 4 * MIB };

function hashOf(xml: string, isData = true, pieceBytes = Number.POSITIVE_INFINITY): string | null {
  const hash = new CanonicalHash({ isData });
  const bytes = Buffer.from(xml);
  const cuts =
    pieceBytes < bytes.length
      ? Array.from({ length: bytes.length / pieceBytes }, (_, n) => n * pieceBytes)
      : [];
  readXml(hash, cutAt(bytes, cuts), LIMITS);
  return hash.digest();
}

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

t.test('spellings of the same content', async (t) => {
  const same = (first: string, ...others: string[]): void => {
    const hash = hashOf(first);
    t.type(hash, 'string', first);
    for (const other of others) t.equal(hashOf(other), hash, other);
  };
  same(
    '<a xmlns="u"><b>1</b></a>',
    '<p:a xmlns:p="u"><p:b>1</p:b></p:a>',
    '<p:a xmlns:p="u"><b xmlns="u">1</b></p:a>',
  );
  same(
    '<a><b>x&amp;y</b></a>',
    '<a><b><![CDATA[x&y]]></b></a>',
    '<a><b>x&#38;<!-- - -->y</b></a>',
    '<a ><b\n>x&#x26;y</b ></a >',
  );
  same('<a x="1" y="2"/>', "<a  y='2' x='1'></a>", '<a y="2" x="&#49;"/>');
  same('<a xmlns:p="u" p:x="1" x="2"/>', '<a x="2" q:x="1" xmlns:q="u"/>');
  same('<a><b/><c/></a>', '<a>\n  <b/>\n  <c/>\n</a>', '<a><b></b> <!-- x --> <c/></a>');
  same(
    `<a ${XSI} xsi:nil="true"/>`,
    `<a ${XSI} xsi:nil=" 1 "/>`,
    `<a ${XSI.replace('xsi', 'i')} i:nil="1"/>`,
  );
  same('<a/>', `<a ${XSI} xsi:nil="false"/>`, `<a ${XSI} xsi:nil="0"></a>`);
  same(`<a ${XSI} xmlns:p="u" xsi:type="p:T"/>`, `<a ${XSI} xmlns:q="u" xsi:type=" q:T"/>`);
  same('<a>1:2</a>', '<a xmlns:p="u">1:2</a>');
});

t.test('different contents', async (t) => {
  const contents = [
    '<a/>',
    '<b/>',
    '<a xmlns="u"/>',
    '<a xmlns="v"/>',
    '<a> </a>',
    '<a>1</a>',
    '<a>01</a>',
    '<a>1 </a>',
    '<a>ab</a>',
    '<a><b/></a>',
    '<a><b/><b/></a>',
    '<a><b><b/></b></a>',
    '<a><b/><c/></a>',
    '<a><c/><b/></a>',
    '<a><b>1</b><c/></a>',
    '<a><b/><c>1</c></a>',
    '<a x="1"/>',
    '<a y="1"/>',
    '<a x=""/>',
    '<a x="1" y=""/>',
    '<a xmlns:p="u" p:x="1"/>',
    '<a xmlns:p="v" p:x="1"/>',
    '<a><x>1</x></a>',
    '<a xmlns:p="u">p:x</a>',
    '<a xmlns:p="v">p:x</a>',
    '<a xmlns:q="u">q:x</a>',
    '<a>p:x</a>',
    '<a xmlns:p="u" x="p:x"/>',
    '<a xmlns:p="v" x="p:x"/>',
    '<a xmlns:p="u">(p:x or p:y)</a>',
    '<a xmlns:p="v">(p:x or p:y)</a>',
    `<a ${XSI} xsi:nil="true"/>`,
    `<a ${XSI} xsi:nil="maybe"/>`,
    `<a ${XSI} xsi:type="T"/>`,
    `<a ${XSI} xsi:type="p:T"/>`,
    `<a ${XSI} xmlns:p="u" xsi:type="p:T"/>`,
    `<a ${XSI} xmlns:p="v" xsi:type="p:T"/>`,
  ];
  const hashes = contents.map((xml) => hashOf(xml));
  t.notOk(hashes.includes(null));
  const twins = contents.filter((_xml, index) => hashes.indexOf(hashes[index] ?? null) !== index);
  t.same(twins, []);
  t.not(
    hashOf('<a xmlns="u">x</a>', false),
    hashOf('<p:a xmlns:p="u">x</p:a>', false),
    'a QName without a prefix',
  );
  for (const content of ['p', 'x p', 'p x', ' p ', 'q p:y']) {
    const ways = ['u', 'v'].flatMap((uri) => [
      hashOf(`<a xmlns:p="${uri}">${content}</a>`, false),
      hashOf(`<a xmlns:p="${uri}"><b c="${content}"/></a>`, false),
    ]);
    t.equal(new Set(ways).size, 4, `a prefix that stands alone: ${content}`);
    const whole = hashOf(`<a xmlns:p="u">${content}</a>`, false);
    for (const bytes of [1, 2, 3])
      t.equal(hashOf(`<a xmlns:p="u">${content}</a>`, false, bytes), whole, 'in pieces');
  }
  t.equal(hashOf('<a xmlns:p="u">p</a>'), hashOf('<a xmlns:p="v">p</a>'), 'data has none');
  t.not(
    hashOf('<a><b/> <b/></a>', false),
    hashOf('<a><b/><b/></a>', false),
    'white space that may mean something',
  );
});

t.test('what cannot be compared has no hash', async (t) => {
  t.equal(hashOf('<a>x<b/></a>'), null, 'mixed content');
  t.equal(hashOf('<a><b/>x</a>'), null);
  t.equal(hashOf('<a><b/> x <b/></a>'), null);
  t.type(hashOf(`<a>${'x'.repeat(256 * 1024 - 5)}</a>`), 'string', 'at the limit');
  t.equal(hashOf(`<a>${'x'.repeat(256 * 1024 - 4)}</a>`), null, 'too long');
  t.equal(hashOf(`<a>${'<bbbb/>'.repeat(49_999)}</a>`), null, 'too many elements');
  const prefixes = Array.from({ length: 1001 }, (_, index) => `p${index}:`);
  t.type(hashOf(`<a>${prefixes.slice(1).join('')}</a>`), 'string');
  t.equal(hashOf(`<a>${prefixes.join('')}</a>`), null, 'too many words that could be prefixes');
});

t.test('time is linear in the pieces', async (t) => {
  const took = (xml: string, isData = true): number => {
    const start = process.cpuUsage();
    hashOf(xml, isData, 8);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const text = (count: number): string => `<a>${'x&#97;'.repeat(count)}</a>`;
  for (const isData of [true, false]) {
    took(text(5000), isData);
    const small = took(text(10_000), isData);
    const large = took(text(40_000), isData);
    t.ok(large < 12 * small + 20_000, `${small} then ${large} us`);
  }
});

/** A tree as it is meant, and as it may be written. */
interface Tree {
  readonly uri: string;
  readonly local: string;
  readonly attributes: readonly (readonly [string, string, string])[];
  readonly content: string | readonly Tree[];
}

const local = fc.constantFrom('a', 'b', 'c');
const uri = fc.constantFrom('', 'u', 'v');
const text = fc.string({
  unit: fc.constantFrom('x', ' ', ':', 'p', 'q', '&', '<', '\u00e9', '\u{1f600}'),
  maxLength: 6,
});
const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    uri,
    local,
    attributes: fc.uniqueArray(fc.tuple(uri, local, text), {
      selector: ([u, l]) => `${u} ${l}`,
      maxLength: 3,
    }),
    content: fc.oneof({ maxDepth: 3 }, text, fc.array(tie('tree'), { maxLength: 3 })),
  }),
})).tree;

const escaped = (value: string, pick: () => number): string =>
  [...value]
    .map((each) => {
      if (each === '&' || each === '<')
        return pick() % 2 === 0 ? `&#${each.codePointAt(0)};` : each === '&' ? '&amp;' : '&lt;';
      return pick() % 4 === 0 ? `&#x${each.codePointAt(0)?.toString(16)};` : each;
    })
    .join('');

/** Writes a tree in one of its spellings. Prefixes are such as texts do not hold. */
function write({ uri: of, local: name, attributes, content }: Tree, pick: () => number): string {
  const prefix = of === '' ? '' : `n${pick() % 3}:`;
  const declared = of === '' ? ' xmlns=""' : ` xmlns:${prefix.slice(0, -1)}="${of}"`;
  const written = attributes.map(([u, l, value], index) => {
    const own = u === '' ? '' : `m${index}_${pick() % 3}`;
    const declaration = u === '' ? '' : ` xmlns:${own}="${u}"`;
    return `${declaration} ${own === '' ? '' : `${own}:`}${l}="${escaped(value, pick)}"`;
  });
  if (pick() % 2 === 0) written.reverse();
  const layout = (): string => ['', '\n  ', '<!-- - -->', ' \t'][pick() % 4] ?? '';
  const inner =
    typeof content === 'string'
      ? escaped(content, pick) + (pick() % 3 === 0 ? '<!-- p:q -->' : '')
      : content.map((child) => layout() + write(child, pick)).join('') +
        (content.length > 0 ? layout() : '');
  return `<${prefix}${name}${declared}${written.join('')}>${inner}</${prefix}${name}>`;
}

/** What it means, as text. */
const meaning = ({ uri: of, local: name, attributes, content }: Tree): string =>
  JSON.stringify([
    of,
    name,
    [...attributes].sort((first, second) =>
      JSON.stringify(first) < JSON.stringify(second) ? -1 : 1,
    ),
    typeof content === 'string' ? content : content.length === 0 ? '' : content.map(meaning),
  ]);

const picker = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 16;
  };
};

t.test(
  'the same tree has one hash, however it is written and cut; another has another',
  async () => {
    fc.assert(
      fc.property(
        tree,
        tree,
        fc.integer(),
        fc.integer(),
        fc.integer({ min: 1, max: 20 }),
        (first, second, one, two, cut) => {
          const hash = hashOf(write(first, picker(one)));
          if (hash === null || hash !== hashOf(write(first, picker(two)), true, cut)) return false;
          const isSame = meaning(first) === meaning(second);
          return (hash === hashOf(write(second, picker(two)))) === isSame;
        },
      ),
      { numRuns: 3000 },
    );
  },
);
