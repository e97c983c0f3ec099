import t from 'tap';
import { pathsOfFieldSet } from '../../src/graphql/schema/entities/field-set.js';

import { compileText } from '../kit/configuration.js';
import { customers, federation, KEYS, services, startSubgraph } from '../kit/subgraph.js';

const SERVICE = '{ _service { sdl } }';

t.test('`_service` answers the SDL of a subgraph, without what all of them have', async (t) => {
  const { ask } = await startSubgraph(t);
  const { data, errors } = await ask(SERVICE);
  t.equal(errors, undefined);
  const sdl = String(Object.values(Object(data?.['_service']))[0]);
  t.match(sdl, /^extend schema @link\(url: "[^"]*\/federation\/v2\.3", import: \["@key"\]\)\n/);
  t.match(sdl, 'type Customer @key(fields: "id") @key(fields: "mail") {');
  t.match(sdl, 'type Branch @key(fields: "id country") {');
  t.match(sdl, 'type Account @key(fields: "owner { id }") {');
  t.notMatch(sdl, /_entities|_service|_Any|_Entity|_Service/);
});

const CLASSES = `clients:
  address: { class: anyone }
  apiKeys: { clients: { apollo: { class: router, keys: [key-of-the-router-1] } } }
  classes: { anyone: {}, router: {} }
`;
const ROUTER = { 'x-api-key': 'key-of-the-router-1' };

t.test('without introspection `_service` is for the class of the router alone', async (t) => {
  const keys = `${KEYS}    router: router\n  introspection: false\n`;
  const { ask, entities } = await startSubgraph(t, CLASSES, keys);
  const closed = await ask(SERVICE);
  t.match(closed.errors, [{ extensions: { code: 'INTROSPECTION_DISABLED' } }]);
  t.equal(closed.data, undefined);
  const spread = await ask('{ ...S } fragment S on Query { a: _service { sdl } }');
  t.match(spread.errors, [{ extensions: { code: 'INTROSPECTION_DISABLED' } }]);
  const open = await ask(SERVICE, {}, ROUTER);
  t.match(open.data, { _service: { sdl: /type Customer @key/ } });
  const schema = await ask('{ __schema { types { name } } }', {}, ROUTER);
  t.match(schema.errors, [{ extensions: { code: 'INTROSPECTION_DISABLED' } }]);
  const own = await entities('... on Customer { name }', customers(1));
  t.match(own.data, { _entities: [{ name: 'C1' }] }, 'anyone may ask for entities');
  const wrong = await entities('... on Customer { name }', [{ __typename: 'Branch' }]);
  t.notMatch(wrong.errors?.[0]?.message, /country/, 'errors reveal nothing of the schema');
});

t.test('without `router` and introspection no caller reads `_service`', async (t) => {
  const { ask } = await startSubgraph(t, CLASSES, `${KEYS}  introspection: false\n`);
  const { errors } = await ask(SERVICE, {}, ROUTER);
  t.match(errors, [{ extensions: { code: 'INTROSPECTION_DISABLED' } }]);
});

t.test('rights of operations and fields, and masks, hold for entities', async (t) => {
  const more = `    schema:
      types:
        Customer:
          fields:
            age: { scopes: [ages] }
            name: { mask: { anyone: last4 } }
`;
  const clients = CLASSES.replace('anyone: {}', 'anyone: { deny: [crm.FindByMail] }');
  const text = (url: string): string => services(url) + more;
  const { entities, calls } = await startSubgraph(t, clients, KEYS, text);
  const one = await entities('... on Customer { name age }', customers(12345));
  t.match(one.data, { _entities: [{ name: '****345', age: null }] });
  t.match(one.errors, [{ path: ['_entities', 0, 'age'], extensions: { code: 'FORBIDDEN' } }]);
  t.same(calls(), ['GetCustomers 12345'], 'another key of the type is no reason to refuse this');
  const other = await entities('... on Customer { name }', [
    { __typename: 'Customer', mail: 'a@x' },
    ...customers(2),
  ]);
  t.match(other.data, { _entities: [null, { name: '**' }] });
  t.match(other.errors, [{ path: ['_entities', 0], extensions: { code: 'FORBIDDEN' } }]);
  t.same(calls(), ['GetCustomers 2']);
});

t.test('an operation that the class may not call is refused as a whole', async (t) => {
  const clients = CLASSES.replace('anyone: {}', 'anyone: { deny: [crm.GetBranch] }');
  const { entities, calls } = await startSubgraph(t, clients);
  const { errors } = await entities('... on Branch { city }', [
    { __typename: 'Branch', id: 1, country: 'CH' },
  ]);
  t.match(errors, [{ extensions: { code: 'FORBIDDEN' } }]);
  t.same(calls(), []);
});

t.test('without `federation` the schema has nothing of it', async (t) => {
  const { graph } = await compileText(t, services('http://127.0.0.1:1'));
  t.equal(graph.subgraph, null);
  t.same(
    Object.keys(graph.schema.getTypeMap()).filter((name) => /^_[A-Z]/.test(name)),
    [],
  );
  t.notOk(graph.schema.getQueryType()?.getFields()['_service']);
});

t.test('a key that no operation answers is found by `check`', async (t) => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['Nobody: { fields: id, operation: crm.GetCustomer }', /no object type `Nobody`/],
    ['Custmer: { fields: id, operation: crm.GetCustomer }', /Did you mean `?Customer/],
    ['Customer: { fields: nr, operation: crm.GetCustomer }', /`Customer` has no field `nr`/],
    ['Customer: { fields: "id {", operation: crm.GetCustomer }', /is no selection of fields/],
    ['Account: { fields: owner, operation: crm.GetOwner }', /`owner` is an object/],
    ['Customer: { fields: id, operation: crm.Get }', /There is no operation `crm.Get`/],
    ['Customer: { fields: id, operation: crm.GetCustomer }', /has no argument `id`/],
    ['Customer: { fields: mail, operation: crm.GetBranch }', /has no argument `mail`/],
    [
      'Customer: { fields: id, operation: crm.GetBranch, arguments: { id: id } }',
      /`id` is Long, `id` takes Int/,
    ],
    [
      'Customer: { fields: age, operation: crm.GetBranch, arguments: { id: age, country: name } }',
      /answers with Branch, the key is of Customer/,
    ],
    [
      'Branch: { fields: id, operation: crm.GetBranch }',
      /Nothing fills `country`, which `crm.GetBranch` requires/,
    ],
    [
      'Branch: { fields: id country, operation: crm.GetBranch, arguments: { id: id } }',
      /`country` of the key fills no argument of `crm.GetBranch`/,
    ],
    ['Customer: { fields: id }', /has no operation that answers/],
    [
      'Customer: { fields: id, resolvable: false, operation: crm.GetCustomer }',
      /has no effect: the key is not resolvable/,
    ],
    [
      'Customer: { fields: id, operation: crm.GetCustomer, arguments: { code: id }, ' +
        'batch: { operation: crm.GetCustomers, argument: ids, key: nr } }',
      /has no field `nr`/,
    ],
    [
      'Customer: { fields: id, operation: crm.GetCustomer, arguments: { code: id }, ' +
        'batch: { operation: crm.GetCustomers, argument: keys, key: id } }',
      /has no argument `keys`/,
    ],
    [
      'Branch: { fields: id country, operation: crm.GetBranch, ' +
        'batch: { operation: crm.GetBranches, argument: keys, key: id } }',
      /`id` has 1 fields, the key has 2/,
    ],
    [
      'Branch: { fields: id country, operation: crm.GetBranch, ' +
        'batch: { operation: crm.GetCustomers, argument: ids, key: id country } }',
      /`ids` takes no list of objects/,
    ],
    [
      'Branch: { fields: id country, operation: crm.GetBranch, ' +
        'batch: { operation: crm.GetBranches, argument: keys, key: id town } }',
      /`Branch` has no field `town`/,
    ],
    [
      'Product: { fields: sku, operation: crm.Quote, arguments: { sku: sku, price: price }, ' +
        'batch: { operation: crm.GetQuotes, argument: of, key: sku } }',
      /Nothing fills `weight`, which `crm.Quote` requires/,
    ],
    [
      'Customer: [{ fields: mail, operation: crm.FindByMail }, { fields: x, resolvable: false }]',
      /`Customer` has no field `x`/,
    ],
  ];
  for (const [keys, message] of wrong) {
    const yaml = services('http://127.0.0.1:1') + federation(`{ ${keys} }\n`);
    await t.rejects(compileText(t, yaml), { message }, keys);
  }
});

t.test('the class of the router is one of the classes', async (t) => {
  const yaml = (clients: string): string =>
    services('http://127.0.0.1:1') + federation(`${KEYS}    router: routr\n`) + clients;
  await t.rejects(compileText(t, yaml('')), { message: /is none of `clients.classes`/ });
  await t.rejects(compileText(t, yaml(CLASSES)), { message: /Did you mean `router`/ });
});

t.test('a type of a service that speaks GraphQL has no fields besides its own', async (t) => {
  const yaml = (fields: string): string => `${services('http://127.0.0.1:1')}  films:
    kind: graphql
    url: http://127.0.0.1:2
    schema: films.graphql
${federation(`
      Film: { fields: id, operation: films.film }
`)}    types: { Film: { fields: ${fields} } }
`;
  const films =
    'type Query { film(id: ID!): Film } type Film { id: ID!, year: Int, title: String }';
  const files = { 'films.graphql': films };
  await t.rejects(compileText(t, yaml('{ stars: { external: true, type: Int } }'), files), {
    message: /`Film`: `Film` is a type of a service that speaks GraphQL\. Remove `type`, [^`]*$/,
  });
  const { graph } = await compileText(t, yaml('{ title: { shareable: true } }'), files);
  t.match(graph.subgraph?.sdl, 'title: String @shareable');
});

t.test('a selection of fields names each once, in its order', async (t) => {
  for (const [text, paths] of [
    ['id country', [['id'], ['country']]],
    ['owner { id } country', [['owner', 'id'], ['country']]],
    [
      'a { x z { y } } b { y }',
      [
        ['a', 'x'],
        ['a', 'z', 'y'],
        ['b', 'y'],
      ],
    ],
    ['id id', null],
    ['a { x } a { x }', null],
    ['id: no', null],
    ['id @skip(if: true)', null],
    ['id(of: 1)', null],
    ['... { id }', null],
    [`a${' { a'.repeat(900)}`, null],
  ] as const) {
    t.same(pathsOfFieldSet(text), paths, text.slice(0, 40));
  }
});

t.test('directives of types and fields are checked, and printed', async (t) => {
  const types = (text: string): string =>
    services('http://127.0.0.1:1') + federation(`${KEYS}    types: ${text}\n`);
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{ Cust: { shareable: true } }', /There is no type `Cust`/],
    ['{ Customer: { fields: { nam: { shareable: true } } } }', /has no field or value `nam`/],
    ['{ Product: { fields: { shipping: { requires: wight } } } }', /`wight` leads to no value/],
    ['{ Product: { fields: { shipping: { requires: weight } } } }', /Mark `weight` of `Product`/],
    [
      '{ Product: { fields: { height: { external: true, type: Height } } } }',
      /`Height` is no scalar or enumeration of the schema/,
    ],
    ['{ Product: { fields: { height: { external: true, type: Int! } } } }', /that may be null/],
    ['{ Product: { fields: { weight: { external: true, type: Int } } } }', /has a field `weight`/],
    ['{ Product: { fields: { height: { type: Int } } } }', /Write `external: true` with it/],
    ['{ Account: { fields: { owner: { provides: name } } } }', /`name` leads to no value of/],
    ['{ Sku: { shareable: true } }', /`shareable` is for object types, and `Sku` is none/],
    ['{ Sku: { fields: { sku: { requires: weight } } } }', /`requires` is for fields of object/],
    ['{ Sku: { fields: { weight: { external: true } } } }', /`external` is for fields of object/],
    [
      '{ Product: { fields: { weight: { external: true, override: { from: old } } } } }',
      /is external, and taken from another subgraph/,
    ],
  ];
  for (const [text, message] of wrong) {
    await t.rejects(compileText(t, types(text)), { message }, text);
  }
  const { graph } = await compileText(
    t,
    types(`
      Product:
        tags: [shop/a]
        fields:
          weight: { external: true }
          price: { external: true }
          shipping: { requires: weight price, override: { from: old, label: percent(5) } }
      Branch: { interfaceObject: true, inaccessible: true }
      Account: { shareable: true, fields: { owner: { provides: id } } }
      Query: { fields: { branch: { shareable: true } } }`),
  );
  const { sdl = '' } = graph.subgraph ?? {};
  t.match(sdl, 'type Product @key(fields: "sku") @tag(name: "shop/a") {');
  t.match(sdl, 'weight: Int @external\n');
  t.match(
    sdl,
    'shipping: Int @override(from: "old", label: "percent(5)") @requires(fields: "weight price")',
  );
  t.match(sdl, 'type Branch @key(fields: "id country") @interfaceObject @inaccessible {');
  t.match(sdl, 'type Account @key(fields: "owner { id }") @shareable {');
  t.match(sdl, 'owner: Owner @provides(fields: "id")');
  t.match(sdl, 'branch(id: Int!, country: String!): Branch @shareable');
  t.match(sdl, '/federation/v2.7"', 'the least version that has all of them');
});
