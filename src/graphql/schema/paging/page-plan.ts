import type { FieldNode } from 'graphql';
import { type FieldSlot, type ReplyPlan, replyPlans } from '../../../codec/index.js';
import { HIDDEN, hiddenKey, leafSlot, selfSlot, slotAlong } from '../feeds/hidden-slots.js';
import { errorPlans } from '../output/fault-plan.js';
import { collectFields, type PlanContext } from '../output/reply-plan.js';
import type { ConnectionTypes, Paging, ReplyPath } from '../types/paging.js';
import { fieldPosition, SINGLE } from '../types/plain-shape.js';
import type { FieldShape, ObjectShape, ReplyShape } from '../types/shape.js';

/** The plan of a paged field: how each page is read, and what the client selects of all of them. */
export interface PagePlan {
  readonly paging: Paging;
  readonly reply: ReplyPlan;
  /** The fields of the connection by their response keys, in order. */
  readonly fields: readonly ConnectionField[];
  /** Rows are objects, with a value for each selection of them; else a row is its value. */
  readonly isKeyed: boolean;
  /** Steps from the value of a page to its rows. */
  readonly depth: Readonly<Record<'items' | 'total' | 'next', number>>;
  /** The way to links in a connection; null without any. */
  readonly walk: RowWalk | null;
}

/** The response keys on the way to links in rows, as `Walk` of `links` has it. */
type RowWalk = ReadonlyMap<string, RowWalk>;

/** A field of a connection. */
export type ConnectionField =
  | { readonly kind: 'nodes'; readonly key: string; readonly row: string }
  | { readonly kind: 'edges'; readonly key: string; readonly fields: readonly EdgeField[] }
  | { readonly kind: 'pageInfo'; readonly key: string; readonly fields: readonly PageInfoField[] }
  | { readonly kind: 'totalCount'; readonly key: string }
  | TypeName;

export type EdgeField =
  | { readonly kind: 'node'; readonly key: string; readonly row: string }
  | { readonly kind: 'cursor'; readonly key: string }
  | TypeName;

export type PageInfoField =
  | { readonly kind: 'hasNextPage' | 'endCursor'; readonly key: string }
  | TypeName;

interface TypeName {
  readonly kind: 'typename';
  readonly key: string;
  readonly name: string;
}

/** The keys of the parts of a page. */
export const ITEMS = hiddenKey(0);
export const TOTAL = hiddenKey(1);
export const NEXT = hiddenKey(2);
/** The key of the hash of a row. */
export const DIGEST = `${HIDDEN}digest`;

/** Plans what is selected of a reply, and finds the links in it. */
export interface RowPlanner {
  plan(reply: ReplyShape, nodes: readonly FieldNode[]): ReplyPlan;
  walkOf(reply: ReplyShape, nodes: readonly FieldNode[]): RowWalk | null;
}

/** Plans a paged field. */
export function planPages(
  { reply, paging }: { readonly reply: ReplyShape; readonly paging: Paging },
  nodes: readonly FieldNode[],
  context: PlanContext,
  planner: RowPlanner,
): PagePlan {
  const { items, total, next, types } = paging;
  const listed: ReplyShape = {
    ...reply,
    root: { kind: 'unwrap', field: items.field },
    nonNull: false,
  };
  const rows: Row[] = [];
  const row = (selected: readonly FieldNode[]): string => {
    const key = hiddenKey(rows.length);
    const slot = planner.plan(listed, selected).value.declared?.slots[0];
    if (slot === undefined) throw new Error('rows without a plan');
    rows.push({ key, slot, walk: planner.walkOf(listed, selected) });
    return key;
  };
  const fields = connectionFields(nodes, types, context, row);
  const isKeyed = items.field.value.kind === 'object';
  const { root, element, hasReferences = false } = reply;
  const slots = [
    {
      key: ITEMS,
      path: items,
      end: (key: string, field: FieldShape) => listSlot(key, field, rows, paging),
    },
    ...(total === null ? [] : [{ key: TOTAL, path: total, end: leafSlot }]),
    ...(next === null ? [] : [{ key: NEXT, path: next, end: leafSlot }]),
  ];
  const slotsOf = (object: ObjectShape): readonly FieldSlot[] =>
    slots.flatMap(({ key, path, end }) => {
      const [first = '', ...rest] = path.steps;
      const field = object.fields.get(first);
      return field === undefined ? [] : [slotAlong(key, field, rest, end)];
    });
  if (root.kind === 'done') throw new Error('pages of a reply without content');
  const value =
    root.kind === 'whole'
      ? new replyPlans.LazyObject(root.shape, (object: ObjectShape) => ({ slots: slotsOf(object) }))
      : replyPlans.objectOf(
          slots.map(({ key, path, end }) => slotAlong(key, root.field, path.steps, end)),
        );
  const plan: ReplyPlan = { element, shape: 'whole', value, nonNull: false };
  const faults = errorPlans(reply, context.rights);
  const above = root.kind === 'whole' ? 1 : 0;
  const depthOf = (path: ReplyPath | null): number =>
    path === null ? 0 : path.steps.length - above;
  return {
    paging,
    reply: {
      ...plan,
      ...(faults === null ? {} : { faults }),
      ...(hasReferences ? { hasReferences } : {}),
    },
    fields,
    isKeyed,
    depth: { items: depthOf(items), total: depthOf(total), next: depthOf(next) },
    walk: walkOf(fields, new Map(rows.map(({ key, walk }) => [key, walk]))),
  };
}

/** One selection of rows. */
interface Row {
  readonly key: string;
  readonly slot: FieldSlot;
  readonly walk: RowWalk | null;
}

/** The rows of a page, each with a value for every selection. */
function listSlot(
  key: string,
  field: FieldShape,
  rows: readonly Row[],
  { items, isComparable }: Paging,
): FieldSlot {
  const list = { key, ...SINGLE, ...fieldPosition(field), list: true };
  if (items.field.value.kind !== 'object') {
    return { ...list, value: rows[0]?.slot.value ?? unselected(items.field) };
  }
  const selected = rows.flatMap((row) =>
    row.slot.value.kind === 'object' ? [selfSlot(row.key, row.slot.value)] : [],
  );
  const digest: FieldSlot = {
    key: DIGEST,
    ...SINGLE,
    source: { from: 'self' },
    value: { kind: 'digest' },
  };
  return { ...list, value: replyPlans.objectOf(isComparable ? [...selected, digest] : selected) };
}

/** The value of rows of which nothing is selected. */
const unselected = ({ value }: FieldShape): replyPlans.ValuePlan =>
  value.kind === 'scalar' ? value : { kind: 'opaque' };

/** The selected fields of a connection. `row` plans a selection of its rows. */
function connectionFields(
  nodes: readonly FieldNode[],
  types: ConnectionTypes,
  context: PlanContext,
  row: (nodes: readonly FieldNode[]) => string,
): readonly ConnectionField[] {
  const collect = <T>(inner: readonly FieldNode[], type: string, of: FieldOf<T>): readonly T[] => {
    const sets = inner.flatMap(({ selectionSet }) => selectionSet ?? []);
    const collected = collectFields(sets, (condition) => condition === type, context);
    return [...collected].map(
      ([key, selected]): T => of(selected[0]?.name.value ?? '', key, selected),
    );
  };
  return collect(nodes, types.connection, (name, key, inner): ConnectionField => {
    if (name === 'nodes') return { kind: 'nodes', key, row: row(inner) };
    if (name === 'totalCount') return { kind: 'totalCount', key };
    if (name === 'edges') {
      const fields = collect(inner, types.edge, (each, edgeKey, selected): EdgeField => {
        if (each === 'node') return { kind: 'node', key: edgeKey, row: row(selected) };
        if (each === 'cursor') return { kind: 'cursor', key: edgeKey };
        return { kind: 'typename', key: edgeKey, name: types.edge };
      });
      return { kind: 'edges', key, fields };
    }
    if (name === 'pageInfo') {
      const fields = collect(inner, types.pageInfo, (each, infoKey): PageInfoField => {
        if (each === 'hasNextPage' || each === 'endCursor') return { kind: each, key: infoKey };
        return { kind: 'typename', key: infoKey, name: types.pageInfo };
      });
      return { kind: 'pageInfo', key, fields };
    }
    return { kind: 'typename', key, name: types.connection };
  });
}

type FieldOf<T> = (name: string, key: string, nodes: readonly FieldNode[]) => T;

/** The way to links through the fields that hold rows. */
function walkOf(
  fields: readonly ConnectionField[],
  walks: ReadonlyMap<string, RowWalk | null>,
): RowWalk | null {
  const walk = new Map<string, RowWalk>();
  for (const field of fields) {
    if (field.kind === 'nodes') {
      const below = walks.get(field.row) ?? null;
      if (below !== null) {
        walk.set(field.key, below);
      }
    } else if (field.kind === 'edges') {
      const inner = new Map<string, RowWalk>();
      for (const each of field.fields) {
        const below = each.kind === 'node' ? (walks.get(each.row) ?? null) : null;
        if (below !== null) {
          inner.set(each.key, below);
        }
      }
      if (inner.size > 0) {
        walk.set(field.key, inner);
      }
    }
  }
  return walk.size === 0 ? null : walk;
}
