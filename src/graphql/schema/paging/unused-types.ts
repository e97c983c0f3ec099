import { type GraphQLNamedType, isInterfaceType } from 'graphql';
import { isFieldOwner } from '../types/field-owner.js';
import { typeReferences } from '../types/references.js';

/**
 * The types that only replaced answers lead to: no field of `roots` does, nor a type that
 * implements another.
 */
export function unusedTypes(
  replaced: readonly GraphQLNamedType[],
  roots: readonly GraphQLNamedType[],
  all: readonly GraphQLNamedType[],
): ReadonlySet<GraphQLNamedType> {
  if (replaced.length === 0) return new Set();
  const used = reachedFrom(roots, all);
  return new Set([...reachedFrom(replaced, all)].filter((type) => !used.has(type)));
}

function reachedFrom(
  from: readonly GraphQLNamedType[],
  all: readonly GraphQLNamedType[],
): ReadonlySet<GraphQLNamedType> {
  const reached = new Set<GraphQLNamedType>();
  const open = [...from];
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (reached.has(type)) continue;
    reached.add(type);
    if (isInterfaceType(type)) {
      open.push(...all.filter((each) => implementsIt(each, type)));
    }
    for (const each of typeReferences(type)) {
      open.push(each);
    }
  }
  return reached;
}

const implementsIt = (type: GraphQLNamedType, above: GraphQLNamedType): boolean =>
  isFieldOwner(type) && type.getInterfaces().some((each) => each === above);
