import { type FieldNode, print } from 'graphql';
import { type FieldSlot, type ReplyPlan, replyPlans, scalars } from '../../../codec/index.js';
import { getOrMake, isRecord } from '../../../core/index.js';
import type { FieldFeed } from '../feeds/feed.js';
import {
  HIDDEN,
  hiddenKey,
  keyed,
  leafSlot,
  objectAlong,
  selfSlot,
  slotAlong,
  wireSlot,
} from '../feeds/hidden-slots.js';
import type { BoundField } from '../fields/bound-field.js';
import { isSubschemaField, type SubschemaField, type SubschemaPlan } from '../fields/subschema.js';
import { errorPlans } from '../output/fault-plan.js';
import { type LinkSlots, nullSlot, type PlanContext, planReply } from '../output/reply-plan.js';
import { type PagePlan, planPages } from '../paging/page-plan.js';
import type { FieldRights } from '../rights/field-rights.js';
import { ruleOf } from '../rights/field-rule.js';
import type { Paging } from '../types/paging.js';
import { fieldPosition, SINGLE } from '../types/plain-shape.js';
import type { FieldShape, ObjectShape, ReplyShape } from '../types/shape.js';
import type { Link, LinkBatch, LinkTable, Walk } from './link.js';
import { LinkFinder } from './link-finder.js';

/**
 * One selection of a link. Its object's plan has a slot under its response key: until the answer
 * replaces them it holds the values that the call needs, read from the object's own element.
 */
export interface LinkSelection {
  readonly link: Link;
  /** The nodes that are merged into it. */
  readonly nodes: readonly FieldNode[];
  readonly target: LinkTargetPlan;
  /** The caller may not call its operation: it is null with an error. */
  readonly isForbidden: boolean;
  /** It may be called in place of others: what is asked for decides. */
  readonly isAlternative: boolean;
}

/** The plan of the answers to a link. Equal selections of the same operation share it. */
export interface LinkTargetPlan {
  /** Unique within the operation of the document. */
  readonly id: number;
  readonly ask: LinkAsk;
  /** The way to further links in an answer, for a list operation in an item; null without any. */
  readonly walk: Walk | null;
}

/** The call that answers a field: of an operation of a SOAP service, or of a subschema. */
export type LinkAsk =
  | {
      readonly kind: 'soap';
      readonly bound: BoundField;
      /** The plan of a paged field reads one page. */
      readonly reply: ReplyPlan;
      /** Null or absent: one call answers. */
      readonly pages?: PagePlan | null;
    }
  | { readonly kind: 'subschema'; readonly plan: SubschemaPlan };

/** Plans the calls of links to subschemas. */
export interface SubschemaLinkPlanner {
  linked(
    field: SubschemaField,
    nodes: readonly FieldNode[],
    batch: LinkBatch | null,
  ): PlannedSubschemaField;
}

/** The call of a subschema's field, and the way to links in the answer. */
export interface PlannedSubschemaField {
  readonly plan: SubschemaPlan;
  readonly walk: Walk | null;
}

/** Finds the link of a selection on a type, with its id; null for a plain field. */
export type LinkSelect = (
  typeName: string,
  nodes: readonly FieldNode[],
) => { readonly id: string; readonly link: Link } | null;

/** The values for a link's call, in the position of its answer; null for any other value. */
export function feedValuesIn(value: unknown): Readonly<Record<string, unknown>> | null {
  return isRecord(value) && typeof value[HIDDEN] === 'string' ? value : null;
}

/** The plans that a slot's elements are read with. */
export const valuesOf = ({ source, value }: FieldSlot): readonly replyPlans.ValuePlan[] =>
  source.from === 'choice' ? source.branches.map((branch) => branch.value) : [value];

/** The id of the link selection that a slot belongs to; null for a plain field. */
export function linkIdOf({ value }: FieldSlot): string | null {
  const first = value.kind === 'object' ? value.declared?.slots[0] : undefined;
  if (first?.key !== HIDDEN || first.source.from !== 'constant') return null;
  return typeof first.source.value === 'string' ? first.source.value : null;
}

/** A value that fills a text is read as it is on the wire. */
const endOf = (feed: FieldFeed | undefined): typeof leafSlot =>
  feed?.asText === true ? wireSlot : leafSlot;

/**
 * Plans the links of one operation of a document. Recursion is as deep as the selection, which is
 * limited.
 */
export class LinkPlanner implements LinkSlots {
  readonly selections = new Map<string, LinkSelection>();
  readonly #table: LinkTable;
  readonly #context: PlanContext;
  readonly #nodeIds = new Map<FieldNode, number>();
  readonly #textIds = new Map<string, number>();
  readonly #selectionIds = new Map<string, string>();
  readonly #targets = new Map<string, LinkTargetPlan>();
  readonly #subschemas: SubschemaLinkPlanner | null;
  readonly #rights: FieldRights | null;
  readonly #finder: LinkFinder;
  readonly #foreign: ReadonlySet<string> | null;

  /**
   * Without `subschemas` no link may call a subschema. `foreign` are the fields, `Type.field`, that
   * no service answers: they are null.
   */
  constructor(
    table: LinkTable,
    context: PlanContext,
    subschemas: SubschemaLinkPlanner | null = null,
    foreign: ReadonlySet<string> | null = null,
  ) {
    this.#foreign = foreign;
    this.#context = context;
    this.#rights = context.rights ?? null;
    this.#subschemas = subschemas;
    this.#table = table;
    const isLink = (type: string, nodes: readonly FieldNode[]): boolean =>
      this.select(type, nodes) !== null;
    this.#finder = new LinkFinder(table, context, isLink);
  }

  slot(key: string, object: ObjectShape, nodes: readonly FieldNode[]): FieldSlot | null {
    const name = `${object.typeName}.${nodes[0]?.name.value}`;
    const link = this.#table.get(name);
    if (link === undefined) {
      return this.#foreign?.has(name) === true ? nullSlot(key) : null;
    }
    const id = this.selected(link, nodes);
    this.#context.countBytes?.(SLOT_BYTES * (2 + link.feeds.length));
    const idSlot: FieldSlot = { ...CONSTANT, key: HIDDEN, source: { from: 'constant', value: id } };
    const values = link.feeds.flatMap((feed, index) => {
      const field = object.fields.get(feed.field[0] ?? '');
      return field === undefined
        ? []
        : [slotAlong(hiddenKey(index), field, feed.field.slice(1), endOf(feed))];
    });
    return selfSlot(key, replyPlans.objectOf([idSlot, ...values]));
  }

  readonly select: LinkSelect = (typeName, nodes) => {
    const link = this.#table.get(`${typeName}.${nodes[0]?.name.value}`);
    return link === undefined ? null : { id: this.selected(link, nodes), link };
  };

  /** The way to links in the value of a reply, each of which is planned; null without any. */
  walkOf(reply: ReplyShape, nodes: readonly FieldNode[]): Walk | null {
    return this.#finder.walkOf(reply, nodes);
  }

  /** The id of a selection of a link, which is planned for the first time. */
  selected(link: Link, nodes: readonly FieldNode[], isAlternative = false): string {
    const key = [link.name, ...nodes.map((node) => this.#idOf(node))].join(' ');
    const known = this.#selectionIds.get(key);
    if (known !== undefined) return known;
    this.#context.countBytes?.(SELECTION_BYTES + 10 * key.length);
    const id = String(this.#selectionIds.size);
    this.#selectionIds.set(key, id);
    const isForbidden = this.#rights !== null && isForbiddenLink(link, this.#rights);
    const target = this.#target(link, nodes);
    this.selections.set(id, { link, nodes, target, isForbidden, isAlternative });
    return id;
  }

  #target(link: Link, nodes: readonly FieldNode[]): LinkTargetPlan {
    const { service, operation } = link.called;
    const texts = nodes.map((node) => this.#textIdOf(node));
    const form = link.batch === null ? '' : JSON.stringify(link.batch);
    const key = [service, operation.name, form, ...texts].join(' ');
    return getOrMake(this.#targets, key, () => {
      const target = this.#plannedTarget(link, nodes);
      return { ...target, id: this.#targets.size };
    });
  }

  #plannedTarget(
    { called, batch, feeds }: Link,
    nodes: readonly FieldNode[],
  ): Omit<LinkTargetPlan, 'id'> {
    if (isSubschemaField(called)) {
      if (this.#subschemas === null) throw new Error('a link to a subschema without its planner');
      const { plan, walk } = this.#subschemas.linked(called, nodes, batch);
      return { ask: { kind: 'subschema', plan }, walk };
    }
    const { paging = null, reply: shape } = called;
    if (paging !== null) {
      const pages = this.pages({ reply: shape, paging }, nodes);
      return { ask: { kind: 'soap', bound: called, reply: pages.reply, pages }, walk: pages.walk };
    }
    const { reply, walk } =
      batch === null ? this.#single(called, nodes) : this.#batch(called, batch, nodes, feeds);
    return { ask: { kind: 'soap', bound: called, reply }, walk };
  }

  #single(called: BoundField, nodes: readonly FieldNode[]): PlannedReply {
    const reply = this.#plan(called.reply, nodes);
    return { reply, walk: this.walkOf(called.reply, nodes) };
  }

  /** Each item is read twice: its selection under `HIDDEN`, and its key. */
  #batch(
    { reply }: BoundField,
    batch: LinkBatch,
    nodes: readonly FieldNode[],
    feeds: readonly FieldFeed[],
  ): PlannedReply {
    const { root, element } = reply;
    const parts = batch.composite?.parts ?? [{ path: batch.key, feed: 0 }];
    const keys = parts.map(({ path, feed }) => ({ path, end: endOf(feeds[feed]) }));
    const faults = errorPlans(reply, this.#rights);
    let walk: Walk | null = null;
    const items = (key: string, list: FieldShape): FieldSlot => {
      const listed: ReplyShape = {
        ...reply,
        root: { kind: 'unwrap', field: list },
        nonNull: false,
      };
      const plan = this.#plan(listed, nodes);
      walk = this.walkOf(listed, nodes);
      const item = plan.value.declared?.slots[0]?.value;
      if (item?.kind !== 'object' || list.value.kind !== 'object') {
        throw new Error('items of a link are objects');
      }
      return {
        key,
        ...SINGLE,
        ...fieldPosition(list),
        list: true,
        value: keyed(item, list.value.shape, keys),
      };
    };
    if (root.kind === 'done') throw new Error('a list operation has an answer');
    const value =
      root.kind === 'unwrap'
        ? replyPlans.objectOf([slotAlong(HIDDEN, root.field, batch.items, items)])
        : objectAlong(root.shape, batch.items, items);
    const plan = { element, shape: root.kind, value, nonNull: false };
    return { reply: faults === null ? plan : { ...plan, faults }, walk };
  }

  /** Plans a paged field: of the root, or of a link. */
  pages(
    field: { readonly reply: ReplyShape; readonly paging: Paging },
    nodes: readonly FieldNode[],
  ): PagePlan {
    this.#context.countBytes?.(SELECTION_BYTES);
    return planPages(field, nodes, this.#context, {
      plan: (reply, inner) => this.#plan(reply, inner),
      walkOf: (reply, inner) => this.walkOf(reply, inner),
    });
  }

  #plan(reply: ReplyShape, nodes: readonly FieldNode[]): ReplyPlan {
    return planReply(reply, nodes, this.#context, this);
  }

  #idOf(node: FieldNode): number {
    return getOrMake(this.#nodeIds, node, () => this.#nodeIds.size);
  }

  #textIdOf(node: FieldNode): number {
    const text = node.selectionSet === undefined ? '' : print(node.selectionSet);
    return getOrMake(this.#textIds, text, () => this.#textIds.size);
  }
}

/**
 * Whether the caller may not call the operation of a link, or not read the way to the items of its
 * answer.
 */
function isForbiddenLink({ definition, called, batch }: Link, rights: FieldRights): boolean {
  if (rights.forbids(ruleOf(definition))) return true;
  if (batch === null || isSubschemaField(called)) return false;
  const { root } = called.reply;
  let values = root.kind === 'unwrap' ? [root.field.value] : [];
  let objects =
    root.kind === 'whole' ? objectsIn([{ kind: 'object', shape: root.shape }]) : objectsIn(values);
  for (const step of batch.items) {
    const fields = objects.flatMap((object) => object.fields.get(step) ?? []);
    if (fields.some(({ rule }) => rights.decide(rule) !== null)) return true;
    values = fields.map(({ value }) => value);
    objects = objectsIn(values);
  }
  return false;
}

const objectsIn = (values: readonly FieldShape['value'][]): readonly ObjectShape[] =>
  values.flatMap((value) => {
    if (value.kind !== 'object') return [];
    const { declared, variants } = value.shape;
    return [...(declared === null ? [] : [declared]), ...variants.values()];
  });

/** About the memory of a selection without its plan, and of its slot in an object. */
const SELECTION_BYTES = 1500;
const SLOT_BYTES = 1000;

interface PlannedReply {
  readonly reply: ReplyPlan;
  readonly walk: Walk | null;
}

const CONSTANT = { ...SINGLE, value: { kind: 'scalar', scalar: scalars.TEXT } } as const;
