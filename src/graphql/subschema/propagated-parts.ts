import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Subschema } from '../fields/subschema.js';
import { isRoot } from '../types/roots.js';
import { fieldsOf, hasPart, isBuiltIn, partName, typeOf } from './schema-parts.js';

/** What is hidden and renamed once interfaces and what implements them agree. */
export interface CarriedParts {
  /** `Type` and `Type.field`, with the index of the entry of `hide` that it follows from. */
  readonly hidden: ReadonlyMap<string, number>;
  /** Fields of other types than the roots, as `Type.field`. */
  readonly fields: ReadonlyMap<string, CarriedName>;
}

export interface CarriedName {
  readonly name: string;
  /** The entry of `rename` that it follows from. */
  readonly entry: string;
}

/** Takes the entries of `hide` and `rename` to the interfaces and types that must agree with them. */
export const carriedParts = ({ schema, hidden, renames }: Subschema): CarriedParts => ({
  hidden: carriedHides(schema, hidden),
  fields: carriedNames(schema, renames),
});

type Owner = GraphQLObjectType | GraphQLInterfaceType;

const isOwner = (type: GraphQLNamedType | undefined): type is Owner => isObjectType(type) || isInterfaceType(type);

/**
 * An interface cannot promise what one of its types does not show; what an interface hides, all its types hide. Types
 * beside one that hides a field keep theirs.
 */
function carriedHides(schema: GraphQLSchema, hidden: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const stack: { readonly type: Owner; readonly field: string; readonly at: number; readonly isWritten: boolean }[] =
    [];
  for (const [at, name] of hidden.entries()) {
    if (!hasPart(schema, name)) continue;
    found.set(name, at);
    const [typeName = '', field] = name.split('.');
    const type = typeOf(schema, typeName);
    if (field !== undefined && isOwner(type)) stack.push({ type, field, at, isWritten: true });
  }
  // Fields of a hidden type are not there either.
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isOwner(type) || isBuiltIn(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const at = found.get(getNamedType(field.type).name);
      if (at !== undefined) stack.push({ type, field: field.name, at, isWritten: false });
    }
  }
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { type, field, at, isWritten } = step;
    for (const other of [...type.getInterfaces(), ...(isWritten ? typesOf(type, schema) : [])]) {
      const name = `${partName(schema, other)}.${field}`;
      if (found.has(name) || fieldsOf(other)?.[field] === undefined) continue;
      found.set(name, at);
      stack.push({ type: other, field, at, isWritten: false });
    }
  }
  return found;
}

/** A field has one name in an interface and in all its types. */
function carriedNames(schema: GraphQLSchema, renames: Subschema['renames']): ReadonlyMap<string, CarriedName> {
  const found = new Map<string, CarriedName>();
  const written = [...renames].filter(([entry]) => entry.includes('.') && hasPart(schema, entry));
  const stack: { readonly type: Owner; readonly field: string; readonly given: CarriedName }[] = [];
  for (const [entry, name] of written) {
    const [typeName = '', field = ''] = entry.split('.');
    const type = typeOf(schema, typeName);
    if (type === undefined || isRoot(schema, type)) continue;
    const given = { name, entry };
    found.set(entry, given);
    if (isOwner(type)) stack.push({ type, field, given });
  }
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { type, field, given } = step;
    for (const other of [...type.getInterfaces(), ...typesOf(type, schema)]) {
      const name = `${other.name}.${field}`;
      if (found.has(name) || isRoot(schema, other) || fieldsOf(other)?.[field] === undefined) continue;
      found.set(name, given);
      stack.push({ type: other, field, given });
    }
  }
  return found;
}

/** Those that implement it. */
function typesOf(type: Owner, schema: GraphQLSchema): readonly Owner[] {
  if (!isInterfaceType(type)) return [];
  const { objects, interfaces } = schema.getImplementations(type);
  return [...objects, ...interfaces];
}
