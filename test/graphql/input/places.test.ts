import fc from 'fast-check';
import { getNullableType, isListType } from 'graphql';
import t from 'tap';
import { encodeRequest } from '../../../src/codec/write/encode.js';
import { InputError } from '../../../src/codec/write/input-error.js';
import { DIALECTS } from '../../../src/soap/dialect.js';
import { HAS_XMLLINT, lint } from '../../kit/xmllint.js';
import { wsdlWith } from '../../wsdl/written.js';
import { builtOf } from '../built.js';

/**
 * Elements that stand in several places of one content model: a list in GraphQL, each item where
 * the schema has it.
 */

const schemaOf = (content: string): string =>
  `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t">
<xs:element name="Get"><xs:complexType>${content}</xs:complexType></xs:element>\
<xs:element name="GetResponse" type="xs:string"/></xs:schema>`;

async function writerOf(content: string) {
  const built = await builtOf(wsdlWith({ types: schemaOf(content) }));
  const plan = built.fields.get('Query.get')?.requestPlan;
  const field = built.schema.getQueryType()?.getFields()['get'];
  if (plan === undefined || field === undefined) throw new Error('no field');
  const envelope = (values: Readonly<Record<string, unknown>>): string =>
    encodeRequest(plan, DIALECTS['1.1'], { arguments: values, headers: {} }).toString();
  return {
    /** Names and texts of the elements written for these values. */
    write(values: Readonly<Record<string, unknown>>) {
      try {
        const [, inside = ''] = /<n1:Get>(.*)<\/n1:Get>/s.exec(envelope(values)) ?? [];
        return inside.replace(/<n1:(\w+)>([^<]*)<\/n1:\w+>/g, '$1$2 ').trim();
      } catch (caught) {
        if (!(caught instanceof InputError)) throw caught;
        return String(caught.detail);
      }
    },
    /** The same as a document. */
    document: (values: Readonly<Record<string, unknown>>) => {
      const [, body = ''] = /<s:Body>(.*)<\/s:Body>/s.exec(envelope(values)) ?? [];
      return body.replace('<n1:Get', '<n1:Get xmlns:n1="urn:t"');
    },
    lists: new Set(
      field.args.filter(({ type }) => isListType(getNullableType(type))).map(({ name }) => name),
    ),
    isTangled: built.warnings.some(({ what }) => what.includes('in several places')),
  };
}

const element = (name: string, occurs = ''): string =>
  `<xs:element name="${name}" type="xs:string" ${occurs}/>`;
const sequence = (...parts: readonly string[]): string =>
  `<xs:sequence>${parts.join('')}</xs:sequence>`;
const optional = (...parts: readonly string[]): string =>
  `<xs:sequence minOccurs="0">${parts.join('')}</xs:sequence>`;
const choice = (...parts: readonly string[]): string => `<xs:choice>${parts.join('')}</xs:choice>`;
const [A, B, C] = [element('a'), element('b'), element('c')] as const;
const MAYBE = 'minOccurs="0"';
const MANY = 'minOccurs="0" maxOccurs="unbounded"';

const CASES: readonly (readonly [
  name: string,
  content: string,
  values: object,
  written: string,
])[] = [
  ['before and after', sequence(A, B, A), { a: ['1', '2'], b: '3' }, 'a1 b3 a2'],
  ['too few', sequence(A, B, A), { a: ['1'], b: '3' }, 'arguments.a must have at least 2 items'],
  [
    'too many',
    sequence(A, B, A),
    { a: ['1', '2', '3'], b: '3' },
    'arguments.a must have at most 2 items',
  ],
  ['the first may be missing', sequence(element('a', MAYBE), B, A), { a: ['1'], b: '2' }, 'b2 a1'],
  [
    'both may be missing',
    sequence(element('a', MAYBE), B, element('a', MAYBE)),
    { a: ['1'], b: '2' },
    'a1 b2',
  ],
  ['none', sequence(element('a', MAYBE), B, element('a', MAYBE)), { b: '2' }, 'b2'],
  [
    'ranges',
    sequence(
      element('a', 'minOccurs="1" maxOccurs="2"'),
      B,
      element('a', 'minOccurs="2" maxOccurs="3"'),
    ),
    { a: ['1', '2', '3', '4'], b: '-' },
    'a1 a2 b- a3 a4',
  ],
  [
    'any number, and one',
    sequence(element('a', MANY), B, A),
    { a: ['1', '2', '3'], b: '-' },
    'a1 a2 b- a3',
  ],
  [
    'three places',
    sequence(A, B, A, C, A),
    { a: ['1', '2', '3'], b: '-', c: '+' },
    'a1 b- a2 c+ a3',
  ],
  ['two that cross', sequence(A, B, A, B), { a: ['1', '2'], b: ['3', '4'] }, 'a1 b3 a2 b4'],
  ['within a group', sequence(sequence(A, B), A), { a: ['1', '2'], b: '3' }, 'a1 b3 a2'],
  ['within a group that is not there', sequence(optional(A, B, A), C), { c: '1' }, 'c1'],
  [
    'within a group that is',
    sequence(optional(A, B, A), C),
    { a: ['1', '2'], b: '3', c: '4' },
    'a1 b3 a2 c4',
  ],
  ['within a branch', choice(sequence(A, B, A), C), { a: ['1', '2'], b: '3' }, 'a1 b3 a2'],
  ['branches of another order', choice(A, sequence(B, A)), { b: '1', a: '2' }, 'b1 a2'],
  [
    'branches that begin and end alike',
    choice(sequence(A, B, C), sequence(A, element('d'), C)),
    { d: '1', c: '2', a: '3' },
    'a3 d1 c2',
  ],
  ['side by side', sequence(A, A, B), { a: ['1', '2'], b: '3' }, 'a1 a2 b3'],
];

for (const [name, content, values, written] of CASES) {
  t.test(`several places: ${name}`, async (t) => {
    const writer = await writerOf(content);
    t.equal(writer.write({ ...values }).replace(/^(arguments\.\w+):/, '$1'), written);
    t.notOk(writer.isTangled);
  });
}

t.test(
  'where what else is given decides, all is written at the first place, and a note says so',
  async (t) => {
    const writer = await writerOf(sequence(optional(B, A), C, element('a', MAYBE)));
    t.ok(writer.isTangled);
    t.equal(writer.write({ a: ['1', '2'], b: '3', c: '4' }), 'b3 a1 a2 c4');
    const either = await writerOf(sequence(choice(A, B), C, A));
    t.ok(either.isTangled);
    const circle = await writerOf(choice(sequence(A, B), sequence(B, A, C)));
    t.ok(circle.isTangled);
    t.equal(circle.write({ a: '1', b: '2' }), 'a1 b2');
  },
);

t.test('what a derived type has again stands behind what it inherits', async (t) => {
  const types = `<xs:schema targetNamespace="urn:t" elementFormDefault="qualified">\
<xs:complexType name="Base">${sequence(A, B)}</xs:complexType>
    <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Base">\
${sequence(A, C)}</xs:extension></xs:complexContent></xs:complexType>
    <xs:element name="Get" type="t:More"/><xs:element name="GetResponse" type="xs:string"/>\
</xs:schema>`;
  const plan = (await builtOf(wsdlWith({ types }))).fields.get('Query.get');
  if (plan === undefined) throw new Error('no field');
  const given = { arguments: { a: ['1', '2'], b: '3', c: '4' }, headers: {} };
  const message = encodeRequest(plan.requestPlan, DIALECTS['1.1'], given).toString();
  t.match(message, /<n1:a>1<.*<n1:b>3<.*<n1:a>2<.*<n1:c>4</);
});

/** A content model, and a way to make what is valid of it: names in order. */
interface Model {
  readonly print: string;
  readonly make: (below: (limit: number) => number) => readonly string[];
}

const letters = fc.constantFrom('a', 'b', 'c');
const ranges = fc.constantFrom([1, 1], [1, 1], [0, 1], [1, 2], [0, 3], [2, 3] as const);
const leaves: fc.Arbitrary<Model> = fc.tuple(letters, ranges).map(([name, [min = 0, max = 1]]) => ({
  print: element(name, `minOccurs="${min}" maxOccurs="${max}"`),
  make: (below) => Array.from({ length: min + below(max - min + 1) }, () => name),
}));
const groupsOf = (inner: fc.Arbitrary<Model>): fc.Arbitrary<Model> =>
  fc
    .tuple(
      fc.array(inner, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('plain', 'plain', 'optional'),
    )
    .map(
      ([parts, kind]): Model => ({
        print: (kind === 'plain' ? sequence : optional)(...parts.map(({ print }) => print)),
        make: (below) =>
          kind === 'optional' && below(2) === 0 ? [] : parts.flatMap(({ make }) => make(below)),
      }),
    );
const choices: fc.Arbitrary<Model> = fc.tuple(leaves, groupsOf(leaves)).map(([one, other]) => ({
  print: choice(one.print, other.print),
  make: (below) => (below(2) === 0 ? one : other).make(below),
}));
const models = groupsOf(fc.oneof({ weight: 4, arbitrary: leaves }, groupsOf(leaves), choices));

t.test(
  'of any content model: what was valid is, written anew from its lists',
  { skip: !HAS_XMLLINT },
  async (t) => {
    const totals = { schemas: 0, documents: 0, tangled: 0, several: 0 };
    await fc.assert(
      fc.asyncProperty(
        models,
        fc.array(fc.nat(), { minLength: 400, maxLength: 400 }),
        async (model, numbers) => {
          totals.schemas += 1;
          const content = model.print;
          const writer = await writerOf(content);
          let at = 0;
          const below = (limit: number): number => (numbers[at++ % numbers.length] ?? 0) % limit;
          const made = Array.from({ length: 6 }, () => model.make(below));
          const asked = made.map((names) => {
            const values = new Map<string, string[]>();
            for (const [index, name] of names.entries())
              values.set(name, [...(values.get(name) ?? []), String(index)]);
            const shown = [...values].map(([name, items]) => [
              name,
              writer.lists.has(name) ? items : items[0],
            ]);
            return Object.fromEntries(shown) as Record<string, unknown>;
          });
          const valid = lint(
            schemaOf(content),
            made.map(
              (names) => `<Get xmlns="urn:t">${names.map((name) => `<${name}/>`).join('')}</Get>`,
            ),
          );
          // Ambiguous, or not what was meant.
          if (valid === null) return;
          if (writer.isTangled) {
            totals.tangled += 1;
            return;
          }
          const again = asked.map((values) => writer.document(values));
          const results = lint(schemaOf(content), again) ?? [];
          totals.documents += results.length;
          if (/name="(\w)".*name="[^1]".*name="\1"/.test(content)) totals.several += 1;
          const wrong = results.findIndex(
            (result, index) => result !== null && valid[index] === null,
          );
          if (wrong !== -1)
            throw new Error(
              `${content}\n${made[wrong]?.join(' ')}\n${again[wrong]}\n${results[wrong]}`,
            );
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
    t.ok(totals.documents > 100, JSON.stringify(totals));
    t.comment(JSON.stringify(totals));
  },
);
