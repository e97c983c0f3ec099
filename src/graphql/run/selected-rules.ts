import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { getOrMake } from '../../core/index.js';
import type { Admitted } from '../admission/admit.js';
import { partByRights } from '../admission/document-cache-entry.js';
import { isIncluded } from '../schema/output/reply-plan.js';
import type { FieldRights } from '../schema/rights/field-rights.js';
import { ruleOf, ruleWithin } from '../schema/rights/field-rule.js';
import { fieldOfOwner } from '../schema/types/field-owner.js';
import type { PlannedSchema } from './root-plan.js';

/**
 * The fields of an operation that its caller may not read, or reads masked; by the names of their
 * rules.
 */
interface SelectedRules {
  readonly forbidden: ReadonlySet<string>;
  readonly masked: ReadonlySet<string>;
}

const selectedRulesFor = partByRights<SelectedRules>();

const NONE: SelectedRules = { forbidden: new Set(), masked: new Set() };

/**
 * Finds the rules that an operation meets, on any type that its selections may be answered with.
 * Found once for each kind of caller, with the plan.
 */
export function selectedRules(admitted: Admitted, { schema }: PlannedSchema): SelectedRules {
  const { rights, cacheEntry } = admitted;
  if (rights === null) return NONE;
  return cacheEntry.get(selectedRulesFor(rights), (countBytes) => {
    const found = findRules(admitted, schema, rights);
    countBytes(BYTES * (1 + found.forbidden.size + found.masked.size));
    return found;
  });
}

const BYTES = 200;

function findRules(admitted: Admitted, schema: GraphQLSchema, rights: FieldRights): SelectedRules {
  const forbidden = new Set<string>();
  const masked = new Set<string>();
  visitFields(admitted, schema, (_owner, field) => {
    const rule = ruleOf(field);
    const decision = rights.decide(rule);
    if (rule !== null && decision !== null) {
      (decision === 'forbidden' ? forbidden : masked).add(rule.name);
    }
    const within = ruleWithin(field);
    // A value of any type may still have parts that the caller may read.
    if (within !== null && rights.decide(within) !== null) {
      masked.add(within.name);
    }
    return true;
  });
  return { forbidden, masked };
}

/**
 * The fields that an operation selects, `Type.field`, on any type that its selections may be
 * answered with; null for more than `FIELDS_MAX`: the caller chooses their order, and so which
 * would be left out.
 */
export function selectedFields(
  admitted: Admitted,
  { schema }: PlannedSchema,
): readonly string[] | null {
  const fields = new Set<string>();
  visitFields(admitted, schema, (owner, { name }) => {
    fields.add(`${owner.name}.${name}`);
    return fields.size <= FIELDS_MAX;
  });
  return fields.size > FIELDS_MAX ? null : [...fields];
}

const FIELDS_MAX = 10_000;

type Field = GraphQLField<unknown, unknown>;

/**
 * Visits each field of an operation, once for each type and selection, until `take` returns false.
 */
function visitFields(
  { operation, document, variables }: Admitted,
  schema: GraphQLSchema,
  take: (owner: GraphQLNamedType, field: Field) => boolean,
): void {
  const seen = new Map<SelectionSetNode, Set<GraphQLNamedType>>();
  const stack: { readonly set: SelectionSetNode; readonly type: GraphQLNamedType }[] = [];
  const add = (
    set: SelectionSetNode | undefined,
    type: GraphQLNamedType | null | undefined,
  ): void => {
    if (set === undefined || !type) return;
    const types = getOrMake(seen, set, () => new Set());
    if (types.has(type)) return;
    types.add(type);
    stack.push({ set, type });
  };
  add(operation.selectionSet, schema.getRootType(operation.operation));
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { set, type } = at;
    for (const selection of set.selections) {
      if (!isIncluded(selection, variables)) continue;
      if (selection.kind !== Kind.FIELD) {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection
            : document.fragments.get(selection.name.value);
        const condition = fragment?.typeCondition?.name.value;
        add(fragment?.selectionSet, condition === undefined ? type : schema.getType(condition));
        continue;
      }
      for (const owner of ownersOf(type, schema)) {
        const field = fieldOfOwner(owner, selection.name.value);
        if (field === undefined) continue;
        if (!take(owner, field)) return;
        add(selection.selectionSet, getNamedType(field.type));
      }
    }
  }
}

/** The type, and the objects that may stand for it. */
const ownersOf = (type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLNamedType[] =>
  isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type];
