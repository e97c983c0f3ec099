import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Admitted } from '../admission/admit.js';
import { codedError, withNodes } from '../errors.js';
import { isIncluded, responseKey } from '../schema/output/reply-plan.js';
import { ruleOf } from '../schema/rights/field-rule.js';
import { fieldOfOwner } from '../schema/types/field-owner.js';

/**
 * Completes the errors of an answer by the field that the path of each leads to: its locations, and
 * for one that the caller may not read the scopes that it lacks, where introspection shows the
 * field.
 */
export function completeErrors(
  errors: readonly GraphQLError[],
  admitted: Admitted,
  schema: GraphQLSchema,
): readonly GraphQLError[] {
  return errors.map((error) => {
    const { path = [], extensions } = error;
    const found = path.length === 0 ? [] : fieldsAt(path, admitted, schema);
    if (found.length === 0) return error;
    const nodes = [...new Set(found.map(({ node }) => node))];
    const missing =
      extensions['code'] === 'FORBIDDEN' && admitted.isOpen ? missingOf(found, admitted) : null;
    if (missing === null) return path.length > 1 ? withNodes(error, nodes) : error;
    const message = `${error.message.replace(/\.$/, '')}: ${missing.text}.`;
    return codedError('FORBIDDEN', { nodes, path }, message, {
      ...extensions,
      missingScopes: missing.scopes,
    });
  });
}

interface Found {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The first requirement of the fields that the caller does not meet. */
function missingOf(
  found: readonly Found[],
  { rights }: Admitted,
): ReturnType<NonNullable<typeof rights>['missing']> {
  for (const { field } of found) {
    const missing = rights?.missing(ruleOf(field)) ?? null;
    if (missing !== null) return missing;
  }
  return null;
}

interface Selected {
  readonly set: SelectionSetNode;
  readonly type: GraphQLNamedType;
}

/**
 * The fields that a path of the answer may come from: several where selections are merged, or
 * objects differ.
 */
function fieldsAt(
  path: readonly (string | number)[],
  admitted: Admitted,
  schema: GraphQLSchema,
): readonly Found[] {
  const root = schema.getRootType(admitted.operation.operation);
  let selected: readonly Selected[] = root
    ? [{ set: admitted.operation.selectionSet, type: root }]
    : [];
  let found: readonly Found[] = [];
  for (const key of path) {
    if (typeof key === 'number') continue;
    found = fieldsOf(key, selected, admitted, schema);
    selected = found.flatMap(({ node: { selectionSet }, field }) =>
      selectionSet === undefined ? [] : [{ set: selectionSet, type: getNamedType(field.type) }],
    );
  }
  return found;
}

/**
 * The selected fields with this response key; each selection set is looked at once for each type.
 */
function fieldsOf(
  key: string,
  selected: readonly Selected[],
  { document, variables }: Admitted,
  schema: GraphQLSchema,
): readonly Found[] {
  const found: Found[] = [];
  const seen = new Map<SelectionSetNode, Set<GraphQLNamedType>>();
  const stack = [...selected];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { set, type } = at;
    const types = seen.get(set) ?? new Set();
    if (types.has(type)) continue;
    seen.set(set, types.add(type));
    for (const selection of set.selections) {
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        if (responseKey(selection) !== key) continue;
        for (const field of definitionsOf(type, selection.name.value, schema)) {
          found.push({ node: selection, field });
        }
        continue;
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : document.fragments.get(selection.name.value);
      const condition = fragment?.typeCondition?.name.value;
      const inner = condition === undefined ? type : schema.getType(condition);
      if (fragment !== undefined && inner) {
        stack.push({ set: fragment.selectionSet, type: inner });
      }
    }
  }
  return found;
}

/** The field of a type, and of the objects that may stand for it. */
function definitionsOf(
  type: GraphQLNamedType,
  name: string,
  schema: GraphQLSchema,
): readonly Found['field'][] {
  const owners = isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type];
  return owners.flatMap((owner) => fieldOfOwner(owner, name) ?? []);
}
