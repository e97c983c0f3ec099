import t from 'tap';

import { FramePool } from '../../src/codec/validity/frame-pool.js';
import { ContentValidator } from '../../src/codec/validity/validator.js';
import { modelMemory } from '../../src/xml/models/memory.js';
import { Namespaces } from '../../src/xml/namespaces.js';
import { syntheticTag } from '../../src/xml/synthetic-tag.js';
import { type Case, caseOf, compare, echo, OPTIONS, reports, schemaOf } from './model-outcomes.js';

/**
 * Names and listed words as WebAssembly compares them, by their bytes: other bytes come out as by
 * events.
 */

const words = (...values: readonly string[]): string =>
  `<xs:simpleType><xs:restriction base="xs:string">${values
    .map((value) => `<xs:enumeration value="${value}"/>`)
    .join('')}</xs:restriction></xs:simpleType>`;

/** Words with characters that are markup in a text or a value, or are replaced there. */
const MARKED = words(
  ...['&lt;', '&lt;=', 'R&amp;D', 'a]]&gt;b', 'a&gt;b', '12&quot;', '12&quot; ', 'a&#9;b'],
  ...['a&#10;b', 'a&#13;b', 'd&apos;e', 'plain'],
);
const WORDS = schemaOf(`<xs:sequence><xs:element name="f" maxOccurs="unbounded"><xs:complexType>
<xs:sequence><xs:element name="op">${MARKED}</xs:element></xs:sequence>
<xs:attribute name="v">${MARKED}</xs:attribute></xs:complexType></xs:element></xs:sequence>`);

const field = (text: string, value = 'plain'): string =>
  `<t:f v="${value}"><t:op>${text}</t:op></t:f>`;
const PLAIN = field('plain').repeat(3);

t.test('a listed word with markup in it is valid only as it is well-formed', async (t) => {
  const c = { ...(await caseOf(WORDS)), refuses: true };
  const cases: readonly (readonly [string, boolean])[] = [
    [field('&lt;'), true],
    [field('<'), false],
    [field('<='), false],
    [field('R&amp;D'), true],
    [field('R&D'), false],
    [field('a]]&gt;b'), true],
    [field('a]]>b'), false],
    [field('a>b'), true],
    [field('12"'), true],
    [field('a\tb'), true],
    [field('a\nb'), true],
    [field('a\rb'), true],
    [field('a&#13;b'), true],
    [field("d'e"), true],
    [field('plain', '&lt;'), true],
    [field('plain', '<'), false],
    [field('plain', 'R&amp;D'), true],
    [field('plain', 'R&D'), false],
    [field('plain', '12&quot;'), true],
    [field('plain', '12"'), false],
    [field('plain', '12" '), false],
    [field('plain', 'a]]>b'), true],
    [field('plain', 'a\tb'), false],
    [field('plain', 'a&#9;b'), true],
    [field('plain', 'a\nb'), false],
    [field('plain', 'a\rb'), false],
    [field('plain', "d'e"), true],
  ];
  for (const [content, isValid] of cases) {
    const { refusal } = compare(c, echo(`${PLAIN}${content}${PLAIN}`), false);
    t.equal(refusal === null, isValid, `${content}: ${refusal}`);
  }
  for (const content of ['<', 'R&D', 'R&amp;D']) compare(c, echo(field(content)), true);
  reports.count = 0;
  compare(c, echo(PLAIN.repeat(9)), false);
  t.ok(reports.count < 10, `${reports.count} are reported`);
});

const NAMES = schemaOf(`<xs:choice maxOccurs="unbounded">
<xs:element name="Gr\u00f6\u00dfe" type="xs:int"/>
<xs:element name="Gr" type="xs:int"/></xs:choice>`);
const SIZES = '<t:Gr\u00f6\u00dfe>1</t:Gr\u00f6\u00dfe><t:Gr>2</t:Gr>';

t.test('names beyond ASCII and wrong ones are read as by events at every cut', async (t) => {
  const c = { ...(await caseOf(NAMES)), refuses: true };
  const wrong = [
    '<t:id:x/>',
    '<t:id:/>',
    '<t:\u00d7/>',
    '<t:a\u00d7/>',
    '<t:other/>',
    '<u:\u00e9/>',
  ];
  for (const content of ['', ...wrong]) {
    const { refusal } = compare(c, echo(`${SIZES}${content}${SIZES}`), true);
    t.equal(refusal === null, content === '', content);
  }
});

t.test('a transition is put in the memory once', async (t) => {
  const c = await caseOf(NAMES);
  const added: string[] = [];
  const { addEdge } = modelMemory;
  modelMemory.addEdge = (state, edge) => {
    added.push(`${edge.local} from ${state}`);
    return addEdge.call(modelMemory, state, edge);
  };
  try {
    for (const document of [SIZES, '<t:Gr>2</t:Gr>', SIZES])
      compare(c, echo(document.repeat(20)), false);
  } finally {
    modelMemory.addEdge = addEdge;
  }
  t.not(added.length, 0);
  t.equal(new Set(added).size, added.length);
  t.same(
    added.filter((transition) => !transition.startsWith('Gr ')),
    [],
  );
  const validator = new ContentValidator(c.rules, c.root, () => {}, OPTIONS, new FramePool());
  validator.open(syntheticTag({ uri: 'urn:t', local: 'Echo' }, 1));
  t.equal(validator.enter(1), 1);
  t.equal(validator.learn('urn:t', 'Gr\u00f6\u00dfe'), true);
  t.equal(validator.learn('urn:t', 'Gr\u00f6\u00dfe'), false, 'it is there already');
});

const ROWS = schemaOf(`<xs:sequence><xs:element name="row" type="xs:int" maxOccurs="unbounded"/>
</xs:sequence>`);

/** Reads a document whose scopes all have this number. */
function compareInScope(c: Case, document: string, scope: number): readonly string[] {
  const { enter } = Namespaces.prototype;
  Namespaces.prototype.enter = function numbered(this: Namespaces): boolean {
    const isDeclaring = enter.call(this);
    if (isDeclaring) this.scope = scope;
    return isDeclaring;
  };
  try {
    return compare(c, document, false).violations;
  } finally {
    Namespaces.prototype.enter = enter;
  }
}

t.test('names are those of their scope also where its number needs more than a word', async (t) => {
  const c = await caseOf(ROWS);
  const document = echo('<t:row>1</t:row>'.repeat(20));
  const other = document.replace('"urn:t"', '"urn:other"');
  const scope = 0x7fff_1234;
  t.same(compareInScope(c, document, scope), []);
  t.same(compareInScope(c, document, scope), []);
  t.match(compareInScope(c, other, scope + 2 ** 32)[0] ?? '', 'is not declared here');
  reports.count = 0;
  t.same(compareInScope(c, document, scope + 2 ** 32 + 1), []);
  t.ok(reports.count < 5, `${reports.count} are reported`);
});
