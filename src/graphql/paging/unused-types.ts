import { type GraphQLNamedType, getNamedType, isInputObjectType, isInterfaceType, isUnionType } from 'graphql';
import { isFieldOwner } from '../types/field-owner.js';

/** The types that only replaced answers lead to: no field of `roots` does, nor a type that implements another. */
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
    if (isUnionType(type)) open.push(...type.getTypes());
    if (isInputObjectType(type)) open.push(...Object.values(type.getFields()).map((field) => getNamedType(field.type)));
    if (isInterfaceType(type)) open.push(...all.filter((each) => implementsIt(each, type)));
    if (!isFieldOwner(type)) continue;
    open.push(...type.getInterfaces());
    for (const field of Object.values(type.getFields()))
      open.push(getNamedType(field.type), ...field.args.map((argument) => getNamedType(argument.type)));
  }
  return reached;
}

const implementsIt = (type: GraphQLNamedType, above: GraphQLNamedType): boolean =>
  isFieldOwner(type) && type.getInterfaces().some((each) => each === above);
