import {
  buildSchema,
  NoUnusedFragmentsRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
} from 'graphql';
import t from 'tap';

import { mergeableFieldsRule } from '../../../src/graphql/admission/mergeable-fields.js';
import { Random } from '../../codec/random-values.js';

/** Types on which one name is the same, of another shape, or another field with the same shape. */
const SCHEMA = buildSchema(`
  type Query { a(x: Int, y: [In]): A, b: B, n: Named, u: Either, list: [A], lists: [[A]], s: \
String, i: Int! }
  input In { p: Int, q: Int }
  interface Named { s: String, n: Named, a(x: Int): A }
  type A implements Named { s: String, n: Named, a(x: Int): A, v: Int, w: Int!, l: [Int], e: E, o: \
B }
  type B implements Named { s: String, n: Named, a(x: Int): A, v: String, w: Int, l: [Int], e: \
E, o: A }
  union Either = A | B
  enum E { X Y }
`);

const FIELDS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  Query: { a: 'A', b: 'B', n: 'Named', u: 'Either', list: 'A', lists: 'A', s: null, i: null },
  Named: { s: null, n: 'Named', a: 'A', __typename: null },
  A: { s: null, n: 'Named', a: 'A', v: null, w: null, l: null, e: null, o: 'B' },
  B: { s: null, n: 'Named', a: 'A', v: null, w: null, l: null, e: null, o: 'A' },
  Either: { __typename: null },
};

const ON: Readonly<Record<string, readonly string[]>> = {
  Query: ['Query'],
  Named: ['Named', 'A', 'B'],
  A: ['A', 'Named'],
  B: ['B', 'Named'],
  Either: ['A', 'B', 'Named'],
};

function randomDocument(random: Random): string {
  const definitions: string[] = [];
  const names = new Map<string, string[]>();
  const set = (type: string, depth: number): string =>
    `{${random.some(1, 4, () => selection(type, depth)).join(' ')}}`;
  const selection = (type: string, depth: number): string => {
    if (depth > 0 && random.chance(0.35)) {
      const on = random.of(ON[type] ?? []);
      if (random.chance(0.5)) return `...on ${on}${set(on, depth - 1)}`;
      const known = names.get(on) ?? [];
      if (known.length > 0 && random.chance(0.5)) return `...${random.of(known)}`;
      // What it holds is made first: no fragment holds itself.
      const inner = set(on, depth - 1);
      const name = `F${definitions.length}`;
      definitions.push(`fragment ${name} on ${on}${inner}`);
      names.set(on, [...(names.get(on) ?? []), name]);
      return `...${name}`;
    }
    const [name, inner] = random.of(
      Object.entries(FIELDS[type] ?? {}).filter((each) => depth > 0 || each[1] === null),
    );
    const alias = random.chance(0.3) ? `${random.of(['s', 'v', 'z'])}:` : '';
    const given =
      name !== 'a' || random.chance(0.5) ? '' : random.of(['(x:1)', '(x:2)', '(x:null)']);
    const deep = type === 'Query' && name === 'a' && random.chance(0.3);
    const filter = deep
      ? random.of(['(y:[{p:1,q:2}])', '(y:[{q:2,p:1}])', '(y:{p:1,q:2})'])
      : given;
    return `${alias}${name}${filter}${inner === null ? '' : set(inner, depth - 1)}`;
  };
  const query = set('Query', random.of([1, 2, 3, 4]));
  return [query, ...definitions].join('\n');
}

// An unused fragment is an error by another rule.
t.test('finds a conflict where graphql-js does, and none where it finds none', async (t) => {
  let conflicts = 0;
  for (let seed = 1; seed <= 3000; seed++) {
    const text = randomDocument(new Random(seed));
    const document = parse(text);
    const theirs =
      validate(SCHEMA, document, [OverlappingFieldsCanBeMergedRule, NoUnusedFragmentsRule]).length >
      0;
    const ours =
      validate(SCHEMA, document, [mergeableFieldsRule, NoUnusedFragmentsRule]).length > 0;
    if (theirs) conflicts++;
    if (theirs !== ours) throw new Error(`${theirs ? 'missed' : 'invented'}: ${text}`);
  }
  t.ok(conflicts > 300 && conflicts < 2700, `${conflicts} of 3,000 conflict`);
});
