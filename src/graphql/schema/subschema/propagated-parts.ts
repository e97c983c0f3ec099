import { type GraphQLSchema, getNamedType, isInterfaceType } from 'graphql';
import type { Subschema } from '../fields/subschema.js';
import { type FieldOwner, isFieldOwner } from '../types/field-owner.js';
import { isRoot } from '../types/roots.js';
import { fieldsOf, hasPart, isBuiltIn, partName, schemaType } from './schema-parts.js';

/** Hidden and renamed parts, so that interfaces agree with the types that implement them. */
export interface PropagatedParts {
  /** `Type` and `Type.field`, with the index of the entry of `hide` that it follows from. */
  readonly hidden: ReadonlyMap<string, number>;
  /** Fields of other types than the roots, as `Type.field`. */
  readonly fields: ReadonlyMap<string, PropagatedName>;
}

export interface PropagatedName {
  readonly name: string;
  /** The entry of `rename` that it follows from. */
  readonly entry: string;
}

/** Propagates `hide` and `rename` to the interfaces and types that must agree with them. */
export const propagatedParts = ({ schema, hidden, renames }: Subschema): PropagatedParts => ({
  hidden: propagatedHides(schema, hidden),
  fields: propagatedNames(schema, renames),
});

/**
 * A field hidden in a type is hidden in its interfaces; one hidden in an interface is hidden in all
 * its types. Sibling types keep theirs.
 */
function propagatedHides(
  schema: GraphQLSchema,
  hidden: readonly string[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const stack: {
    readonly type: FieldOwner;
    readonly field: string;
    readonly at: number;
    readonly isWritten: boolean;
  }[] = [];
  for (const [at, name] of hidden.entries()) {
    if (!hasPart(schema, name)) continue;
    found.set(name, at);
    const [typeName = '', field] = name.split('.');
    const type = schemaType(schema, typeName);
    if (field !== undefined && isFieldOwner(type)) {
      stack.push({ type, field, at, isWritten: true });
    }
  }
  // Fields of a hidden type are hidden.
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isFieldOwner(type) || isBuiltIn(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const at = found.get(getNamedType(field.type).name);
      if (at !== undefined) {
        stack.push({ type, field: field.name, at, isWritten: false });
      }
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

/** Renames a field in an interface and in all its types. */
function propagatedNames(
  schema: GraphQLSchema,
  renames: Subschema['renames'],
): ReadonlyMap<string, PropagatedName> {
  const found = new Map<string, PropagatedName>();
  const written = [...renames].filter(([entry]) => entry.includes('.') && hasPart(schema, entry));
  const stack: {
    readonly type: FieldOwner;
    readonly field: string;
    readonly renamed: PropagatedName;
  }[] = [];
  for (const [entry, name] of written) {
    const [typeName = '', field = ''] = entry.split('.');
    const type = schemaType(schema, typeName);
    if (type === undefined || isRoot(schema, type)) continue;
    const renamed = { name, entry };
    found.set(entry, renamed);
    if (isFieldOwner(type)) {
      stack.push({ type, field, renamed });
    }
  }
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { type, field, renamed } = step;
    for (const other of [...type.getInterfaces(), ...typesOf(type, schema)]) {
      const name = `${other.name}.${field}`;
      if (found.has(name) || isRoot(schema, other) || fieldsOf(other)?.[field] === undefined) {
        continue;
      }
      found.set(name, renamed);
      stack.push({ type: other, field, renamed });
    }
  }
  return found;
}

/** The types that implement an interface. */
function typesOf(type: FieldOwner, schema: GraphQLSchema): readonly FieldOwner[] {
  if (!isInterfaceType(type)) return [];
  const { objects, interfaces } = schema.getImplementations(type);
  return [...objects, ...interfaces];
}
