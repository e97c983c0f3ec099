import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { type FieldSlot, type ReplyPlan, replyPlans, scalars } from '../../../codec/index.js';
import { collections, getOrMake } from '../../../core/index.js';
import type { CountBytes } from '../../count-bytes.js';
import { asksForAddress } from '../downloads/url-directive.js';
import type { FieldRights } from '../rights/field-rights.js';
import { anyPlan } from '../types/any-value.js';
import { tablesPlan } from '../types/data-set.js';
import { fieldPosition, SINGLE } from '../types/plain-shape.js';
import type {
  ElementShape,
  FieldShape,
  ObjectShape,
  ReplyRoot,
  ReplyShape,
  ValueShape,
} from '../types/shape.js';
import { errorPlans } from './fault-plan.js';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;
/** Variables as the client sent them, not coerced. */
export type RawVariables = Readonly<Record<string, unknown>>;
/** Coerced values of the operation's variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** What the fields of one operation are planned with. */
export interface PlanContext {
  readonly fragments: Fragments;
  /** A plan that is cached depends on the switches among them only. */
  readonly variables: Variables;
  /** Absent: the plan is not cached. */
  readonly countBytes?: CountBytes;
  /** The rights of the caller; null or absent where all callers have the same. */
  readonly rights?: FieldRights | null;
}

/** Makes slots for fields that another call answers. */
export interface LinkSlots {
  /** Null where the object has no such field. */
  slot(key: string, object: ObjectShape, nodes: readonly FieldNode[]): FieldSlot | null;
}

/** Plans a reply: exactly the selection of a valid document, in the order of the response. */
export function planReply(
  reply: ReplyShape,
  nodes: readonly FieldNode[],
  context: PlanContext,
  links: LinkSlots | null = null,
): ReplyPlan {
  const { rights = null } = context;
  const planner = new Planner(context, links, reply.unions ?? NO_UNIONS);
  const { element, root, nonNull, hasReferences = false } = reply;
  const made = planner.root(element, root, nodes, nonNull);
  const plan = hasReferences ? { ...made, hasReferences } : made;
  if (reply.faults?.as !== 'data') {
    const faults = errorPlans(reply, rights);
    return faults === null ? plan : { ...plan, faults };
  }
  const entries = reply.faults.entries.map((fault): replyPlans.FaultPlan => {
    const { element, names } = fault;
    return { element, names, plan: planner.root(element, fault.root, nodes, false) };
  });
  const isRestricted = rights !== null && errorPlans(reply, rights)?.isRestricted === true;
  return { ...plan, faults: { as: 'data', entries, ...(isRestricted ? { isRestricted } : {}) } };
}

/**
 * The selected fields by response key, in order: CollectFields of GraphQL section 6.3.2. `applies`
 * answers whether a fragment on this type does.
 */
export function collectFields(
  selectionSets: readonly SelectionSetNode[],
  applies: (typeCondition: string) => boolean,
  { fragments, variables }: PlanContext,
): ReadonlyMap<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const named = (name: string): FragmentDefinitionNode | undefined => {
    if (visited.has(name)) return undefined;
    visited.add(name);
    return fragments.get(name);
  };
  const stack = [...selectionSets].reverse().flatMap((set) => [...set.selections].reverse());
  for (let selection = stack.pop(); selection !== undefined; selection = stack.pop()) {
    if (!isIncluded(selection, variables)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = responseKey(selection);
      collections.addToGroup(fields, key, selection);
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : named(selection.name.value);
    const condition = fragment?.typeCondition?.name.value;
    if (fragment === undefined || (condition !== undefined && !applies(condition))) continue;
    for (const inner of [...fragment.selectionSet.selections].reverse()) {
      stack.push(inner);
    }
  }
  return fields;
}

/**
 * Plans one reply: objects when they first occur in a reply, and equal selections of a type once.
 */
class Planner {
  readonly #context: PlanContext;
  readonly #links: LinkSlots | null;
  readonly #unions: NonNullable<ReplyShape['unions']>;
  readonly #rights: FieldRights | null;
  readonly #nodeIds = new Map<FieldNode, number>();
  readonly #objects = new Map<ElementShape, Map<string, replyPlans.ObjectPlan>>();

  constructor(
    context: PlanContext,
    links: LinkSlots | null,
    unions: NonNullable<ReplyShape['unions']>,
  ) {
    this.#context = context;
    this.#rights = context.rights ?? null;
    this.#links = links;
    this.#unions = unions;
  }

  root(
    element: ReplyPlan['element'],
    root: ReplyRoot,
    nodes: readonly FieldNode[],
    nonNull: boolean,
  ): ReplyPlan {
    if (root.kind === 'done') return { element, shape: 'done', value: NOTHING, nonNull };
    if (root.kind === 'whole') {
      return { element, shape: 'whole', value: this.object(root.shape, nodes), nonNull };
    }
    const key = responseKey(nodes[0]);
    // An answer cannot be left out.
    const slot = this.slot(key, root.field, nodes) ?? withheldSlot(key, root.field, false);
    const named = root.field.list ? { ...slot, listName: ITSELF } : slot;
    return { element, shape: 'unwrap', value: replyPlans.objectOf([named]), nonNull };
  }

  /**
   * Types that share a field share its plan too: without that, plans would grow with types to the
   * power of depth.
   */
  object(shape: ElementShape, nodes: readonly FieldNode[]): replyPlans.ObjectPlan {
    const key = nodes.map((node) => this.#idOf(node)).join();
    const known = getOrMake(this.#objects, shape, () => new Map<string, replyPlans.ObjectPlan>());
    return getOrMake(known, key, () => this.#object(shape, nodes));
  }

  /** Null where the field is left out for the caller. */
  slot(key: string, field: FieldShape, nodes: readonly FieldNode[]): FieldSlot | null {
    const decision = this.#rights?.decide(field.rule) ?? null;
    if (decision === 'remove') return null;
    if (decision === 'forbidden' || decision === 'null') {
      return withheldSlot(key, field, decision === 'forbidden');
    }
    const { list, nonNull, itemNonNull, value } = field;
    const position = fieldPosition(field);
    if (asksForAddress(nodes)) {
      // What is masked is not handed out whole elsewhere.
      if (decision !== null) return withheldSlot(key, field, false);
      return { key, ...position, list, nonNull, itemNonNull, value: ADDRESS };
    }
    if (this.#rights !== null && decision !== null) {
      if (value.kind !== 'scalar') return withheldSlot(key, field, false);
      const masked = {
        kind: 'scalar',
        scalar: this.#rights.maskScalar(value.scalar, decision),
      } as const;
      return { key, ...position, list, nonNull, itemNonNull, value: masked };
    }
    if (value.kind === 'choice') {
      this.#context.countBytes?.(SLOT_BYTES * value.branches.length);
      const branches = value.branches.map(({ name, shape }) => ({
        name,
        value: this.object(shape, nodes),
      }));
      return {
        key,
        source: { from: 'choice', branches },
        list,
        nonNull,
        itemNonNull,
        value: NOTHING,
      };
    }
    return { key, ...position, list, nonNull, itemNonNull, value: this.#value(value, nodes) };
  }

  /** Arrays nest up to a bound. */
  #value(
    value: Exclude<ValueShape, { readonly kind: 'choice' }>,
    nodes: readonly FieldNode[],
  ): replyPlans.ValuePlan {
    if (value.kind === 'object') return this.object(value.shape, nodes);
    if (value.kind === 'any') return anyPlan(value, this.#rights);
    if (value.kind === 'tables') return this.#tables(value, nodes);
    if (value.kind !== 'list') return value;
    const { itemNonNull, item } = value;
    return { kind: 'list', itemNonNull, value: this.#value(item, nodes) };
  }

  #tables(
    value: Extract<ValueShape, { readonly kind: 'tables' }>,
    nodes: readonly FieldNode[],
  ): replyPlans.TablesPlan {
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const applies = (condition: string): boolean => condition === value.typeName;
    const selected = collectFields(sets, applies, this.#context);
    this.#context.countBytes?.(OBJECT_BYTES + SLOT_BYTES * selected.size);
    return tablesPlan(
      value,
      [...selected].map(([key, [node]]) => ({ key, name: node?.name.value ?? '' })),
      this.#rights,
    );
  }

  #object(shape: ElementShape, nodes: readonly FieldNode[]): replyPlans.ObjectPlan {
    this.#context.countBytes?.(OBJECT_BYTES);
    const sets = nodes.flatMap((node) =>
      node.selectionSet === undefined ? [] : [node.selectionSet],
    );
    return new replyPlans.LazyObject(shape, (object: ObjectShape) => this.#variant(object, sets));
  }

  #variant(object: ObjectShape, sets: readonly SelectionSetNode[]): replyPlans.ObjectVariant {
    const unions = this.#unions.get(object.typeName);
    const applies = (condition: string): boolean =>
      object.conditions.has(condition) || unions?.has(condition) === true;
    const slots: FieldSlot[] = [];
    let weight = object.weight ?? 1;
    for (const [key, nodes] of collectFields(sets, applies, this.#context)) {
      const name = nodes[0]?.name.value ?? '';
      const field = object.fields.get(name);
      if (name === '__typename') {
        slots.push(typenameSlot(key, object.typeName));
      } else if (field !== undefined) {
        weight += field.weight ?? 0;
        const slot = this.slot(key, field, nodes);
        if (slot === null) continue;
        const { listName } = field;
        if (listName === undefined && key === name) {
          slots.push(slot);
        } else {
          slots.push({ ...slot, name, ...(listName === undefined ? {} : { listName }) });
        }
      } else {
        slots.push(...asList(this.#links?.slot(key, object, nodes) ?? null));
      }
    }
    this.#context.countBytes?.(VARIANT_BYTES + SLOT_BYTES * slots.length);
    const { order = null } = object;
    return order === null ? { slots, weight } : { slots, weight, order };
  }

  #idOf(node: FieldNode): number {
    return getOrMake(this.#nodeIds, node, () => this.#nodeIds.size);
  }
}

/** The memory of parts of a plan with their decoders: measured, a fifth more or less. */
const OBJECT_BYTES = 800;
const VARIANT_BYTES = 900;
const SLOT_BYTES = 720;

const asList = (slot: FieldSlot | null): readonly FieldSlot[] => (slot === null ? [] : [slot]);

/** The name of an operation's answer among lists. */
const ITSELF = '';

const NO_UNIONS: NonNullable<ReplyShape['unions']> = new Map();

const NOTHING = replyPlans.objectOf([]);

const ADDRESS: replyPlans.ValuePlan = { kind: 'address' };

/** A slot that is null for the caller. */
const withheldSlot = (
  key: string,
  { nonNull }: Pick<FieldShape, 'nonNull'>,
  isForbidden: boolean,
): FieldSlot => ({
  key,
  ...SINGLE,
  source: { from: 'withheld', isForbidden },
  nonNull,
  value: NOTHING,
});

/** A slot that is null for every caller. */
export const nullSlot = (key: string): FieldSlot => withheldSlot(key, { nonNull: false }, false);

const typenameSlot = (key: string, typeName: string): FieldSlot => ({
  key,
  ...SINGLE,
  source: { from: 'constant', value: typeName },
  nonNull: true,
  value: { kind: 'scalar', scalar: scalars.TEXT },
});

/** The key of a field in the response. */
export const responseKey = (node: FieldNode | undefined): string =>
  node?.alias?.value ?? node?.name.value ?? '';

/** Whether @skip and @include keep a selection. */
export function isIncluded(
  selection: SelectionSetNode['selections'][number],
  variables: Variables,
): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.['if'] !== false;
}
