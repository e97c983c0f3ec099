// biome-ignore-all lint/suspicious/noExplicitAny: answers are what they are
import t, { type Test } from 'tap';

import { answerOperations } from '../kit/backend.js';
import { textIn } from '../kit/envelope.js';
import { postGraphql } from '../kit/graphql-client.js';
import { useFolder, useGraphqlServer, useService } from '../kit/use.js';

/**
 * What comes of services that speak GraphQL when something is wrong with a part, and what it costs.
 */
const SDL = `
  directive @cost(weight: String!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | \
INPUT_FIELD_DEFINITION | OBJECT | SCALAR
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: \
[String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
  type Query {
    customer(id: ID!): Customer
    strict(id: ID!): Customer!
    sized(first: Int = 2): [Note!]! @listSize(slicingArguments: ["first"])
    notes(first: Int): [Note!]! @listSize(assumedSize: 3)
    dear: Note @cost(weight: "7")
    heavy: Heavy
    page(first: Int): Page @listSize(slicingArguments: ["first"], sizedFields: ["rows"])
    plain(first: Int): [Note!]
    any: Any
  }
  scalar Any
  type Customer { id: ID! num: Int notes(first: Int = 2): [Note!]! @listSize(slicingArguments: \
["first"], requireOneSlicingArgument: false) }
  type Note { id: ID! text: String @cost(weight: "2") }
  type Heavy @cost(weight: "9") { id: ID! }
  type Page { rows: [Note!]! total: Int }
`;

const note = (id: number) => ({ id, text: 'x' });
const notes = ({ first }: { first?: number }) =>
  Array.from({ length: first ?? 3 }, (_, at) => note(at));
const customer = (id: string) => ({ id, num: Number(id) || null, notes });

const rootValue = {
  customer: ({ id }: { id: string }) => (id === '404' ? null : customer(id)),
  strict: ({ id }: { id: string }) => {
    if (Number(id) >= 100) throw new Error(`no ${id}`);
    return customer(id);
  },
  sized: notes,
  notes,
  plain: notes,
  dear: () => note(1),
  heavy: () => ({ id: 1 }),
  page: ({ first }: { first?: number }) => ({
    rows: notes({ ...(first === undefined ? {} : { first }) }),
    total: 9,
  }),
  any: () => ({ deep: [1, { two: { three: 3 } }] }),
};

const LINKS = `links:
  Item.client: { operation: crm.customer, arguments: { id: id } }
  Item.strict: { operation: crm.strict, arguments: { id: id } }
  Customer.item: { operation: desk.GetItem, arguments: { id: id } }
  Customer.byNumber: { operation: desk.GetItem, arguments: { id: num } }
`;

async function desk(t: Test, keys = '', limits = '') {
  const crm = await useGraphqlServer(t, { sdl: SDL, rootValue });
  const answer = answerOperations('urn:desk', (name, text) =>
    name === 'ListItems'
      ? ['1', '200', '2'].map((each) => `<items><id>${each}</id></items>`).join('')
      : `<id>${textIn(text, 'id')}</id>`,
  );
  const { backend, gateway } = await useService(
    t,
    answer,
    (url) => `limits: { graphql: { rootFields: 20, aliases: 100, cost: 20000, assumedListSize: \
10${limits} } }
services:
  desk:
    url: ${url}
    namespace: urn:desk
    types: |
      type Query { item(id: Int!): Item items: [Item!] }
      type Item { id: Int! }
    operations:
      GetItem: { field: Query.item }
      ListItems: { field: Query.items }
  crm:
    kind: graphql
    url: ${crm.url}
    schema: crm.graphql
${keys}${LINKS}`,
    await useFolder(t, { 'crm.graphql': SDL }),
  );
  return {
    crm,
    soapCalls: () => backend.complete.length,
    ask: async (query: string, headers: Record<string, string> = {}): Promise<any> =>
      (await postGraphql(gateway.url, { query }, headers)).json(),
  };
}

t.test('an error of one is none of its neighbours in the same call', async (t) => {
  const { ask, crm } = await desk(t);
  const linked = await ask('{ items { id strict { id } } }');
  t.same(linked.data.items, [
    { id: 1, strict: { id: '1' } },
    { id: 200, strict: null },
    { id: 2, strict: { id: '2' } },
  ]);
  t.match(linked.errors, [
    {
      message: 'no 200',
      path: ['items', 1, 'strict'],
      extensions: { code: 'GRAPHQL_UPSTREAM_ERROR' },
    },
  ]);
  t.equal(linked.errors.length, 1, 'the service is not accused');
  t.equal(crm.requests.length, 3, 'those that lost their answers are asked for again');
  const roots = await ask(
    '{ customer(id: "1") { id } item(id: 5) { strict { id } } strict(id: 300) { id } }',
  );
  t.match(roots.errors, [{ message: 'no 300', path: ['strict'] }]);
  crm.requests.length = 0;
  const side = await ask(
    '{ a: item(id: 300) { strict { id } } b: item(id: 301) { strict { id } } c: item(id: ' +
      '3) { client { id } strict { id } } }',
  );
  t.same(side.data, {
    a: { strict: null },
    b: { strict: null },
    c: { client: { id: '3' }, strict: { id: '3' } },
  });
  t.equal(side.errors.length, 2);
});

t.test('missing answers are reported, and errors of one field one by one', async (t) => {
  const { ask, crm } = await desk(t);
  const send = (answer: unknown) => {
    crm.instead = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    return ask('{ customer(id: "1") { id } }');
  };
  const missing = await send({ data: {} });
  t.match(missing, {
    data: { customer: null },
    errors: [{ path: ['customer'], extensions: { code: 'UPSTREAM_SCHEMA_INVALID' } }],
  });
  const told = await send({ data: {}, errors: [{ message: 'no', path: ['customer'] }] });
  t.strictSame(
    told.errors.map(({ message, extensions }: any) => [message, extensions.code]),
    [['no', 'GRAPHQL_UPSTREAM_ERROR']],
  );
  const both = ['one', 'two'].map((message) => ({ message, path: ['customer'] }));
  const several = await send({ data: { customer: null }, errors: both });
  t.strictSame(
    several.errors.map(({ message, path }: any) => ({ message, path })),
    both,
  );
  const apart = [
    { message: 'no id', path: ['customer', 'id'] },
    { message: 'no text', path: ['customer', 'notes', 1, 'text'] },
  ];
  crm.instead = (_request, response) => {
    const errors = [...apart, { message: 'elsewhere', path: ['customer', 'notes', 7] }];
    const content = JSON.stringify({ data: { customer: null }, errors });
    response.writeHead(200, { 'content-type': 'application/json' }).end(content);
  };
  const below = await ask('{ client: customer(id: "1") { id notes { text } } }');
  t.strictSame(
    below.errors.map(({ message, path }: any) => ({ message, path })),
    [...apart, { message: 'elsewhere', path: ['customer', 'notes', 7] }].map(
      ({ message, path }) => ({
        message,
        path: ['client', ...path.slice(1)],
      }),
    ),
  );
});

t.test(
  'what was really called and read is what it costs, and never more than was said before',
  async (t) => {
    const { ask, crm } = await desk(t);
    const costs: readonly (readonly [string, number])[] = [
      ['{ a: any b: any c: any d: any e: any }', 10],
      ['{ customer(id: "1") { id item { id } } }', 22],
      ['{ customer(id: "1") { item { client { item { id } } } } }', 44],
      ['{ items { strict { id } } }', 10 + 3 + 30 + 2],
      ['{ items { client { id } } }', 10 + 3 + 10 + 3],
      ['{ customer(id: "404") { id } }', 10],
    ];
    for (const [query, actual] of costs) {
      const { extensions } = await ask(query);
      t.equal(extensions.cost.actualQueryCost, actual, query);
      t.ok(extensions.cost.requestedQueryCost >= actual, query);
    }
    t.ok(crm.requests.length > 0);
  },
);

t.test('a text that writes a number fills an argument that takes one', async (t) => {
  const { ask, soapCalls } = await desk(t);
  t.same((await ask('{ customer(id: "7") { item { id } } }')).data, {
    customer: { item: { id: 7 } },
  });
  const calls = soapCalls();
  for (const id of ['a7', '7.5', '', '99999999999', '0x7', '7 ']) {
    const { data, errors } = await ask(
      `{ customer(id: ${JSON.stringify(id)}) { id item { id } } }`,
    );
    t.same(data, { customer: { id, item: null } }, id);
    t.match(errors, [
      {
        message: /no number of its type/,
        path: ['customer', 'item'],
        extensions: { code: 'BAD_USER_INPUT', argument: ['id'] },
      },
    ]);
    t.notMatch(errors[0].message, /99999999999|a7/);
  }
  t.equal(soapCalls(), calls, 'nobody is asked for what is none');
  t.same(
    (await ask('{ item(id: 3) { client { id } } }')).data,
    { item: { client: { id: '3' } } },
    'and back',
  );
});

t.test(
  'lists are as long, and things as dear, as the schema or the configuration says',
  async (t) => {
    const { ask } = await desk(
      t,
      '    costs: { Query.plain: { listSize: { slicingArguments: ' +
        '[first], requireOneSlicingArgument: false } }, Customer: { cost: 4 }, Customer.notes: ' +
        '{ argumentCosts: { first: 3 } } }\n',
      ', sliceItems: 500',
    );
    const costs: readonly (readonly [string, number, number])[] = [
      ['{ sized(first: 500) { id } }', 510, 510],
      ['{ sized { id } }', 12, 12],
      ['{ notes(first: 2) { id } }', 13, 12],
      ['{ sized(first: 3) { text } }', 19, 19],
      ['{ plain(first: 30) { id } }', 40, 40],
      ['{ dear { id } }', 8, 8],
      ['{ heavy { id } }', 19, 19],
      ['{ page(first: 20) { total rows { id } } }', 31, 31],
      ['{ customer(id: "1") { id } }', 14, 14],
      ['{ customer(id: "1") { notes(first: 5) { id } } }', 22, 22],
      ['{ item(id: 1) { client { notes(first: 5) { id } } } }', 33, 33],
    ];
    for (const [query, requested, actual] of costs) {
      const { extensions, errors } = await ask(query);
      t.same(errors, undefined, query);
      t.match(extensions.cost, { requestedQueryCost: requested, actualQueryCost: actual }, query);
    }
    for (const query of [
      '{ sized(first: 501) { id } }',
      '{ plain(first: 0) { id } }',
      '{ customer(id: "1") { notes(first: 501) { id } } }',
    ]) {
      t.match((await ask(query)).errors, [{ extensions: { code: 'BAD_USER_INPUT' } }], query);
    }
  },
);

t.test('a null is no error under an alias, and under a name of the gateway', async (t) => {
  const { ask, crm } = await desk(t, '    rename: { Query.any: other }\n');
  for (const query of [
    '{ none: customer(id: "404") { id } }',
    '{ none: customer(id: "404") { id } found: customer(id: ' +
      '"1") { id } customer(id: "404") { id } }',
  ]) {
    const { data, errors } = await ask(query);
    t.equal(errors, undefined, query);
    t.equal(data.none, null);
  }
  crm.instead = (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"data":{"any":null,"other":null}}');
  t.match(await ask('{ other }'), { data: { other: null }, errors: undefined });
  t.match(await ask('{ _v1_x: other }'), { data: { _v1_x: null }, errors: undefined });
});

t.test('a field that is selected twice comes where one of its conditions holds', async (t) => {
  const { ask, crm } = await desk(t);
  const found = async (selection: string) =>
    (await ask(`{ customer(id: "7") ${selection} }`)).data.customer;
  t.same(await found('{ num @skip(if: true) num }'), { num: 7 });
  t.same(await found('{ num num @skip(if: true) }'), { num: 7 });
  t.same(await found('{ num @include(if: false) n: num @include(if: true) }'), { n: 7 });
  const spread = await ask(
    '{ customer(id: "7") { ...a } } fragment a on Customer { num @include(if: false) num }',
  );
  t.same(spread.data.customer, { num: 7 });
  t.same(
    await found(
      '{ notes(first: 1) @include(if: false) { id } notes(first: 1) { text } notes(first: ' +
        '1) { text @skip(if: true) } }',
    ),
    { notes: [{ text: 'x' }] },
  );
  t.match(crm.requests.at(-1)?.query, /skip/, 'conditions are still the matter of the service');
});

t.test('an object of which nothing but its type is selected comes', async (t) => {
  const { ask } = await desk(t);
  const typename = { __typename: 'Customer' };
  for (const selection of [
    '... { __typename }',
    '... on Customer { __typename }',
    '... { ... @skip(if: false) { __typename } }',
  ])
    t.match(await ask(`{ customer(id: "1") { ${selection} } }`), {
      data: { customer: typename },
      errors: undefined,
    });
  const spread = '{ customer(id: "1") { ...a } } fragment a on Customer { ... { __typename } }';
  t.match(await ask(spread), { data: { customer: typename }, errors: undefined });
  const inner = await ask(
    '{ customer(id: "1") { id notes(first: 1) { ... on Note { __typename } } } }',
  );
  t.same(inner.data, { customer: { id: '1', notes: [{ __typename: 'Note' }] } });
});
