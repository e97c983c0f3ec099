import type { GraphQLField } from 'graphql';
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { isRecord } from '../../../core/index.js';
import type { SubschemaPlan } from '../../schema/fields/subschema.js';
import { responseKey, type Variables } from '../../schema/output/reply-plan.js';
import { fieldCostOf, typeWeightOf } from '../../schema/types/cost-rules.js';
import { fieldOfOwner } from '../../schema/types/field-owner.js';
import { rootOf } from '../../schema/types/roots.js';
import { argumentPoints } from './cost-slicing.js';
import { argumentPrices } from './cost-table.js';

/** A value with its selections. */
interface Part {
  readonly value: unknown;
  readonly type: GraphQLNamedType | undefined;
  readonly selections: readonly SelectionNode[];
  /** It is on the way to the items of a list operation: callers have not asked for it. */
  readonly itemSteps: number;
}

/**
 * The cost of a subschema's answer: its objects and fields by their weights in the schema. Fields
 * for links only, and contents of scalars, cost nothing.
 */
export function subschemaPoints(plan: SubschemaPlan, value: unknown, variables: Variables): number {
  const { wrapped, name, parent } = plan.field;
  const fragments = new Map<string, FragmentDefinitionNode>();
  const selections: SelectionNode[] = [];
  for (const definition of plan.document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    } else if (definition.kind === Kind.OPERATION_DEFINITION) {
      selections.push(...definition.selectionSet.selections);
    }
  }
  const below = selections.flatMap((node) =>
    node.kind === Kind.FIELD ? (node.selectionSet?.selections ?? []) : [],
  );
  const type = fieldType(rootOf(wrapped, parent)?.getFields()[name]);
  const prefix = plan.links?.prefix ?? plan.batch?.key ?? null;
  let points = 0;
  const stack: Part[] = [
    { value, type, selections: below, itemSteps: plan.batch?.items.length ?? 0 },
  ];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const { type: owner, itemSteps } = part;
    if (Array.isArray(part.value)) {
      for (const item of part.value) {
        stack.push({ ...part, value: item });
      }
      continue;
    }
    if (!isRecord(part.value) || owner === undefined || !isCompositeType(owner)) continue;
    if (itemSteps === 0) {
      points += objectWeight(owner, wrapped);
    }
    for (const [key, field] of askedOf(part, wrapped, fragments)) {
      const inner = part.value[key] ?? null;
      const isHidden = prefix !== null && key.startsWith(prefix);
      if (isHidden) continue;
      if (itemSteps === 0) {
        points += fieldPoints(field, variables);
      }
      if (inner === null || field.selections.length === 0) continue;
      const { definition, selections: asked } = field;
      stack.push({
        value: inner,
        type: fieldType(definition),
        selections: asked,
        itemSteps: Math.max(0, itemSteps - 1),
      });
    }
  }
  return points;
}

type Definition = GraphQLField<unknown, unknown>;

interface Asked {
  readonly node: FieldNode;
  readonly definition: Definition;
  readonly selections: SelectionNode[];
}

const fieldType = (definition: Definition | undefined): GraphQLNamedType | undefined =>
  definition === undefined ? undefined : getNamedType(definition.type);

/** The points of a field and its arguments. */
function fieldPoints({ node, definition }: Asked, variables: Variables): number {
  const cost = fieldCostOf(definition);
  return cost === null
    ? 0
    : (cost.weight ?? 0) + argumentPoints(argumentPrices([cost]), definition, node, variables);
}

/**
 * The selected fields that an object has, by response key; fragments of any type are walked once.
 */
function askedOf(
  { value, type, selections }: Part,
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  const spread = new Set<string>();
  const stack: { readonly node: SelectionNode; readonly owner: GraphQLNamedType | undefined }[] =
    selections.map((node) => ({ node, owner: type }));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { node, owner } = step;
    if (node.kind === Kind.FIELD) {
      const key = responseKey(node);
      const definition = fieldOfOwner(owner, node.name.value);
      if (definition === undefined || !isRecord(value) || !Object.hasOwn(value, key)) continue;
      const known = asked.get(key);
      if (known === undefined) {
        asked.set(key, {
          node,
          definition,
          selections: [...(node.selectionSet?.selections ?? [])],
        });
      } else {
        known.selections.push(...(node.selectionSet?.selections ?? []));
      }
      continue;
    }
    if (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value)) continue;
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      spread.add(node.name.value);
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
    const condition = fragment?.typeCondition?.name.value;
    const inner = condition === undefined ? owner : schema.getType(condition);
    for (const each of fragment?.selectionSet.selections ?? []) {
      stack.push({ node: each, owner: inner });
    }
  }
  return asked;
}

/** As estimates have it: of an interface or union as many as any of its objects. */
function objectWeight(type: GraphQLNamedType, schema: GraphQLSchema): number {
  const weight = typeWeightOf(type);
  if (!isAbstractType(type)) return weight ?? 1;
  return Math.max(
    weight ?? 0,
    ...schema.getPossibleTypes(type).map((each) => typeWeightOf(each) ?? 1),
  );
}
