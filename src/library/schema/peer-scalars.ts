import { type GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { PeerGraphql } from './peer-graphql.js';

/**
 * Copies a scalar into another copy of `graphql`. Values are checked as the gateway checks them,
 * and stay as the caller wrote them: the call is written from those.
 */
export function peerScalar(
  { GraphQLScalarType: Scalar }: PeerGraphql,
  own: GraphQLScalarType,
): GraphQLScalarType {
  const { name } = own;
  return new Scalar<unknown, unknown>({
    name,
    description: own.description,
    specifiedByURL: own.specifiedByURL,
    serialize: (value) => value,
    parseValue(value) {
      own.parseValue(value);
      return value;
    },
    parseLiteral(node, variables) {
      own.parseLiteral(node, variables);
      return literalValue(node, variables ?? {}, KEPT_DIGITS[name] ?? (() => false));
    },
  });
}

type KeepsDigits = (digits: string) => boolean;

const always: KeepsDigits = () => true;

/**
 * Scalars with numbers that stay texts: as numbers of JavaScript they would lose digits. A
 * representation has numbers of any type.
 */
const KEPT_DIGITS: Readonly<Record<string, KeepsDigits>> = {
  Long: always,
  BigInt: always,
  Decimal: always,
  _Any: (digits) => /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits)),
};

/** The value of a literal as JSON would have it. It is as deep as the document may be. */
function literalValue(
  node: ValueNode,
  variables: Readonly<Record<string, unknown>>,
  keepsDigits: KeepsDigits,
): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
    case Kind.FLOAT:
      return keepsDigits(node.value) ? node.value : Number(node.value);
    case Kind.LIST:
      return node.values.map((value) => literalValue(value, variables, keepsDigits));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [
          name.value,
          literalValue(value, variables, keepsDigits),
        ]),
      );
    case Kind.VARIABLE:
      return variables[node.name.value];
    default:
      return node.value;
  }
}

/** Scalars that each copy of `graphql` has by itself. */
export const builtInScalars = (graphql: PeerGraphql): ReadonlyMap<string, GraphQLScalarType> =>
  new Map(graphql.specifiedScalarTypes.map((type) => [type.name, type]));
