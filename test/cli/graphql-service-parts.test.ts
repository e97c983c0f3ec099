import t, { type Test } from 'tap';

import { runConfigured } from '../kit/command.js';

/**
 * What `rename` and `hide` make of the schema of a service that speaks GraphQL: something that can
 * be asked, or a problem.
 */
interface Case {
  readonly sdl: string;
  readonly keys: string;
}

async function say(t: Test, { sdl, keys }: Case, command: 'schema' | 'check'): Promise<string> {
  const { code, all } = await runConfigured(t, yaml(keys), [command], { 'crm.graphql': sdl });
  return `${code} ${all}\n`;
}

const yaml = (keys: string): string => `services:
  orders:
    url: http://127.0.0.1:9/orders
    namespace: urn:orders
    types: |
      type Query { item(id: ID!): Item }
      type Item { id: ID! }
    operations: { GetItem: { field: Query.item } }
  crm:
    kind: graphql
    url: http://127.0.0.1:9/graphql
    schema: crm.graphql
    prefix: crm
${keys}`;

const PEOPLE = `type Query { customer: Customer person: Person supplier: Supplier }
interface Entity { ssn: String code: Int }
interface Person implements Entity { ssn: String code: Int fullName: String }
type Customer implements Person & Entity { code: Int id: ID! fullName: String ssn: String }
type Supplier implements Person & Entity { code: Int id: ID! fullName: String! ssn: String city: \
String }
interface Named { fullName: String }
type Note implements Named { fullName: String }
`;

t.test('an interface and what implements it agree about what is hidden and renamed', async (t) => {
  const renamed = await say(
    t,
    { sdl: PEOPLE, keys: '    rename: { Customer.fullName: name }\n' },
    'schema',
  );
  t.match(renamed, /type CrmCustomer [^}]* name: String\n/);
  t.match(renamed, /interface CrmPerson [^}]* name: String\n/);
  t.match(renamed, /type CrmSupplier [^}]* name: String!\n/, 'beside it, too');
  t.notMatch(renamed, 'fullName');
  const hidden = await say(t, { sdl: PEOPLE, keys: '    hide: [Customer.ssn]\n' }, 'schema');
  t.match(hidden, /type CrmSupplier [^}]* ssn/, 'types beside it keep theirs');
  t.notMatch(hidden, /type CrmCustomer [^}]* ssn/);
  t.notMatch(hidden, /interface CrmPerson [^}]* ssn/);
  const all = await say(
    t,
    {
      sdl: PEOPLE,
      keys: '    hide: [Entity.ssn]\n',
    },
    'schema',
  );
  t.match(all, /^0 /, all);
  t.notMatch(all, 'ssn', 'what an interface hides all its types hide');
  const covariant = `type Query { node: Node }
interface Node { inner: Inner i: Int }
interface Inner { z: Int }
type A implements Node { inner: B i: Int }
type B implements Inner { z: Int }
`;
  const gone = await say(t, { sdl: covariant, keys: '    hide: [B]\n' }, 'schema');
  t.match(gone, /interface CrmNode \{\n {2}i: Int\n\}/);
  const root = await say(
    t,
    { sdl: 'type Query { a: Int } type Mutation { b: Int }', keys: '    hide: [Mutation.b]\n' },
    'check',
  );
  t.match(root, /^0 /, 'a root of which nothing is left is not there');
});

const MISTAKES: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'a sibling',
    'type Query { a: A } type A { id: ID fullName: String }',
    'rename: { A.fullName: id }',
    /`A\.id` and `A\.fullName` would both be `id`/,
  ],
  [
    'two into one',
    'type Query { a: A } type A { x: ID y: String }',
    'rename: { A.x: z, A.y: z }',
    /both be `z`/,
  ],
  [
    'a sibling of inputs',
    'type Query { a(f: F): Int } input F { a: Int b: Int }',
    'rename: { F.a: b }',
    /both be `b`/,
  ],
  [
    'two names for one',
    PEOPLE,
    'rename: { Customer.fullName: a, Person.fullName: b }',
    /`Customer\.fullName` is `Person\.fullName`, which is renamed to `b`: it cannot be `a`\. Give both one name/,
  ],
  [
    'a taken type',
    'type Query { a: A } type A { x: Int }',
    'rename: { A: Item }',
    /`A` cannot be `Item`: that name is taken/,
  ],
  [
    'the type of a sibling',
    'type Query { a: A b: B } type A { x: Int } type B { x: Int }',
    'rename: { A: CrmB }',
    /`A` cannot be `CrmB`/,
  ],
  [
    'a type of its own',
    'type Query { a: A b: B } type A { x: Int } type B { x: Int }',
    'rename: { A: B }',
    /the service has a type of that name/,
  ],
  [
    'a taken field',
    'type Query { a: Int }',
    'rename: { Query.a: item }',
    /`Query\.a` cannot be `item`: that name is taken/,
  ],
  [
    'the field of a sibling',
    'type Query { a: Int b: Int }',
    'rename: { Query.a: crmB }',
    /`Query\.a` cannot be `crmB`/,
  ],
  [
    'all fields',
    'type Query { a: A b: Int } type A { x: Int }',
    'hide: [A.x]',
    /Nothing is left of `A`.*Hide `A` too/,
  ],
  [
    'all fields, by their type',
    'type Query { a: A b: Int } type A { x: B } type B { x: Int }',
    'hide: [B]',
    /Nothing is left of `A`/,
  ],
  [
    'all members',
    'type Query { u: U b: Int } union U = A | B type A { x: Int } type B { x: Int }',
    'hide: [A, B]',
    /Nothing is left of `U`/,
  ],
  ['all queries', 'type Query { a: Int }', 'hide: [Query.a]', /Nothing is left of `Query`/],
  [
    'a required input field',
    'type Query { a(f: F): Int } input F { a: Int! b: Int }',
    'hide: [F.a]',
    /`F\.a` must be provided: hidden it could not be\. Hide `F` too/,
  ],
  [
    'the type of a required input field',
    'type Query { a(f: F): Int } input F { a: E! b: Int } enum E { X }',
    'hide: [E]',
    /`F\.a` must be provided/,
  ],
  [
    'the type of a required argument',
    'type Query { a(e: E!): Int b: Int } enum E { X }',
    'hide: [E]',
    /`Query\.a` requires `e`/,
  ],
  ['a root', 'type Query { a: Int }', 'hide: [Query]', /`Query` is where requests begin.*Query\.a/],
  [
    'a root that is not there',
    'type Query { a: Int }',
    'hide: [Mutation]',
    /The service has no `Mutation`/,
  ],
  ['what GraphQL has', 'type Query { a: Int }', 'hide: [Int]', /belongs to GraphQL itself/],
];

t.test(
  'what would leave no schema to ask with is a problem with its line and what to do',
  async (t) => {
    for (const [name, sdl, keys, what] of MISTAKES) {
      const said = await say(t, { sdl, keys: `    ${keys}\n` }, 'check');
      t.match(said, /^[1-9]/, name);
      t.match(said, what, name);
      t.match(said, 'soapstone.yaml:14', name);
      t.notMatch(said, /Did you mean `(Query|Mutation)`/, name);
    }
  },
);

t.test('unused fields can be hidden, and swapped', async (t) => {
  for (const [sdl, keys] of [
    [
      'type Query { a(f: F, e: E): Int } input F { a: Int! = 1 b: Int! } enum E { X }',
      'hide: [F.a, E]',
    ],
    ['type Query { a(f: F): Int b: Int } input F { a: Int! b: Int }', 'hide: [F.a, F]'],
    ['type Query { a: A b: Int } type A { x: Int }', 'hide: [A, A.x]'],
    ['type Query { a: A } type A { x: Int y: Int }', 'rename: { A.x: y, A.y: x }'],
    ['type Query { a: A } type A { x: Int y: Int }', 'rename: { A.x: y }\n    hide: [A.y]'],
    ['type Query { a: Int b: Int }', 'rename: { Query.a: b, Query.b: a }'],
  ] as const) {
    t.match(await say(t, { sdl, keys: `    ${keys}\n` }, 'check'), /^0 /, keys);
  }
});

t.test('with a prefix types keep the letters of their names', async (t) => {
  const said = await say(
    t,
    {
      sdl:
        'scalar JSON scalar Json type Query { a: JSON b: Json c: ' +
        'HTTPResult } type HTTPResult { x: Int }',
      keys: '',
    },
    'schema',
  );
  for (const part of ['crmA: CrmJSON', 'crmB: CrmJson', 'crmC: CrmHTTPResult']) t.match(said, part);
});

t.test('costs stand in the schema or in the configuration, under the names of here', async (t) => {
  const sdl =
    'type Query { notes(page: Page): Notes @listSize(slicingArguments: ["page.first"], ' +
    'sizedFields: ["rows"]) dear: Int @cost(weight: "3") } ' +
    'input Page { first: Int } type Notes { rows: [Note!] } type Note @cost(weight: ' +
    '"2") { id: ID many: [Int] }';
  const keys = `    rename: { Page.first: most, Notes.rows: items }
    costs: { Note.many: { listSize: { assumedSize: 7 } } }
`;
  const said = await say(t, { sdl, keys }, 'schema');
  for (const part of [
    'crmNotes(page: CrmPage): CrmNotes @listSize(slicingArguments: ["page.most"], ' +
      'sizedFields: ["items"])',
    'crmDear: Int @cost(weight: "3")',
    'type CrmNote @cost(weight: "2")',
    'many: [Int] @listSize(assumedSize: 7)',
  ]) {
    t.match(said, part);
  }
  for (const [name, mistaken, costs, what] of [
    [
      'an unknown field',
      sdl,
      'costs: { Note.mny: { cost: 2 } }',
      /crm\.?.*no `Note\.mny`\. Did you mean `Note\.many`/,
    ],
    [
      'an unknown argument',
      sdl,
      'costs: { Query.dear: { argumentCosts: { a: 2 } } }',
      /`crmDear` has no argument `a`/,
    ],
    ['a list that is a type', sdl, 'costs: { Note: { listSize: { assumedSize: 2 } } }', /listSize/],
    [
      'no list',
      sdl,
      'costs: { Query.dear: { listSize: { assumedSize: 2 } } }',
      /`crmDear` is no list/,
    ],
    ['no weight', 'type Query { a: Int @cost(weight: "x") }', '', /crm\.graphql:1:\d+.*weight/],
    [
      'a list of nothing',
      'type Query { a: [Int] @listSize(slicingArguments: ["x"]) }',
      '',
      /`crmA` has no argument `x`/,
    ],
  ] as const) {
    t.match(
      await say(t, { sdl: mistaken, keys: costs === '' ? '' : `    ${costs}\n` }, 'check'),
      what,
      name,
    );
  }
  const root = 'type Query @cost(weight: "3") { a: A } type A @cost(weight: "2") { x: Int }';
  const kept = await say(t, { sdl: root, keys: '    costs: { A: {} }\n' }, 'schema');
  t.match(kept, 'type CrmA @cost(weight: "2")', kept);
  const other =
    'directive @cost(complexity: Int) on FIELD_DEFINITION type Query { a: ' +
    'Int @cost(complexity: 5) }';
  t.match(
    await say(t, { sdl: other, keys: '' }, 'check'),
    /^0 /,
    'a directive of the same name that is another',
  );
});
