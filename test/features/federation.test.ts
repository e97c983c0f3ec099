import t from 'tap';

import { envelope, faultOf } from '../kit/envelope.js';
import { customers, services, startSubgraph } from '../kit/subgraph.js';

const WIDE = 'limits:\n  graphql: { cost: 100000 }\n';
t.test('`_entities` answers representations in their order, 100 of them in one call', async (t) => {
  const { entities, calls } = await startSubgraph(t, WIDE);
  const ids = Array.from({ length: 100 }, (_, index) => String(index + 1));
  const { data, errors } = await entities(
    '__typename ... on Customer { id name }',
    customers(...ids),
  );
  t.equal(errors, undefined);
  t.same(
    data?.['_entities'],
    ids.map((id) => ({ __typename: 'Customer', id, name: `C${id}` })),
  );
  t.same(calls(), [`GetCustomers ${ids.join()}`]);
});

t.test('representations of several types, keys and forms', async (t) => {
  const { entities, calls } = await startSubgraph(t, WIDE);
  const { data, errors } = await entities(
    `... on Customer { name } ... on Branch { city } ... on Product { shipping }
     ... on Account { balance }`,
    [
      { __typename: 'Branch', country: 'CH', id: 3 },
      { __typename: 'Customer', mail: 'a@x' },
      { __typename: 'Product', sku: 's1', weight: 4 },
      { __typename: 'Customer', id: 5 },
      { __typename: 'Account', owner: { __typename: 'Owner', id: 'o' } },
      { __typename: 'Customer', mail: null, id: '6' },
      { __typename: 'Branch', country: 'CH', id: 3 },
    ],
  );
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [
    { city: 'City CH' },
    { name: 'C77' },
    { shipping: 8 },
    { name: 'C5' },
    { balance: 5 },
    { name: 'C6' },
    { city: 'City CH' },
  ]);
  t.same(calls().sort(), [
    'FindByMail a@x',
    'GetBranch 3,CH',
    'GetCustomers 5,6',
    'GetOwner o',
    'Quote s1,4',
  ]);
});

t.test('an error is at its representation; the others are answered', async (t) => {
  const graph = await startSubgraph(t, `${WIDE}`.replace('cost:', 'errors: 50, cost:'));
  graph.special = (call) =>
    call === 'GetBranch 9,XX' ? envelope(faultOf('s:Server', 'No such branch.')) : null;
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{ __typename: 'Nothing', id: 1 }, /representations\[0\]\.__typename: must be the name of a/],
    [{ id: 1 }, /representations\[1\]\.__typename: must be/],
    [{ __typename: 7, id: 1 }, /representations\[2\]\.__typename: must be/],
    [{ __typename: 'Customer' }, /a key of Customer: `id`, or `mail`/],
    [{ __typename: 'Branch', id: 1 }, /a key of Branch: `id country`/],
    [{ __typename: 'Customer', id: 'secret' }, /representations\[5\]\.id: must be an integer/],
    [{ __typename: 'Customer', id: null }, /representations\[6\]\.id: must be a value of type/],
    [{ __typename: 'Customer', id: 1, other: 2 }, /representations\[7\]: has a field that/],
    [{ __typename: 'Account', owner: 'secret' }, /representations\[8\]\.owner: must be an object/],
    [{ __typename: 'Product', sku: 's' }, /representations\[9\]\.weight: has no value/],
    [{ __typename: 'Branch', id: [1], country: 'CH' }, /representations\[10\]\.id: must be/],
    [{ __typename: '__proto__', id: 1 }, /representations\[11\]\.__typename/],
    [{ __typename: 'Branch', id: 9, country: 'XX' }, /No such branch/],
  ];
  const { data, errors = [] } = await graph.entities(
    `... on Customer { name } ... on Branch { city } ... on Product { shipping }
     ... on Account { balance }`,
    [...wrong.map(([each]) => each), ...customers(1)],
  );
  t.same(data?.['_entities'], [...wrong.map(() => null), { name: 'C1' }]);
  const byIndex = new Map(errors.map((error) => [error.path?.[1], error]));
  for (const [index, [, message]] of wrong.entries()) {
    const error = byIndex.get(index);
    t.match(error?.message, message);
    t.same(error?.path, ['_entities', index]);
  }
  t.equal(errors.length, wrong.length);
  t.notMatch(JSON.stringify(errors), /secret/, 'no value of the caller is in an error');
  t.same(graph.calls().sort(), ['GetBranch 9,XX', 'GetCustomers 1']);
});

t.test('a null key that may be null is a null object, without a call', async (t) => {
  const { entities, calls } = await startSubgraph(t);
  const { data, errors } = await entities('... on Customer { name }', [
    { __typename: 'Customer', mail: null },
    { __typename: 'Account', owner: null },
    { __typename: 'Account', owner: { id: null } },
  ]);
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [null, null, null]);
  const { data: unselected } = await entities('... on Customer { name }', [
    { __typename: 'Account', owner: { id: 'o' } },
  ]);
  t.same(unselected, { _entities: [{}] }, 'nothing is selected of an account');
  t.same(calls(), []);
});

t.test('a key of several fields is null with one of them', async (t) => {
  const keys = `
      Customer: { fields: id mail, operation: crm.Find, arguments: { code: id, mail: mail } }
`;
  const { entities, calls } = await startSubgraph(t, '', keys, (url) =>
    services(url)
      .replace(
        'owner(id: ID!)',
        'find(code: Long!, mail: String): Customer\n        owner(id: ID!)',
      )
      .concat('      Find: { field: Query.find }\n'),
  );
  const { data, errors } = await entities('... on Customer { name }', [
    { __typename: 'Customer', id: 1, mail: null },
  ]);
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [null]);
  t.same(calls(), []);
});

t.test('values that are no objects are refused before anything is called', async (t) => {
  const { entities, ask, calls } = await startSubgraph(t);
  for (const wrong of [1, 'text', null, [1]]) {
    const { data, errors } = await entities('__typename', [wrong]);
    t.equal(data, undefined);
    t.match(errors, [{ extensions: { code: 'BAD_USER_INPUT' } }]);
  }
  const literal = await ask('{ _entities(representations: [1]) { __typename } }');
  t.match(literal.errors, [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  t.same(calls(), []);
});

t.test('representations are bounded by `limits.graphql.representations`', async (t) => {
  const { entities, calls } = await startSubgraph(
    t,
    'limits:\n  graphql: { representations: 3 }\n',
  );
  const most = await entities('... on Customer { name }', customers(1, 2, 3));
  t.equal(most.errors, undefined);
  t.same(calls(), ['GetCustomers 1,2,3']);
  const more = await entities('... on Customer { name }', customers(1, 2, 3, 4));
  t.match(more.errors, [{ extensions: { code: 'BAD_USER_INPUT' } }]);
  t.same(calls(), []);
});

t.test('literals and variables inside them are representations too', async (t) => {
  const { ask, calls } = await startSubgraph(t);
  const { data, errors } = await ask(
    `query ($id: Long!) { _entities(representations: [
      { __typename: "Customer", id: 9007199254740993 }, { __typename: "Customer", id: $id }
    ]) { ...C } } fragment C on Customer { id }`,
    { id: '4' },
  );
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [{ id: '9007199254740993' }, { id: '4' }]);
  t.same(calls(), ['GetCustomers 9007199254740993,4']);
});

t.test('calls without a list operation are coalesced, and bounded by `calls`', async (t) => {
  const { entities, calls } = await startSubgraph(t, WIDE.replace('cost:', 'calls: 2, cost:'));
  const branch = (id: number) => ({ __typename: 'Branch', id, country: 'CH' });
  const { data, errors } = await entities('... on Branch { city }', [
    ...[branch(1), branch(1), branch(2)],
    branch(3),
  ]);
  const city = { city: 'City CH' };
  t.same(data?.['_entities'], [city, city, city, null]);
  t.match(errors, [{ path: ['_entities', 3], extensions: { code: 'MAX_CALLS_LIMIT' } }]);
  t.same(calls().sort(), ['GetBranch 1,CH', 'GetBranch 2,CH']);
});

t.test('links below entities, fragments on the union, and aliases', async (t) => {
  const links = `links:
  Customer.friend:
    operation: crm.GetCustomer
    arguments: { code: friendId }
    batch: { operation: crm.GetCustomers, argument: ids, key: id }
`;
  const { entities, ask, calls } = await startSubgraph(t, WIDE + links);
  const { data, errors } = await entities(
    '... on _Entity { __typename ... on Customer { n: name friend { name } } }',
    customers(1, 2),
  );
  t.equal(errors, undefined);
  t.same(data?.['_entities'], [
    { __typename: 'Customer', n: 'C1', friend: { name: 'C10' } },
    { __typename: 'Customer', n: 'C2', friend: { name: 'C20' } },
  ]);
  t.same(calls(), ['GetCustomers 1,2', 'GetCustomers 10,20']);
  const plain = await ask('{ customer(code: 3) { ... on _Entity { ... on Customer { name } } } }');
  t.same(plain.data, { customer: { name: 'C3' } }, 'the union holds for any object of its types');
});

t.test('a point for each key, and the cost of its calls and objects', async (t) => {
  const { gateway } = await startSubgraph(t);
  const cost = async (query: string, representations: readonly unknown[]) => {
    const body = JSON.stringify({ query, variables: { r: representations } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    const { extensions } = JSON.parse(await response.text());
    return [extensions.cost.requestedQueryCost, extensions.cost.actualQueryCost];
  };
  const query = (set: string): string =>
    `query ($r: [_Any!]!) { _entities(representations: $r) { ${set} } }`;
  const own = query('... on Customer { name } ... on Branch { city }');
  t.same(await cost(own, customers(1, 2, 3)), [16, 16], 'a call, three keys, three objects');
  const branch = { __typename: 'Branch', id: 1, country: 'CH' };
  t.same(await cost(own, [branch, branch]), [24, 13], 'two calls are one: they are equal');
  t.same(await cost(own, []), [0, 0]);
});

t.test('fields that other subgraphs alone answer fill arguments, and are null here', async (t) => {
  const keys = `
      Product:
        fields: sku
        operation: crm.Quote
        arguments: { sku: sku, weight: height, price: price }
    types:
      Product:
        fields:
          height: { external: true, type: Int }
          price: { external: true }
          shipping: { requires: height price }
`;
  const { entities, calls, ask } = await startSubgraph(t, '', keys);
  const { data, errors } = await entities('... on Product { sku shipping height }', [
    { __typename: 'Product', sku: 's1', height: 4, price: 9 },
    { __typename: 'Product', sku: 's2' },
  ]);
  t.same(data?.['_entities'], [{ sku: 's1', shipping: 8, height: null }, null]);
  t.match(errors, [{ path: ['_entities', 1], message: /height: has no value, and the operation/ }]);
  t.same(calls(), ['Quote s1,4,9']);
  const { data: sdl } = await ask('{ _service { sdl } }');
  t.match(JSON.stringify(sdl), 'height: Int @external');
});

t.test(
  'a list operation answers keys of several fields, and those with required ones',
  async (t) => {
    const keys = `
      Branch:
        fields: id country
        operation: crm.GetBranch
        batch: { operation: crm.GetBranches, argument: keys, key: id country }
      Product:
        fields: sku
        operation: crm.Quote
        arguments: { sku: sku, weight: weight }
        batch: { operation: crm.GetQuotes, argument: of, key: sku }
`;
    const { entities, calls } = await startSubgraph(t, WIDE, keys);
    const branch = (id: number, country: string) => ({ __typename: 'Branch', id, country });
    const product = (sku: string, weight: number) => ({ __typename: 'Product', sku, weight });
    const { data, errors } = await entities('... on Branch { city } ... on Product { shipping }', [
      ...[branch(1, 'CH'), branch(2, 'CH'), product('a', 1)],
      ...[branch(1, 'DE'), branch(1, 'CH'), product('b', 2)],
    ]);
    t.equal(errors, undefined);
    t.same(data?.['_entities'], [
      { city: '1 CH' },
      { city: '2 CH' },
      { shipping: 2 },
      { city: '1 DE' },
      { city: '1 CH' },
      { shipping: 4 },
    ]);
    t.same(calls().sort(), ['GetBranches 1,CH,2,CH,1,DE', 'GetQuotes a,1,b,2']);
  },
);
