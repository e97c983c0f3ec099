import { type GraphQLSchema, printSchema, printType, validateSchema } from 'graphql';
import t from 'tap';
import { encodeRequest } from '../../../src/codec/write/encode.js';
import {
  readSdlOperations,
  type SdlOperations,
} from '../../../src/graphql/schema/fields/sdl-operations.js';
import type { SdlOperation } from '../../../src/graphql/schema/fields/sdl-types.js';
import { type BuiltSchema, buildSchema } from '../../../src/graphql/schema/schema.js';
import { DIALECTS } from '../../../src/soap/dialect.js';

const SDL = `
"One order."
type Order {
  id: ID!
  "Where it stands."
  status: Status
  total: Decimal!
  lines: [Line!]!
  notes: [String] @xml(item: "note")
  parent: Order
  rank: Int @xml(attribute: true)
}

type Line {
  sku: String!
  count: Int!
}

type Price {
  Price: Float
}

enum Status {
  OPEN
  "Nothing more happens."
  CLOSED
}

input OrderFilter {
  status: Status
  skus: [String!] @xml(item: "sku")
  limit: Int = 10
  inner: OrderFilter
}

type Query {
  "An order by its number."
  order(id: ID!, verbose: Boolean = false): Order
  orders(filter: OrderFilter): [Order!]
  stockPrice(StockName: String): Price
  total(of: [ID!]!): Decimal
  found(id: ID!): Order @xml(name: "result")
  all: [Order] @xml(name: "list", item: "entry")
}

type Mutation {
  close(id: ID!): Boolean
}
`;

const given = (field: string, about: Partial<SdlOperation> = {}): SdlOperation => {
  const [parent, name] = field.split('.');
  return {
    field: { parent: parent === 'Query' ? 'Query' : 'Mutation', name: name ?? '' },
    request: `Get${name}`,
    response: null,
    namespace: 'urn:x',
    qualified: true,
    soapAction: null,
    ...about,
  };
};

const FIELDS = [
  'Query.order',
  'Query.orders',
  'Query.stockPrice',
  'Query.total',
  'Query.found',
  'Query.all',
];

const read = (sdl = SDL, about: Partial<SdlOperation> = {}): SdlOperations =>
  readSdlOperations(
    sdl,
    new Map([...FIELDS, 'Mutation.close'].map((field) => [field, given(field, about)])),
    {
      file: 'soapstone.yaml',
      line: 10,
    },
  );

function built(about: Partial<SdlOperation> = {}): BuiltSchema {
  const { operations, mapping, diagnostics } = read(SDL, about);
  t.same(diagnostics, []);
  const made = buildSchema([{ name: 'x', operations, mapping, naming: 'exact' }]);
  t.same(validateSchema(made.schema), []);
  t.same(made.warnings, []);
  return made;
}

const typeText = (schema: GraphQLSchema, name: string): string => {
  const type = schema.getType(name);
  return type ? printType(type) : '';
};

t.test('the schema has the types that were written', async (t) => {
  const { schema } = built();
  const query = typeText(schema, 'Query');
  t.match(
    query,
    '"""An order by its number."""\n  order(id: ID!, verbose: Boolean = false): Order\n',
  );
  t.match(query, 'orders(filter: OrderFilter): [Order!]\n');
  t.match(
    query,
    'stockPrice(StockName: String): Price\n',
    'an object with one field is not unwrapped',
  );
  t.match(query, 'total(of: [ID!]!): Decimal\n');
  t.match(query, 'found(id: ID!): Order\n');
  t.match(query, 'all: [Order]\n');
  t.match(typeText(schema, 'Mutation'), 'close(id: ID!): Boolean\n');
  t.equal(
    typeText(schema, 'Order'),
    `"""One order."""
type Order {
  id: ID!

  """Where it stands."""
  status: Status
  total: Decimal!
  lines: [Line!]!
  notes: [String]
  parent: Order
  rank: Int
}`,
  );
  t.equal(
    typeText(schema, 'OrderFilter'),
    'input OrderFilter {\n  status: Status\n  skus: [String!]\n  limit: Int = 10\n' +
      '  inner: OrderFilter\n}',
  );
  t.match(typeText(schema, 'Status'), /OPEN\s+"""Nothing more happens\."""\s+CLOSED/);
  t.notMatch(printSchema(schema), '@xml');
});

const envelope = (
  name: string,
  values: Record<string, unknown>,
  about: Partial<SdlOperation> = {},
): string => {
  const field = built(about).fields.get(name);
  if (field === undefined) throw new Error('no such field');
  const text = encodeRequest(field.requestPlan, DIALECTS['1.1'], {
    arguments: values,
    headers: {},
  }).toString();
  return text.slice(text.indexOf('Body>') + 5, text.lastIndexOf('</', text.lastIndexOf('</') - 1));
};

t.test('arguments are the children of the request element', async (t) => {
  const order = envelope('Query.order', { id: '7', verbose: true });
  t.match(
    order,
    /^<(\w+):Getorder><\1:id>7<\/\1:id><\1:verbose>true<\/\1:verbose><\/\1:Getorder>$/,
  );
  const plain = envelope(
    'Query.order',
    { id: '7', verbose: true },
    { qualified: false, request: 'GetOrder' },
  );
  t.match(plain, /^<(\w+):GetOrder><id>7<\/id><verbose>true<\/verbose><\/\1:GetOrder>$/);
  const filter = { status: 'OPEN', skus: ['a', 'b'], limit: 2 };
  const orders = envelope('Query.orders', { filter }, { qualified: false });
  t.match(
    orders,
    '<filter><status>OPEN</status><skus><sku>a</sku><sku>b</sku></skus><limit>2</limit></filter>',
  );
});

t.test('a result that is an object is the reply element, another is its child', async (t) => {
  const { fields } = built();
  const reply = (name: string) => fields.get(name)?.reply;
  t.match(reply('Query.order'), {
    element: { uri: 'urn:x', local: 'GetorderResponse' },
    root: { kind: 'whole' },
  });
  t.match(reply('Query.stockPrice'), { root: { kind: 'whole' } });
  t.match(reply('Query.orders'), {
    root: {
      kind: 'unwrap',
      field: { list: true, source: { from: 'child', name: { uri: 'urn:x', local: 'orders' } } },
    },
  });
  t.match(reply('Query.found'), {
    root: {
      kind: 'unwrap',
      field: { list: false, source: { from: 'child', name: { local: 'result' } } },
    },
  });
  t.match(reply('Query.all'), {
    root: {
      kind: 'unwrap',
      field: {
        itemNonNull: false,
        source: { from: 'wrapped list', name: { local: 'list' }, item: { local: 'entry' } },
      },
    },
  });
  t.match(reply('Mutation.close'), {
    root: { kind: 'unwrap', field: { source: { name: { local: 'close' } } } },
  });
  const renamed = built({ response: 'Answer', soapAction: 'urn:x#do' }).fields.get('Query.order');
  t.match(renamed, {
    reply: { element: { local: 'Answer' } },
    operation: { soapAction: 'urn:x#do' },
  });
});

t.test('errors are diagnostics at their place', async (t) => {
  t.match(read('type Query {\n  order(id: ID!: Order\n}').diagnostics, [
    { file: 'soapstone.yaml', line: 11, column: 16 },
  ]);
  const sdl = `type Query { order: Missing other: Int }
scalar Money
interface Node { id: ID }
union U = Order
type Order { lines: [Int] @xml(attribute: true) }
extend type Order { x: Int }`;
  const { diagnostics } = readSdlOperations(
    sdl,
    new Map([
      ['A', given('Query.order')],
      ['B', given('Query.gone')],
    ]),
    { file: 'f', line: 1 },
  );
  const found = diagnostics.map(({ line, what }) => `${line} ${what}`).sort();
  t.match(found, [
    /^1 Query\.other has no operation/,
    /^1 There is no type Missing/,
    /^2 There is no scalar Money/,
    /^3 Only object, input, enum/,
    /^4 Only object, input, enum/,
    /^6 Order cannot be extended/,
    /^null Operation B is Query\.gone, which the types do not define/,
  ]);
  const attribute = 'type Query { order: Order } type Order { lines: [Int] @xml(attribute: true) }';
  const read1 = readSdlOperations(attribute, new Map([['A', given('Query.order')]]), {
    file: 'f',
    line: 1,
  });
  t.match(read1.diagnostics, [{ what: /Attribute lines must be a scalar/, line: 1 }]);
});

t.test('directives that mean nothing are diagnostics, not passed over', async (t) => {
  const sdl = `type Query { order(id: ID! @xml(name: "Id")): Order @xml(nmae: "result") }
type Order {
  a: Int @xml(attribute: "yes")
  b: Int @xml(item: "x")
  c: Int @deprecated(reason: "old")
  d: Int @costs(weight: "5")
  e: [Int] @xml(item: "x")
}
scalar Long @specifiedBy(url: "https://example.org")`;
  const { diagnostics } = readSdlOperations(sdl, new Map([['A', given('Query.order')]]), {
    file: 'f',
    line: 1,
  });
  t.same(diagnostics.map(({ line, column, what }) => `${line}:${column} ${what}`).sort(), [
    '1:20 id: only fields of Query and Mutation have @xml(name:).',
    '1:58 @xml has no argument nmae.',
    '3:15 The argument attribute of @xml must be true or false.',
    '4:3 b: only lists have @xml(item:).',
    '5:10 @deprecated has no place here.',
    '6:10 There is no directive @costs.',
  ]);
});

t.test('a type with a single list is shown as it was written', async (t) => {
  const sdl =
    'type Query { order: Order } type Order { id: ID! lines: ' +
    'Lines } type Lines { line: [String!] }';
  const { operations, mapping } = readSdlOperations(sdl, new Map([['A', given('Query.order')]]), {
    file: 'f',
    line: 1,
  });
  const { schema } = buildSchema([{ name: 's', operations, mapping, naming: 'exact' }]);
  t.match(printSchema(schema), 'lines: Lines\n');
});

t.test('types may lead to each other in a chain of any length', async (t) => {
  const last = 10_000;
  const chain = Array.from(
    { length: last },
    (_, n) => `type T${n} { value: Int next: T${n + 1} }`,
  ).join('\n');
  const { operations, mapping, diagnostics } = readSdlOperations(
    `type Query { first: T0 }\n${chain}\ntype T${last} { value: Int }`,
    new Map([['first', given('Query.first')]]),
    { file: 'soapstone.yaml', line: 1 },
  );
  t.same(diagnostics, []);
  const { schema } = buildSchema([{ name: 'x', operations, mapping, naming: 'exact' }]);
  t.match(typeText(schema, `T${last}`), 'value: Int');
});
