import { GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql';
import t from 'tap';
import { unusedTypes } from '../../../src/graphql/schema/paging/unused-types.js';

const FIELDS = 200_000;

t.test(
  'types that only replaced answers lead to are unused, however many fields a type has',
  async (t) => {
    const leaf = new GraphQLObjectType({ name: 'Leaf', fields: { a: { type: GraphQLString } } });
    const replaced = new GraphQLObjectType({ name: 'Replaced', fields: { leaf: { type: leaf } } });
    const fields = Object.fromEntries(
      Array.from({ length: FIELDS }, (_, n) => [`f${n}`, { type: GraphQLInt }]),
    );
    const root = new GraphQLObjectType({ name: 'Query', fields });
    const unused = unusedTypes([replaced], [root], [leaf, replaced, root]);
    t.same([...unused].map(String).sort(), ['Leaf', 'Replaced', 'String']);
    const sharing = new GraphQLObjectType({ name: 'Mutation', fields: { leaf: { type: leaf } } });
    t.same(
      [...unusedTypes([replaced], [root, sharing], [leaf, replaced, root, sharing])].map(String),
      ['Replaced'],
    );
  },
);
