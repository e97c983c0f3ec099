import {
  type GraphQLFieldMap,
  type GraphQLInputFieldMap,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { isRoot, ROOTS, rootOf } from '../types/roots.js';

/** The type of this name; roots are called Query, Mutation and Subscription. */
export const schemaType = (schema: GraphQLSchema, name: string): GraphQLNamedType | undefined =>
  rootOf(schema, name) ?? schema.getType(name);

/** The name of a type in the configuration. */
export const partName = (schema: GraphQLSchema, type: GraphQLNamedType): string =>
  ROOTS.find((root) => rootOf(schema, root) === type) ?? type.name;

/** Whether a type is one that every schema has. */
export const isBuiltIn = (type: GraphQLNamedType): boolean =>
  isIntrospectionType(type) || isSpecifiedScalarType(type);

export function fieldsOf(
  type: GraphQLNamedType | undefined,
): GraphQLFieldMap<unknown, unknown> | GraphQLInputFieldMap | null {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? type.getFields()
    : null;
}

/** Whether a subschema has `Type` or `Type.field`, and it can be hidden and renamed. */
export function hasPart(schema: GraphQLSchema, name: string): boolean {
  const [type = '', field] = name.split('.');
  const found = schemaType(schema, type);
  if (found === undefined || isBuiltIn(found)) return false;
  return field === undefined ? !isRoot(schema, found) : Object.hasOwn(fieldsOf(found) ?? {}, field);
}
