import fc from 'fast-check';
import t from 'tap';
import { PrefixRepair } from '../../src/xml/prefix-repair.js';

const KNOWN: ReadonlyMap<string, string> = new Map([['xsi', 'urn:xsi']]);
const ROOT = 'urn:root';

/** The document repaired, given in pieces of this length. */
function repaired(document: string, length = document.length): readonly [string, number] {
  let repairs = 0;
  const repair = new PrefixRepair(
    (prefix, isRoot, isDeclared) =>
      isRoot && isDeclared(ROOT) ? ROOT : (KNOWN.get(prefix) ?? null),
    () => repairs++,
  );
  let out = '';
  for (let at = 0; at < document.length; at += length)
    out += repair.write(document.slice(at, at + length));
  return [out + repair.end(), repairs];
}

const D = 'urn:soapstone:undeclared:';

const CASES: readonly (readonly [name: string, document: string, expected: string | null])[] = [
  ['nothing to repair', '<a xmlns="urn:a"><p:b xmlns:p="urn:p" p:c=""/></a>', null],
  ['an element', '<a><p:b></p:b></a>', `<a><p:b xmlns:p="${D}p"></p:b></a>`],
  ['an empty element', '<a><p:b /></a>', `<a><p:b  xmlns:p="${D}p"/></a>`],
  ['a child of a repaired element', '<p:a><p:b/></p:a>', `<p:a xmlns:p="${D}p"><p:b/></p:a>`],
  [
    'behind the element that declares it',
    '<a><b xmlns:p="urn:p"><p:c/></b><p:d/></a>',
    `<a><b xmlns:p="urn:p"><p:c/></b><p:d xmlns:p="${D}p"/></a>`,
  ],
  ['the default of its tag', '<p:a xmlns="urn:d"/>', '<p:a xmlns="urn:d" xmlns:p="urn:d"/>'],
  [
    'the document element',
    `<p:a xmlns:q="${ROOT}"/>`,
    `<p:a xmlns:q="${ROOT}" xmlns:p="${ROOT}"/>`,
  ],
  ['a known one', '<a xsi:nil="1"/>', '<a xsi:nil="1" xmlns:xsi="urn:xsi"/>'],
  ['one in the name of a type', '<a xsi:type="q:b"/>', '<a xsi:type="q:b" xmlns:xsi="urn:xsi"/>'],
  ['the prefix xml', '<a xml:lang="de"/>', null],
  ['marks in quotes', `<a b='<p:c>"/>' c="'>"><d/></a>`, null],
  ['sections', '<a><!-- <p:b> --><![CDATA[<p:c>]]><?p <p:d>?></a>', null],
  ['a DOCTYPE', '<!DOCTYPE p:a><p:a/>', null],
  ['a tag that does not end', '<a><p:b c="', null],
  ['two on one tag', '<p:a q:b=""/>', `<p:a q:b="" xmlns:p="${D}p" xmlns:q="${D}q"/>`],
];

t.test('undeclared prefixes are declared where they are used, however bytes come', async (t) => {
  for (const [name, document, expected] of CASES)
    for (const length of [1, 2, 3, 7, document.length])
      t.same(
        repaired(document, length),
        [expected ?? document, expected === null ? 0 : 1],
        `${name}, ${length}`,
      );
});

t.test('a tag of more than 64 KiB ends all repairs', async (t) => {
  const long = `<a b="${'x'.repeat(70_000)}"><p:c/></a>`;
  t.same(repaired(long, 1000), [long, 0]);
});

t.test(
  'what declares all its prefixes is not changed, and a second repair changes nothing',
  (t) => {
    const element = fc.letrec<{ node: string }>((tie) => ({
      node: fc
        .tuple(
          fc.constantFrom('a', 'p:a', 'q:b'),
          fc.constantFrom('', ' xmlns:p="urn:p"', ' xmlns="urn:d" q:c=">"', " p:d='<'"),
          fc.constantFrom('', 'text', '<!--<p:x>-->', '<![CDATA[<q:y>]]>'),
          fc.oneof({ maxDepth: 4 }, fc.constant(''), tie('node')),
        )
        .map(([name, rest, text, child]) => `<${name}${rest}>${text}${child}</${name}>`),
    })).node;
    fc.assert(
      fc.property(element, fc.integer({ min: 1, max: 9 }), (document, length) => {
        const declared = `<r xmlns:p="urn:p" xmlns:q="urn:q">${document}</r>`;
        const [once] = repaired(document, length);
        return (
          repaired(declared, length)[0] === declared &&
          once === repaired(document)[0] &&
          repaired(once)[1] === 0
        );
      }),
    );
    t.end();
  },
);
