import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Fragments } from '../output/reply-plan.js';
import { ROOTS, rootOf } from '../types/roots.js';

/**
 * The fields of root types that are selected further below, as `Query.customer`: objects of a subschema may lead back to
 * its root, where the same access rules hold.
 */
export function nestedRootFields(
  nodes: readonly FieldNode[],
  type: GraphQLNamedType | undefined,
  schema: GraphQLSchema,
  fragments: Fragments,
): readonly string[] {
  const roots = new Map<GraphQLNamedType, string>();
  for (const name of ROOTS) {
    const root = rootOf(schema, name);
    if (root !== null) roots.set(root, name);
  }
  if (!leadsBack(schema, roots)) return [];
  const found = new Set<string>();
  const spread = new Set<string>();
  const stack: { readonly set: SelectionSetNode | undefined; readonly type: GraphQLNamedType | undefined }[] =
    nodes.map(({ selectionSet }) => ({ set: selectionSet, type }));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    for (const selection of step.set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.name.value;
        const root = step.type === undefined ? undefined : roots.get(step.type);
        if (root !== undefined) found.add(`${root}.${name}`);
        stack.push({ set: selection.selectionSet, type: fieldType(step.type, name) });
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue;
        spread.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      const inner = condition === undefined ? step.type : schema.getType(condition);
      stack.push({ set: fragment?.selectionSet, type: inner });
    }
  }
  return [...found];
}

const known = new WeakMap<GraphQLSchema, boolean>();

/** Whether any field leads to a root type: few schemas have one. */
function leadsBack(schema: GraphQLSchema, roots: ReadonlyMap<GraphQLNamedType, string>): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const leads = Object.values(schema.getTypeMap()).some((type) => {
    if (isUnionType(type)) return type.getTypes().some((member) => roots.has(member));
    if ((!isObjectType(type) && !isInterfaceType(type)) || isIntrospectionType(type)) return false;
    if (roots.has(type) && type.getInterfaces().length > 0) return true;
    return Object.values(type.getFields()).some((field) => roots.has(getNamedType(field.type)));
  });
  known.set(schema, leads);
  return leads;
}

function fieldType(owner: GraphQLNamedType | undefined, name: string): GraphQLNamedType | undefined {
  if (!isObjectType(owner) && !isInterfaceType(owner)) return undefined;
  const fields = owner.getFields();
  return Object.hasOwn(fields, name) ? getNamedType(fields[name]?.type) : undefined;
}
