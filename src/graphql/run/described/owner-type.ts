import {
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/**
 * The type whose fields an object of an answer has, by its `__typename`; null where none is known.
 */
export function ownerTypeOf(
  type: GraphQLOutputType,
  { __typename: name }: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema,
): GraphQLObjectType | GraphQLInterfaceType | null {
  const declared = getNamedType(type);
  const owner =
    isAbstractType(declared) && typeof name === 'string' ? schema.getType(name) : declared;
  return isObjectType(owner) || isInterfaceType(owner) ? owner : null;
}
