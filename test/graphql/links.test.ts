import fc from 'fast-check';
import {
  assertValidSchema,
  type ExecutionResult,
  executeSync,
  parse,
  printSchema,
  printType,
  validate,
} from 'graphql';
import t, { type Test } from 'tap';
import type { Decoded } from '../../src/codec/plan/reply/reply-plan.js';
import type { Compiled } from '../../src/compile.js';
import { defaultsOf } from '../../src/core/limit.js';
import { type Admission, admit } from '../../src/graphql/admission/admit.js';
import { CostTable } from '../../src/graphql/admission/cost/cost-table.js';
import { DocumentCache } from '../../src/graphql/admission/document-cache.js';
import { GRAPHQL_LIMITS } from '../../src/graphql/limits.js';
import { hasVariables } from '../../src/graphql/run/arguments.js';
import { executeOperation } from '../../src/graphql/run/execute.js';
import type { FieldCall } from '../../src/graphql/run/field-call.js';
import { keyText } from '../../src/graphql/run/key-answers.js';
import type { LinkMapping, Walk } from '../../src/graphql/schema/links/link.js';
import { copyAlong, linkPositionsIn } from '../../src/graphql/schema/links/link-walk.js';
import { buildSchema } from '../../src/graphql/schema/schema.js';
import type { Operation } from '../../src/wsdl/model.js';
import { readDocument } from '../codec/plans.js';
import { compileText, diagnosticsOf } from '../kit/configuration.js';
import {
  complex,
  element,
  elements,
  extension,
  INT,
  LONG,
  one,
  operation,
  STRING,
  URI,
} from './models.js';
import { randomSelection } from './random-selection.js';

const SERVICES = `services:
  orders:
    url: http://127.0.0.1:1/
    types: |
      type Query { order(id: ID!): Order, all: [Order] }
      type Mutation { place(id: Int): Order }
      type Order { id: ID!, customerId: Int, when: DateTime, lines: [Line!], state: \
State, customer: String }
      type Line { sku: String, skus: [String] }
      enum State { OPEN CLOSED }
    operations:
      GetOrder: { field: Query.order }
      ListOrders: { field: Query.all }
      PlaceOrder: { field: Mutation.place }
  customers:
    url: http://127.0.0.1:1/
    types: |
      type Query {
        customer(id: Long!): Customer
        customers(ids: [Long!]): [Customer!]
        find(criteria: Criteria!): Customer
        count: Int
      }
      input Criteria { id: Long!, region: Region!, name: String }
      input Region { code: String!, note: String }
      type Customer { id: Long!, name: String!, regions: [String] }
    operations:
      GetCustomer: { field: Query.customer }
      GetCustomers: { field: Query.customers }
      FindCustomer: { field: Query.find }
      Count: { field: Query.count }
links:
`;

const compileLinks = (t: Test, links: string): Promise<Compiled> =>
  compileText(t, SERVICES + links);

/** The problems of a configuration with these links: line below `links:`, sentence, remedy. */
async function problemsOf(
  t: Test,
  links: string,
): Promise<readonly (readonly [number, string, string | null])[]> {
  const above = SERVICES.split('\n').length - 1;
  const found = await diagnosticsOf(compileLinks(t, links));
  return found.map(({ line, what, remedy }) => [(line ?? 0) - above, what, remedy]);
}

t.test(
  'a link is a field of the printed schema, nullable, with the arguments that nothing fills',
  async (t) => {
    const { graph } = await compileLinks(
      t,
      `  Order.buyer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Order.found: { operation: customers.FindCustomer, arguments: { criteria.id: \
customerId, criteria.region.code: id } }
  Order.any: { operation: customers.FindCustomer, arguments: {} }
  Line.others: { operation: customers.GetCustomers, arguments: {}, description: \
All of them., deprecated: Slow. }
`,
    );
    const type = (name: string): string =>
      printType(graph.schema.getType(name) as Parameters<typeof printType>[0]);
    t.match(
      type('Order'),
      '  buyer: Customer\n  found: Customer\n  any(criteria: CriteriaInput!): Customer\n'.replace(
        'CriteriaInput',
        'Criteria',
      ),
    );
    t.match(
      type('Line'),
      '  """All of them."""\n  others(ids: [Long!]): [Customer!] @deprecated(reason: "Slow.")',
    );
  },
);

t.test('every error in links comes out at once, at its place, with the nearest name', async (t) => {
  const problems = await problemsOf(
    t,
    `  Ordr.buyer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Order.customer: { operation: customers.GetCustomer, arguments: { id: customerId } }
  Order.a: { operation: customers.GetCustomr, arguments: { id: customerId } }
  Order.b: { operation: customers.GetCustomer, arguments: { id: customerID } }
  Order.c: { operation: customers.GetCustomer, arguments: { ident: customerId } }
  Order.d: { operation: customers.GetCustomer, arguments: { id: when } }
  Order.e: { operation: orders.PlaceOrder, arguments: { id: customerId } }
  Order.f: { operation: customers.FindCustomer, arguments: { criteria.id: customerId } }
  Order.g: { operation: customers.GetCustomer, arguments: { id: lines.sku } }
  Line.h: { operation: orders.GetOrder, arguments: { id: skus } }
  Order.i:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomer, argument: id, key: id }
  Order.j:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomers, argument: idz, key: nam }
  Order.k:
    operation: customers.GetCustomer
    arguments: { id: customerId }
    batch: { operation: customers.GetCustomers, argument: ids, key: regions }
  Order.l:
    operation: customers.GetCustomer
    arguments: {}
    batch: { operation: orders.ListOrders, argument: ids, key: id }
  Query.m: { operation: customers.Count, arguments: {} }
  Order.n: { operation: customers.GetCustomer, arguments: { id: state } }
`,
  );
  t.same(problems, [
    [1, 'Link `Ordr.buyer`: There is no object type `Ordr`.', 'Did you mean `Order`?'],
    [
      2,
      'Link `Order.customer`: `Order` has a field `customer` already.',
      'Give the link another name.',
    ],
    [
      3,
      'Link `Order.a`: There is no operation `customers.GetCustomr`.',
      'Did you mean `customers.GetCustomer`?',
    ],
    [4, 'Link `Order.b`: `Order` has no field `customerID`.', 'Did you mean `customerId`?'],
    [5, 'Link `Order.c`: The operation has no argument `ident`.', 'Known here: `id`.'],
    [6, 'Link `Order.d`: `when` is DateTime, `id` takes Long.', 'Name a field of the same type.'],
    [
      7,
      'Link `Order.e`: The operation `orders.PlaceOrder` is a field of ' +
        'Mutation: a link only reads.',
      'If it only reads, map it to a field of Query, or to `false`.',
    ],
    [
      8,
      'Link `Order.f`: Nothing fills `criteria.region`, which `customers.FindCustomer` requires.',
      'Add it to `arguments`.',
    ],
    [
      9,
      'Link `Order.g`: `sku` cannot be a field of [Line!].',
      'A path leads through single objects.',
    ],
    [10, 'Link `Line.h`: `skus` is [String], `id` takes ID.', 'Name a field with one value.'],
    [14, 'Link `Order.i`: `id` is no list.', 'Name the argument that takes all keys.'],
    [
      14,
      'Link `Order.i`: The answer of `customers.GetCustomer` is no list.',
      'Name the path to the list in its answer as `items`.',
    ],
    [18, 'Link `Order.j`: The operation has no argument `idz`.', 'Did you mean `ids`?'],
    [18, 'Link `Order.j`: `Customer` has no field `nam`.', 'Did you mean `name`?'],
    [22, 'Link `Order.k`: `regions` is no single value.', 'Name the field that holds the key.'],
    [25, 'Link `Order.l`: A link with a list operation has exactly one argument: the key.', null],
    [
      26,
      'Link `Order.l`: The items of `orders.ListOrders` are Order, the link is Customer.',
      'Both operations must answer with the same type.',
    ],
    [
      27,
      'Link `Query.m`: There is no object type `Query`.',
      'Known here: `Line`, `Customer`, `Order`.',
    ],
    [28, 'Link `Order.n`: `state` is State, `id` takes Long.', 'Name a field of the same type.'],
  ]);
  const forms = await problemsOf(
    t,
    `  Order: { operation: GetCustomer, arguments: { "a b": 1 } }
  Order.o: { operation: customers.GetCustomer, batch: { key: id } }
`,
  );
  t.same(
    forms.map(([line, what]) => [line, what]),
    [
      [1, '`Order` cannot be a name in `links`.'],
      [2, '`links.Order.o.arguments` is missing.'],
      [2, '`links.Order.o.batch.operation` is missing.'],
      [2, '`links.Order.o.batch.argument` is missing.'],
    ],
  );
});

// ------------------------------------------------------------------------------ against
// graphql-js, with resolvers

/**
 * People and firms: an interface with links, links on one type only, single, batched, lists,
 * grouped lists.
 */
function society(): readonly Operation[] {
  const party = complex(
    'Party',
    elements(one('id', INT), one('name', STRING), one('bossId', INT, '?')),
  );
  extension('Person', party, one('age', INT, '?'), one('spouse', party, '?'));
  extension(
    'Firm',
    party,
    one('staffIds', INT, '*'),
    one('seat', complex('Seat', elements(one('ownerId', INT)))),
  );
  const parties = one('party', party, '*');
  return [
    operation('GetParty', [one('id', LONG)], [one('party', party, '?')]),
    operation('GetParties', [one('ids', INT, '*')], [parties]),
    operation('SearchParties', [one('ids', INT, '*')], [one('total', INT), parties]),
    operation('FindParties', [one('bossId', INT)], [parties]),
    operation('FindAll', [one('bossIds', INT, '*')], [parties]),
  ];
}

const HIDDEN = { field: null, hidden: true } as const;

const batch = (name: string, argument: string, key: string, items: string | null = null) => ({
  batch: { operation: `s.${name}`, argument, key, items },
});

function link(
  name: string,
  operationName: string,
  args: Record<string, string>,
  more: Partial<LinkMapping> = {},
): LinkMapping {
  const none = { batch: null, description: null, deprecated: null };
  return { name, operation: `s.${operationName}`, arguments: args, ...none, ...more };
}

const SOCIETY = buildSchema(
  [{ name: 's', operations: society(), mapping: new Map([['FindAll', HIDDEN]]), naming: 'camel' }],
  [
    link('Party.boss', 'GetParty', { id: 'bossId' }),
    link('Party.chief', 'GetParty', { id: 'bossId' }, batch('GetParties', 'ids', 'id')),
    link('Party.head', 'GetParty', { id: 'bossId' }, batch('SearchParties', 'ids', 'id', 'party')),
    link('Party.team', 'FindParties', { bossId: 'id' }),
    link('Party.others', 'GetParties', { ids: 'bossId' }, batch('GetParties', 'ids', 'id')),
    link('Party.crew', 'FindParties', { bossId: 'id' }, batch('FindAll', 'bossIds', 'bossId')),
    link('Firm.staff', 'GetParties', { ids: 'staffIds' }),
    link('Firm.owner', 'GetParty', { id: 'seat.ownerId' }, batch('GetParties', 'ids', 'id')),
    link('Seat.owner', 'GetParty', { id: 'ownerId' }),
  ],
);

interface Party {
  readonly __typename: string;
  readonly id: number;
  readonly [field: string]: unknown;
}

const PARTIES: readonly Party[] = Array.from({ length: 9 }, (_, index): Party => {
  const id = index + 1;
  const common = { id, name: `N${id}`, bossId: id === 5 ? null : (id * 4) % 11 };
  if (id % 3 === 0) return { __typename: 'PartyBase', ...common };
  if (id % 3 === 1)
    return { __typename: 'Person', ...common, age: id % 2 === 0 ? null : id, spouse: null };
  return {
    __typename: 'Firm',
    ...common,
    staffIds: id === 2 ? [] : [id - 1, 40, id + 1],
    seat: { ownerId: id - 1 },
  };
});

const byId = (id: unknown): Party | null =>
  PARTIES.find((party) => String(party.id) === String(id)) ?? null;
const byIds = (ids: unknown): readonly Party[] =>
  (Array.isArray(ids) ? ids : []).flatMap((id) => byId(id) ?? []);
const byBoss = (id: unknown): readonly Party[] => PARTIES.filter((party) => party['bossId'] === id);

/** What links and root fields are by resolvers. */
const TRUTH: Readonly<Record<string, (source: Party, args: Record<string, unknown>) => unknown>> = {
  getParty: (_, { id }) => byId(id),
  getParties: (_, { ids }) => byIds(ids),
  searchParties: (_, { ids }) => ({ total: 3, party: byIds(ids) }),
  findParties: (_, { bossId }) => byBoss(bossId),
  boss: ({ bossId }) => byId(bossId),
  chief: ({ bossId }) => byId(bossId),
  head: ({ bossId }) => byId(bossId),
  team: ({ id }) => byBoss(id),
  crew: ({ id }) => byBoss(id),
  others: ({ bossId }) => (bossId === null ? null : byIds([bossId])),
  staff: ({ staffIds }) =>
    Array.isArray(staffIds) && staffIds.length > 0 ? byIds(staffIds) : null,
  owner: ({ seat, ownerId }) => byId(ownerId ?? Object(seat)['ownerId']),
};

const xml = (party: Party, tag = 'party'): string => {
  const children = Object.entries(party).flatMap(([name, value]): string[] => {
    if (name === '__typename' || value === null) return [];
    if (Array.isArray(value)) return value.map((item) => `<${name}>${item}</${name}>`);
    if (typeof value === 'object')
      return [`<${name}><ownerId>${Object(value).ownerId}</ownerId></${name}>`];
    return [`<${name}>${value}</${name}>`];
  });
  const type = party.__typename === 'PartyBase' ? '' : ` xsi:type="${party.__typename}"`;
  return `<${tag}${type}>${children.join('')}</${tag}>`;
};

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

const read = (plan: FieldCall['plan'], content: string): Decoded =>
  readDocument(plan, `<r xmlns="${URI}" xmlns:xsi="${XSI}">${content}</r>`);

/** The backend: answers a call with XML, items in another order than they were asked for. */
function answer(call: FieldCall): Decoded {
  const { id, ids, bossId, bossIds } = call.arguments;
  const all = (parties: readonly Party[]): string =>
    [...parties]
      .reverse()
      .map((party) => xml(party))
      .join('');
  const given = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
  const distinct = new Set(given(ids));
  const inOrder = (parties: readonly Party[]): string =>
    parties.map((party) => xml(party)).join('');
  switch (call.bound.operation.name) {
    case 'GetParty': {
      const party = byId(id);
      return read(call.plan, party === null ? '' : xml(party));
    }
    case 'GetParties':
      return read(call.plan, inOrder(byIds([...distinct])));
    case 'SearchParties':
      return read(call.plan, `<total>3</total>${all(byIds([...distinct]))}`);
    case 'FindParties':
      return read(call.plan, inOrder(byBoss(bossId)));
    default:
      return read(call.plan, inOrder(given(bossIds).flatMap(byBoss)));
  }
}

const LIMITS = {
  ...defaultsOf(GRAPHQL_LIMITS),
  cost: 1e9,
  depth: 100,
  calls: 10_000,
  aliases: 1000,
  tokens: 100_000,
  directives: 1000,
};
const admissionTo = ({ schema, links }: Pick<typeof SOCIETY, 'schema' | 'links'>): Admission => ({
  schema,
  limits: LIMITS,
  introspection: true,
  documents: new DocumentCache(),
  costs: new CostTable({ schema, links, limits: LIMITS }),
});
const ADMISSION = admissionTo(SOCIETY);

/** The answer by our executor, with the calls that were made for it. */
async function ours(
  query: string,
): Promise<{ readonly result: ExecutionResult; readonly calls: readonly string[] }> {
  const calls: string[] = [];
  const admitted = admit(
    { query, operationName: null, variables: { yes: true, no: false } },
    ADMISSION,
  );
  const callField = async (call: FieldCall): Promise<Decoded> => {
    calls.push(`${call.bound.operation.name} ${JSON.stringify(call.arguments)}`);
    // The order of answers must make no difference.
    if (calls.length % 2 === 0) await new Promise(setImmediate);
    return answer(call);
  };
  const { signal } = new AbortController();
  return {
    result: await executeOperation(admitted, { built: SOCIETY, callField, signal, limits: LIMITS }),
    calls,
  };
}

function theirs(query: string): ExecutionResult {
  return executeSync({
    schema: SOCIETY.schema,
    document: parse(query),
    variableValues: { yes: true, no: false },
    typeResolver: (value: Party) => value.__typename,
    fieldResolver: (source: Party, args, _context, { fieldName, parentType }) => {
      const found = TRUTH[fieldName];
      // A field of the same name that no link is: none here.
      return found === undefined || (fieldName === 'id' && parentType.name !== 'Query')
        ? source[fieldName]
        : found(source, args);
    },
  });
}

t.test('random selections are answered as graphql-js answers them with resolvers', async (t) => {
  t.same(SOCIETY.linkErrors, []);
  assertValidSchema(SOCIETY.schema);
  const party = SOCIETY.schema.getType('Party');
  if (!party) throw new Error('no Party');
  let compared = 0;
  let linked = 0;
  const arbitrary = fc.infiniteStream(fc.nat(1_000_000)).map((stream) => {
    const choose = (below: number): number => (stream.next().value ?? 0) % below;
    const roots = [
      'a: getParty(id: 8)',
      'b: getParties(ids: [1, 2, 5, 9])',
      'c: findParties(bossId: 4)',
    ];
    const fields = roots
      .slice(0, 1 + choose(3))
      .map((root) => `${root}${randomSelection(SOCIETY.schema, party, 5, choose)}`);
    return (
      `query($yes:Boolean! $no:Boolean!){${fields.join(' ')} __typename ` +
      '@skip(if:$yes) @include(if:$no)}'
    );
  });
  await fc.assert(
    fc.asyncProperty(arbitrary, async (query) => {
      const errors = validate(SOCIETY.schema, parse(query)).filter(
        (error) => !error.message.includes('never used'),
      );
      if (errors.length > 0) return;
      const { result, calls } = await ours(query);
      const expected = JSON.stringify(theirs(query));
      if (JSON.stringify(result) !== expected)
        throw new Error(`${query}\n${JSON.stringify(result)}\n${expected}`);
      compared++;
      if (calls.length > 4) linked++;
    }),
    { numRuns: 150 },
  );
  t.ok(compared > 60, `${compared} compared, ${linked} with links`);
});

t.test('a link of an interface is on all its types, each with its own values', async (t) => {
  t.match(
    printSchema(SOCIETY.schema),
    /type Firm implements Party \{[^}]*boss: Party[^}]*staff: \[Party!\]/,
  );
  t.notMatch(printSchema(SOCIETY.schema), 'findAll');
  const { result, calls } = await ours(
    '{ getParties(ids: [1, 2, 3, 4]) { id chief { id ... on Firm { staff { chief { id } } } } ' +
      '... on Firm { owner { id } } } }',
  );
  t.equal(result.errors, undefined);
  t.same(calls, [
    'GetParties {"ids":[1,2,3,4]}',
    'GetParties {"ids":[4,8,1,5]}',
    'GetParties {"ids":[1]}',
    'GetParties {"ids":[7,40,9]}',
    'GetParties {"ids":[4,40,6]}',
    'GetParties {"ids":[6,3,5,2]}',
  ]);
});

t.test('one list operation serves links to one and links to all of a key', async (t) => {
  const { result } = await ours('{ getParty(id: 1) { chief { id } others { id } } }');
  t.same(JSON.parse(JSON.stringify(result)), {
    data: { getParty: { chief: { id: 4 }, others: [{ id: 4 }] } },
  });
});

t.test('a link may answer with a Fault as data, which may have links itself', async (t) => {
  const party = complex('Party', elements(one('id', INT), one('bossId', INT)));
  const lost = complex('Lost', elements(one('hintId', INT)));
  const fault = { name: 'Lost', element: element('Lost', lost) };
  const built = buildSchema(
    [
      {
        name: 's',
        operations: [
          operation('GetParty', [one('id', INT)], [one('party', party)], { faults: [fault] }),
        ],
        mapping: new Map([['GetParty', { field: null, hidden: false, faults: 'union' }]]),
        naming: 'camel',
      },
    ],
    [
      link('Party.boss', 'GetParty', { id: 'bossId' }),
      link('Lost.hint', 'GetParty', { id: 'hintId' }),
    ],
  );
  t.same(built.linkErrors, []);
  const query =
    '{ getParty(id: 1) { ... on Party { id boss { __typename ... on Lost { hintId hint { ... ' +
    'on Party { id } } } } } } }';
  const admitted = admit({ query, operationName: null, variables: {} }, admissionTo(built));
  const callField = async ({ plan, arguments: { id } }: FieldCall): Promise<Decoded> => {
    const declared = plan.faults?.entries[0]?.plan;
    if (id === 2 && declared !== undefined) return read(declared, '<hintId>3</hintId>');
    return read(plan, `<party><id>${id}</id><bossId>2</bossId></party>`);
  };
  const { signal } = new AbortController();
  const { data, errors } = await executeOperation(admitted, {
    built,
    callField,
    signal,
    limits: LIMITS,
  });
  t.equal(errors, undefined);
  const boss = { __typename: 'Lost', hintId: 3, hint: { id: 3 } };
  t.equal(JSON.stringify(data), JSON.stringify({ getParty: { id: 1, boss } }));
});

t.test(
  'numbers that are the same are the same key; texts are only if they are equal',
  async (t) => {
    for (const same of ['7', '007', '+7', '7.0', '7.', '07.000'])
      t.equal(keyText(same, true), '7', same);
    t.equal(keyText(7, true), '7');
    for (const zero of ['0', '-0', '00', '-0.00', '+0.']) t.equal(keyText(zero, true), '0', zero);
    t.equal(keyText('-00.50', true), '-0.5');
    t.equal(keyText('1e3', true), '1e3');
    t.equal(keyText('9223372036854775807', true), '9223372036854775807');
    for (const text of ['007', ' 7', '7.0', '']) t.equal(keyText(text, false), text);
  },
);

t.test('a copy leaves the value as it was; a long list is walked in its length', async (t) => {
  const walk: Walk = new Map([['a', new Map([['link', new Map()]])]]);
  const mark = { '=': '0' };
  const value = { a: [{ link: mark, big: { n: 1 } }, null], other: { n: 2 } };
  const copy = copyAlong(value, walk);
  t.same(copy, value);
  t.not(copy, value);
  const [position] = linkPositionsIn(copy, walk, { parent: null, step: 'root' });
  if (position === undefined) throw new Error('no position');
  position.owner[position.key] = 'filled';
  t.same(value.a[0]?.link, mark);
  t.equal(Object(copy).other, value.other, 'what leads to no link is shared');

  const timed = (length: number): number => {
    const long = { a: Array.from({ length }, () => ({ link: mark })) };
    const started = process.cpuUsage();
    t.equal(
      linkPositionsIn(copyAlong(long, walk), walk, { parent: null, step: 'root' }).length,
      length,
    );
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  timed(20_000);
  t.ok(timed(200_000) < 40 * Math.max(2000, timed(20_000)), 'linear, with room for a busy machine');
});

t.test('a document that is known is called with the arguments of each request', async (t) => {
  const query = 'query ($id: Long!) { one: getParty(id: $id) { id } two: getParty(id: 9) { id } }';
  const asked: unknown[] = [];
  const callField = async (call: FieldCall): Promise<Decoded> => {
    asked.push(Number(call.arguments['id']));
    return answer(call);
  };
  for (const id of [1, 2]) {
    const admitted = admit({ query, operationName: null, variables: { id } }, ADMISSION);
    await executeOperation(admitted, {
      built: SOCIETY,
      callField,
      signal: new AbortController().signal,
      limits: LIMITS,
    });
  }
  t.same(asked, [1, 9, 2, 9]);
});

t.test('variables are found in lists and objects of arguments', (t) => {
  const dependsOn = (text: string): boolean => {
    const [operation] = parse(`query ($v: Int) { field${text} }`).definitions;
    const node =
      operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections[0] : undefined;
    if (node?.kind !== 'Field') throw new Error('no field');
    return hasVariables(node);
  };
  for (const text of ['(a: $v)', '(a: 1, b: [2, $v])', '(a: { b: [{ c: $v }] })'])
    t.ok(dependsOn(text), text);
  for (const text of ['', '(a: 1)', '(a: { b: [{ c: "$v" }] })']) t.notOk(dependsOn(text), text);
  t.end();
});
