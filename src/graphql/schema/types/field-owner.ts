import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** A type whose values have fields. */
export type FieldOwner = GraphQLObjectType | GraphQLInterfaceType;

export const isFieldOwner = (type: unknown): type is FieldOwner =>
  isObjectType(type) || isInterfaceType(type);

/** The field of a type with this name; undefined where it has none. */
export function fieldOfOwner(
  type: unknown,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  const fields = isFieldOwner(type) ? type.getFields() : {};
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
