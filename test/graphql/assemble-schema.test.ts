import {
  buildSchema,
  GraphQLObjectType,
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  printSchema,
  validateSchema,
} from 'graphql';
import t from 'tap';
import { AT_ONCE } from '../../src/core/time-slices.js';
import { assembleSchema, validating } from '../../src/graphql/schema/assemble-schema.js';

/**
 * A schema that is made and validated in steps is the one that graphql-js makes and validates at
 * once.
 */

const SDL = `
  type Query { node(id: ID!, by: Filter = { kinds: [A] }): Node, any: [Any!]! }
  type Mutation { put(filter: Filter!): Boolean }
  type Subscription { changed: Node }
  interface Node { id: ID! }
  interface Named implements Node { id: ID!, name: String }
  type Cat implements Named & Node { id: ID!, name: String, friend: Dog }
  type Dog implements Node { id: ID!, owner: Cat, age: Int }
  union Any = Cat | Dog
  input Filter { kinds: [Kind!], and: Filter, from: Float }
  enum Kind { A B }
`;

function both(sdl: string): { readonly steps: GraphQLSchema; readonly atOnce: GraphQLSchema } {
  const source = buildSchema(sdl, { assumeValid: true, assumeValidSDL: true });
  const types = Object.values(source.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const query = source.getQueryType() ?? new GraphQLObjectType({ name: 'Query', fields: {} });
  const mutation = source.getMutationType() ?? null;
  const subscription = source.getSubscriptionType() ?? null;
  const roots = { query, mutation, subscription };
  return {
    steps: AT_ONCE.finish(assembleSchema(roots, types)),
    atOnce: new GraphQLSchema({ ...roots, types }),
  };
}

t.test('types, their order, roots and implementations are the same', async (t) => {
  const { steps, atOnce } = both(SDL);
  t.equal(printSchema(steps), printSchema(atOnce));
  t.same(Object.keys(steps.getTypeMap()), Object.keys(atOnce.getTypeMap()));
  for (const [name, type] of Object.entries(atOnce.getTypeMap())) {
    t.equal(steps.getType(name), type, name);
    if (!isInterfaceType(type)) continue;
    t.same(steps.getPossibleTypes(type), atOnce.getPossibleTypes(type), name);
    t.same(steps.getImplementations(type), atOnce.getImplementations(type), name);
    for (const other of Object.values(atOnce.getTypeMap()))
      if (isObjectType(other)) t.equal(steps.isSubType(type, other), atOnce.isSubType(type, other));
  }
  t.equal(steps.getType('None'), undefined);
});

t.test('a valid schema is valid, and is not validated again', async (t) => {
  const { steps } = both(SDL);
  t.same(AT_ONCE.finish(validating(steps)), []);
  t.equal(validateSchema(steps), validateSchema(steps));
});

t.test('errors are the same, each once', async (t) => {
  const many = Array.from({ length: 250 }, (_, at) => `type T${at} { a: Int }`).join('\n');
  for (const broken of [
    'type Query { __a: Int }',
    'type Query { a(b: In!): Int } input In { in: In! }',
    'interface I { a: Int! } type Query implements I { b: Int }',
    'type Query { a: E } enum E { __X }',
    'type Empty type Query { a: Empty }',
    'type Query { a: Int } type Mutation',
  ]) {
    const { steps, atOnce } = both(`${many}\n${broken}`);
    const messages = validateSchema(atOnce).map(({ message }) => message);
    t.ok(messages.length > 0, broken);
    t.same(
      AT_ONCE.finish(validating(steps))
        .map(({ message }) => message)
        .sort(),
      [...new Set(messages)].sort(),
      broken,
    );
  }
});
