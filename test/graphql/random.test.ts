import fc from 'fast-check';
import { buildSchema as parseSchema, printSchema, validateSchema } from 'graphql';
import t from 'tap';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import {
  ANYTHING,
  type Content,
  type Particle,
  type SimpleType,
  type XsdType,
} from '../../src/wsdl/model.js';
import {
  attribute,
  complex,
  element,
  enumeration,
  group,
  INT,
  LONG,
  type MutableComplex,
  operation,
  STRING,
  simple,
} from './models.js';

/** Few names, so that they collide; some that GraphQL has or cannot have. */
const NAMES = [
  'a',
  'A',
  'b-c',
  'bC',
  'any',
  'choice',
  'value',
  '_',
  'item',
  '__x',
  'Order',
  'OrderInput',
  'String',
  'é',
];
const name = fc.constantFrom(...NAMES);

const SIMPLE: readonly SimpleType[] = [
  STRING,
  INT,
  LONG,
  enumeration('Order', 'a', 'A', '', 'b c', 'b_c', 'true'),
  simple('int', { variety: 'list', item: INT }),
  simple('string', { variety: 'list', item: enumeration('e', 'x', '1') }),
  simple('string', { variety: 'union', members: [INT, enumeration('f', 'x')] }),
  simple('boolean', { enumeration: [{ value: 'true', documentation: null }] }),
];

interface Recipe {
  readonly name: string | null;
  readonly uri: string;
  readonly abstract: boolean;
  readonly base: number;
  readonly derivation: 'extension' | 'restriction' | null;
  readonly content: number;
  readonly particle: Shape;
  readonly attributes: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly type: number;
  }[];
}

type Shape =
  | {
      readonly kind: 'one';
      readonly name: string;
      readonly type: number;
      readonly nillable: boolean;
      readonly min: number;
      readonly max: number;
    }
  | { readonly kind: 'any'; readonly min: number; readonly max: number }
  | {
      readonly kind: 'sequence' | 'choice';
      readonly parts: readonly Shape[];
      readonly min: number;
      readonly max: number;
    };

const occurs = { min: fc.constantFrom(0, 1, 1, 2), max: fc.constantFrom(1, 1, 2, Infinity) };
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('one' as const),
      name,
      type: fc.nat(30),
      nillable: fc.boolean(),
      ...occurs,
    }),
    fc.record({ kind: fc.constant('any' as const), ...occurs }),
    fc.record({
      kind: fc.constantFrom('sequence' as const, 'choice' as const),
      parts: fc.array(tie('shape'), { maxLength: 4 }),
      ...occurs,
    }),
  ),
}));

const recipe: fc.Arbitrary<Recipe> = fc.record({
  name: fc.option(name),
  uri: fc.constantFrom('urn:a:one', 'urn:a:two'),
  abstract: fc.boolean(),
  base: fc.nat(30),
  derivation: fc.constantFrom('extension' as const, 'restriction' as const, null, null),
  content: fc.nat(9),
  particle: shape,
  attributes: fc.array(fc.record({ name, required: fc.boolean(), type: fc.nat(20) }), {
    maxLength: 3,
  }),
});

function made(recipes: readonly Recipe[]): readonly MutableComplex[] {
  const types = recipes.map(({ name: local, uri, abstract }) =>
    complex(
      '',
      { kind: 'empty' },
      { name: local === null ? null : { uri, local }, abstract: abstract && local !== null },
    ),
  );
  const typeAt = (index: number): XsdType =>
    index < types.length ? (types[index] as XsdType) : (SIMPLE[index % SIMPLE.length] as XsdType);
  const simpleAt = (index: number): SimpleType => SIMPLE[index % SIMPLE.length] as SimpleType;
  const particle = (part: Shape): Particle => {
    const { min } = part;
    const max = Math.max(min, part.max);
    if (part.kind === 'any') return { kind: 'any', wildcard: ANYTHING, min, max };
    if (part.kind !== 'one') return group(part.kind, part.parts.map(particle), min, max);
    return {
      kind: 'one',
      element: element(part.name, typeAt(part.type), { nillable: part.nillable }),
      min,
      max,
    };
  };
  recipes.forEach((each, index) => {
    const type = types[index] as MutableComplex;
    // Bases come first: nothing derives from itself.
    const base =
      each.base < index && each.derivation !== null ? (types[each.base] as MutableComplex) : null;
    const own = contentOf(each, () => particle(each.particle), typeAt, simpleAt);
    type.base = base?.name == null ? null : base;
    type.derivation = type.base === null ? null : each.derivation;
    const isWhole =
      type.base === null ||
      base === null ||
      (type.derivation === 'restriction' && each.content > 6);
    type.content = isWhole ? own : joined(base.content, own);
    type.attributes = [
      ...(type.base?.attributes ?? []),
      ...each.attributes.map(({ name: local, required, type: at }) =>
        attribute(local, simpleAt(at), { required }),
      ),
    ];
    if (type.base !== null && base !== null) base.derived = [...base.derived, type];
  });
  return types;
}

function contentOf(
  { content }: Recipe,
  particle: () => Particle,
  typeAt: (index: number) => XsdType,
  simpleAt: (index: number) => SimpleType,
): Content {
  if (content === 0) return { kind: 'empty' };
  if (content === 1) return { kind: 'text', type: simpleAt(content) };
  if (content === 2) return { kind: 'opaque', mixed: null };
  if (content === 3) return { kind: 'array', item: typeAt(content), dimensions: 1 };
  if (content === 4) return { kind: 'array', item: typeAt(0), dimensions: 2 };
  return { kind: 'elements', particle: particle() };
}

/** All content, inherited content first. */
function joined(base: Content, own: Content): Content {
  if (base.kind !== 'elements' || own.kind !== 'elements')
    return base.kind === 'empty' ? own : base;
  return { kind: 'elements', particle: group('sequence', [base.particle, own.particle]) };
}

t.test(
  'whatever the types are, the schema is valid, prints, and is the same each time',
  async () => {
    fc.assert(
      fc.property(
        fc.array(recipe, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('fields', 'union'),
        (recipes, choices) => {
          const print = (): string => {
            const types = made(recipes);
            const elements = types.map((type, index) => ({
              kind: 'one' as const,
              element: element(`e${index}`, type),
              min: index % 2,
              max: 1 + (index % 3),
            }));
            const operations = [
              operation('GetAll', elements, elements),
              operation('String', elements.slice(0, 1), elements.slice(0, 1)),
            ];
            const { schema } = buildSchema([
              { name: 'Order', operations, mapping: new Map(), naming: 'camel', choices },
            ]);
            const problems = validateSchema(schema);
            if (problems.length > 0) throw new Error(problems.map(String).join('\n'));
            return printSchema(schema);
          };
          const once = print();
          parseSchema(once);
          if (print() !== once) throw new Error('it printed something else');
        },
      ),
      { numRuns: 300 },
    );
  },
);
