import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isRecord } from '../../../core/index.js';
import { SUBGRAPH_NAMES } from './entity.js';

/** Makes the scalar of representations; they are checked by their type where they are used. */
export const representationScalar = (): GraphQLScalarType =>
  new GraphQLScalarType<unknown, unknown>({
    name: SUBGRAPH_NAMES.representation,
    description: 'A representation of an object: its `__typename` and the fields of a key.',
    serialize: (value) => value,
    parseValue: checked,
    parseLiteral: (node, variables) => checked(literalValue(node, variables ?? {})),
  });

function checked(value: unknown): unknown {
  if (!isRecord(value)) throw new GraphQLError('A representation is an object.');
  return value;
}

type Variables = Readonly<Record<string, unknown>>;

/** The value of a literal; recursion is as deep as documents are. Long numbers stay texts. */
function literalValue(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
      return Number.isSafeInteger(Number(node.value)) ? Number(node.value) : node.value;
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables));
    case Kind.OBJECT: {
      const object: Record<string, unknown> = Object.create(null);
      for (const { name, value } of node.fields) {
        object[name.value] = literalValue(value, variables);
      }
      return object;
    }
    case Kind.VARIABLE:
      return Object.hasOwn(variables, node.name.value) ? variables[node.name.value] : undefined;
  }
}
