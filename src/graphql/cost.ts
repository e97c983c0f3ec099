import {
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphqlLimits } from './limits.js';
import type { LinkTable } from './link.js';
import { type Fragments, isIncluded, type Variables } from './plan.js';

/**
 * What an operation is estimated to cost before it runs: an object counts 1, a list as many times its item as lists
 * are assumed to be long, each call more. A field of the root is a call, a link one for each object, or for as many as
 * a list operation takes. What @skip and @include leave out is not counted. Selections are counted as written, so
 * merging them can only make it cheaper. The document has been held to the limits on its shape, which bound this walk.
 */
export function costOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
  limits: GraphqlLimits,
  links: LinkTable = new Map(),
): number {
  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) return 0;
  let calls = 0;
  /** `times`: how many objects a selection is for. */
  const walk = (
    set: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    isRoot: boolean,
    times: number,
  ): number => {
    let sum = 0;
    for (const selection of set.selections) {
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
        const name = selection.name.value;
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (field === undefined) continue;
        const { size, named } = measure(field.type, limits.assumedListSize);
        const link = isRoot ? undefined : links.get(`${parent?.name}.${name}`);
        if (isRoot) calls++;
        else if (link !== undefined) calls += link.batch === null ? times : Math.ceil(times / limits.batchItems);
        const all = Math.min(MOST, times * size);
        const inner = selection.selectionSet === undefined ? 0 : walk(selection.selectionSet, named, false, all);
        const weight = isCompositeType(named) ? 1 : 0;
        sum += size * (weight + inner);
      } else {
        const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
        const fragment = isSpread ? fragments.get(selection.name.value) : selection;
        if (fragment === undefined) continue;
        const condition = fragment.typeCondition?.name.value;
        const type = condition === undefined ? parent : schema.getType(condition);
        sum += walk(fragment.selectionSet, type, isRoot, times);
      }
      if (sum > MOST || calls > MOST) return MOST;
    }
    return sum;
  };
  const cost = walk(operation.selectionSet, root, true, 1);
  // More calls than this are not made.
  return Math.min(MOST, cost + Math.min(calls, limits.calls) * limits.callCost);
}

const MOST = 1e12;

function measure(type: GraphQLOutputType, assumedListSize: number): { size: number; named: GraphQLNamedType } {
  let size = 1;
  let inner: GraphQLOutputType = getNullableType(type);
  while (isListType(inner) || isNonNullType(inner)) {
    if (isListType(inner)) size = Math.min(MOST, size * assumedListSize);
    inner = inner.ofType;
  }
  return { size, named: inner };
}
