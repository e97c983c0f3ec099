import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import t from 'tap';

import { exampleCalls, exampleQuery } from '../../../src/graphql/schema/docs/example.js';

/** The query that GraphiQL begins with. */

const bare = (query: string): string => query.replaceAll(/^#.*\n/gm, '').trim();
const example = (types: string): string => bare(exampleQuery(buildSchema(types)));

t.test('the example fits the schema, of whatever WSDL it is', async (t) => {
  const folder = 'test/graphql/golden';
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  t.ok(files.length > 0);
  for (const file of files) {
    const types = readFileSync(`${folder}/${file}`, 'utf8');
    // A WSDL of which nothing is offered.
    if (bare(types) === '') continue;
    const schema = buildSchema(types, { assumeValidSDL: true });
    const query = exampleQuery(schema);
    t.same(validate(schema, parse(query)), [], file);
    t.ok(query.split('\n').length < 45, `${file}: short enough to read`);
  }
});

t.test('the first field that can be asked for with plain values', async (t) => {
  t.equal(
    example(`type Query { hard(a: Odd!): Int, order(id: Int!, note: String, kind: Kind!, line: \
Line!, keys: [ID!]!): Order }
      scalar Odd enum Kind { NEW OLD } input Line { sku: String!, count: Int }
      type Order { id: ID!, customer: Customer, secret(key: String!): Int, lines: [Line2!] a: \
Int b: Int c: Int d: Int }
      type Customer { name: String, orders: [Order!] } type Line2 { inner: \
Inner } type Inner { x: Int }`),
    `{
  order(id: 7, kind: NEW, line: { sku: "A" }, keys: ["7"]) {
    id
    customer {
      name
    }
    lines {
      __typename
    }
    a
    b
  }
}`,
  );
  t.equal(
    example('type Query { a: U } union U = A type A { x: Int }'),
    '{\n  a {\n    __typename\n  }\n}',
  );
  t.equal(example('type Query { a: [Int!]! }'), '{\n  a\n}');
  t.equal(
    example(
      'type Query { a(x: In!): Int } input In { x: In, y: In2! } input In2 { z: In3! ' +
        '} input In3 { a: Int }',
    ),
    '{\n  __typename\n}',
  );
  t.equal(
    example('input One @oneOf { a: Int b: Int } type Query { a(x: One!): Int }'),
    '{\n  a(x: { a: 7 })\n}',
  );
});

t.test('a call has required values only, or the first few where none is required', async (t) => {
  const call = (types: string): string | null => {
    const field = buildSchema(types).getQueryType()?.getFields()['a'];
    return field === undefined ? null : bare(exampleCalls(field, 'query', {})[0] ?? 'none');
  };
  t.equal(call('type Query { a(x: Int!, y: Int): Int }'), 'query {\n  a(x: 7)\n}');
  t.equal(call('type Query { a(x: Int, y: [String]): Int }'), 'query {\n  a(x: 7, y: ["A"])\n}');
  t.equal(
    call(
      'type Query { a(x: In): Int } input In { x: In, y: In2, odd: ' +
        'Odd } input In2 { z: Boolean } scalar Odd',
    ),
    'query {\n  a(x: { y: { z: true } })\n}',
    'a type is left out of itself',
  );
  t.equal(
    call('type Query { a(x: Odd!): Int } scalar Odd'),
    'query {\n  a(x: "text")\n}',
    'a scalar of another schema',
  );
});
