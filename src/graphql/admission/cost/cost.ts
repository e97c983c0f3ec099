import {
  type FieldNode,
  type GraphQLNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, isIncluded, type Variables } from '../../schema/output/reply-plan.js';
import { argumentPoints, rowsOf, sliceOf, variablesIn } from './cost-slicing.js';
import { type CostTable, type EntityPrice, type FieldPrice, MOST } from './cost-table.js';
import { type ListLength, lengthOf, ownLength, type Sized, sizedBelow } from './list-length.js';
import { representationsOf } from './representations.js';

/** The estimated cost of an operation. */
export interface Estimate {
  /** Whole points. */
  readonly points: number;
  /** Calls to backends that may be made. */
  readonly calls: number;
  /** The variables whose values count, besides those of @skip and @include. */
  readonly variables: ReadonlySet<string>;
  /** The field that costs most without those beneath it; null where nothing costs. */
  readonly dearest: DearestField | null;
}

/** The field of an operation that costs most. */
export interface DearestField {
  readonly node: FieldNode;
  /** The name of the type that it is a field of. */
  readonly parent: string;
  readonly points: number;
  /** Calls that it makes, or that the replies with it come from. */
  readonly calls: number;
}

/** Reports the points of a field without those beneath it, at a path of response keys. */
type ReportPoints = (path: string, points: number) => void;

/**
 * Estimates the most that an operation costs: its calls, and the objects that their replies can
 * bring.
 *
 * A field of the root is a call. A link is one for each object above it, or for as many as a list
 * operation takes. In a reply, lists of known size (slicing arguments, `listSize`) multiply. Lists
 * of unknown size are taken to have `assumedListSize` items, but bring no more than
 * `assumedReplySize` objects in all, however they are nested, or `assumedListSize` for each object
 * of known number. An alias repeats a part of a reply, up to the same bound again. Weights of
 * fields and types count for each object.
 *
 * Selections that @skip and @include leave out are not counted. Others are counted as written, so
 * merging them can only make it cheaper. Sums saturate. The document is valid and within the limits
 * on its shape, which bound this walk; a fragment is walked once for each type and number of
 * objects it is spread on. Throws `BAD_USER_INPUT` for slicing arguments that are out of range.
 */
export function costOf(
  table: CostTable,
  operation: OperationDefinitionNode,
  fragments: Fragments,
  variables: Variables,
  note: ReportPoints | null = null,
): Estimate {
  const root = table.schema.getRootType(operation.operation);
  const walk = new CostWalk(table, fragments, variables, note);
  if (root) {
    walk.root(operation.selectionSet, root);
  }
  const { calls } = table.limits;
  const { sum, dearestCall } = walk;
  // More calls than this are not made.
  const callPoints = Math.min(sum.callPoints, calls * dearestCall);
  const points = Math.ceil(Math.min(MOST, sum.points + callPoints));
  return {
    points,
    calls: Math.min(sum.calls, times(calls, walk.mostPages)),
    variables: walk.variables,
    dearest: walk.dearest,
  };
}

class CostWalk {
  sum = emptySum();
  /** The weight of the dearest call, of a paged field with all its pages. */
  dearestCall = 0;
  /** The most pages of a field. */
  mostPages = 1;
  dearest: DearestField | null = null;
  readonly variables = new Set<string>();
  readonly #table: CostTable;
  readonly #fragments: Fragments;
  readonly #values: Variables;
  readonly #note: ReportPoints | null;
  readonly #known = new Map<string, { readonly sum: Sum; readonly reply: Reply }>();

  constructor(
    table: CostTable,
    fragments: Fragments,
    variables: Variables,
    note: ReportPoints | null,
  ) {
    this.#table = table;
    this.#fragments = fragments;
    this.#values = variables;
    this.#note = note;
  }

  root(set: SelectionSetNode, parent: GraphQLNamedType): void {
    const bound = this.#table.limits.assumedReplySize;
    const reply = emptyReply(bound);
    const counts = { calls: 0, objects: 1, isAssumed: false, bound, isBoundConfigured: false };
    this.#selections(set, { parent, counts, reply, sized: NOTHING_SIZED, path: '' });
    this.#addReply(reply);
  }

  #addReply(reply: Reply): void {
    const assumed = Math.min(reply.assumed, reply.bound);
    this.sum.points = plus(this.sum.points, plus(reply.known, assumed));
    for (const [path, points] of reply.parts) {
      this.#note?.(path, Math.ceil((points / reply.assumed) * assumed));
    }
  }

  #selections({ selections }: SelectionSetNode, scope: Scope): void {
    for (const selection of selections) {
      if (!isIncluded(selection, this.#values)) continue;
      if (selection.kind === Kind.FIELD) {
        this.#field(selection, scope);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        this.#spread(selection.name.value, scope);
      } else {
        this.#inner(selection.typeCondition?.name.value, selection.selectionSet, scope);
      }
    }
  }

  #inner(condition: string | undefined, set: SelectionSetNode, scope: Scope): void {
    const { counts, reply, sized, path } = scope;
    const parent = condition === undefined ? scope.parent : this.#table.schema.getType(condition);
    if (isOtherObject(parent, scope.parent)) return;
    this.#selections(set, { parent, counts, reply, sized, path });
  }

  #spread(name: string, scope: Scope): void {
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return;
    const condition = fragment.typeCondition.name.value;
    if (isOtherObject(this.#table.schema.getType(condition), scope.parent)) return;
    if (this.#note !== null || scope.sized.length > 0) {
      this.#inner(condition, fragment.selectionSet, scope);
      return;
    }
    // The cost of a fragment does not depend on the type around it: its own condition takes that
    // place.
    const { objects, isAssumed, bound, isBoundConfigured } = scope.counts;
    const key = `${name} ${objects} ${isAssumed} ${bound} ${isBoundConfigured}`;
    let cost = this.#known.get(key);
    if (cost === undefined) {
      // The fragment is summed by itself, so that its cost is known even where the sum has reached
      // its bound.
      const around = this.sum;
      this.sum = emptySum();
      const reply = emptyReply(bound);
      const { parent, counts, sized, path } = scope;
      this.#inner(condition, fragment.selectionSet, { parent, counts, reply, sized, path });
      cost = { sum: this.sum, reply };
      this.sum = around;
      this.#known.set(key, cost);
    }
    const { sum, reply } = cost;
    this.sum.points = plus(this.sum.points, sum.points);
    this.#addCalls(sum.calls, sum.callPoints);
    scope.reply.known = plus(scope.reply.known, reply.known);
    scope.reply.assumed = plus(scope.reply.assumed, reply.assumed);
    scope.reply.bound = Math.max(scope.reply.bound, reply.bound);
  }

  #addCalls(calls: number, points: number): void {
    this.sum.calls = plus(this.sum.calls, calls);
    this.sum.callPoints = plus(this.sum.callPoints, points);
  }

  #field(node: FieldNode, scope: Scope): void {
    const price = this.#table.field(scope.parent, node.name.value);
    if (price === null) return;
    const key = node.alias?.value ?? node.name.value;
    const path = this.#note === null ? '' : scope.path === '' ? key : `${scope.path}.${key}`;
    if (this.#table.isEntities(scope.parent, node.name.value)) {
      this.#entities(price, node, scope, path);
      return;
    }
    if (price.call !== null) {
      this.#call(price, node, scope, path);
      return;
    }
    const points = times(scope.counts.objects, this.#weight(price, node));
    scope.reply.known = plus(scope.reply.known, points);
    this.#note?.(path, points);
    const field = { node, price, path, points };
    if (node.selectionSet === undefined) {
      this.#slice(price, node);
      this.#compare(node, scope, scope.counts.calls, points);
    } else if (key === node.name.value) {
      this.#objects(field, scope, scope.counts, scope.reply);
    } else {
      // An alias repeats a part of the reply.
      const reply = emptyReply(scope.counts.bound);
      this.#objects(field, scope, scope.counts, reply);
      this.#addReply(reply);
    }
  }

  /** Adds the calls of a field, and walks their replies. */
  #call(price: FieldPrice, node: FieldNode, scope: Scope, path: string): void {
    const { objects } = scope.counts;
    const weight = this.#weight(price, node);
    const fields =
      price.call === 'batched' ? Math.ceil(objects / this.#table.limits.batchItems) : objects;
    const pages = this.#pages(price, node);
    const calls = times(fields, pages);
    const points = plus(times(calls, weight), times(objects, price.keyWeight));
    // The pages of a field are one of the calls of a request.
    this.dearestCall = Math.max(this.dearestCall, times(weight, pages));
    this.mostPages = Math.max(this.mostPages, pages);
    this.#addCalls(calls, points);
    this.#note?.(path, points);
    const bound = times(calls, price.replySize.objects);
    const reply = emptyReply(bound);
    const isBoundConfigured = price.replySize.isConfigured;
    const counts = { calls, objects, isAssumed: false, bound, isBoundConfigured };
    this.#objects({ node, price, path, points }, scope, counts, reply);
    this.#addReply(reply);
  }

  /** Adds the calls for representations, each key by itself, and walks what is selected of them. */
  #entities(price: FieldPrice, node: FieldNode, scope: Scope, path: string): void {
    this.#depends(node);
    const asked = representationsOf(price.definition, node, this.#values, this.#table.limits);
    for (const [entity, objects] of this.#table.countByPrice(asked)) {
      if (entity === null) {
        // They are refused where they are, for the point of their key.
        scope.reply.known = plus(scope.reply.known, objects);
      } else {
        this.#entity(entity, objects, { node, scope, path });
      }
    }
  }

  #entity(entity: EntityPrice, objects: number, { node, scope, path }: EntitiesPlace): void {
    const { weight, keyWeight, replySize, objectWeight, type } = entity;
    const isSingle = entity.call === 'single';
    const calls = isSingle ? objects : Math.ceil(objects / this.#table.limits.batchItems);
    const callPoints = times(calls, weight);
    const points = times(objects, plus(keyWeight, objectWeight));
    this.dearestCall = Math.max(this.dearestCall, weight);
    this.#addCalls(calls, callPoints);
    this.#note?.(path, plus(callPoints, points));
    this.#compare(node, scope, calls, plus(callPoints, points));
    const bound = times(calls, replySize.objects);
    const reply = { ...emptyReply(bound), known: points };
    const isBoundConfigured = replySize.isConfigured;
    const counts = { calls, objects, isAssumed: false, bound, isBoundConfigured };
    if (node.selectionSet !== undefined) {
      const inside = { parent: type, counts, reply, sized: NOTHING_SIZED, path };
      this.#selections(node.selectionSet, inside);
    }
    this.#addReply(reply);
  }

  /** The pages that a field needs; 1 for one that has none. */
  #pages(price: FieldPrice, node: FieldNode): number {
    if (price.pageSize === null) return 1;
    return Math.max(1, Math.ceil((this.#slice(price, node) ?? 1) / price.pageSize));
  }

  #weight(price: FieldPrice, node: FieldNode): number {
    if (price.arguments.length === 0) return price.weight;
    // Also without a value: another request may have one.
    this.#depends(node);
    return plus(
      price.weight,
      argumentPoints(price.arguments, price.definition, node, this.#values),
    );
  }

  /** Adds the objects of a field, for so many above it, and walks its selections. */
  #objects(
    { node, price, path, points: own }: Field,
    scope: Scope,
    above: Counts,
    reply: Reply,
  ): void {
    const { assumedListSize } = this.#table.limits;
    const { calls, isBoundConfigured } = above;
    const below = sizedBelow(scope.sized, node.name.value);
    const slice = this.#slice(price, node);
    const size = lengthOf(price, below, slice, assumedListSize);
    const isAssumed = above.isAssumed || !isKnown(size, isBoundConfigured);
    let { bound } = above;
    let objects = times(above.objects, size.items);
    if (isAssumed) {
      objects = Math.min(objects, bound);
    } else if (!isBoundConfigured) {
      bound = Math.max(bound, times(objects, assumedListSize));
    }
    reply.bound = Math.max(reply.bound, bound);
    const points = times(objects, price.objectWeight);
    const assumed = isAssumed ? times(objects, Math.min(1, price.objectWeight)) : 0;
    reply.assumed = plus(reply.assumed, assumed);
    reply.known = plus(reply.known, points - assumed);
    this.#compare(node, scope, calls, plus(own, points));
    if (this.#note !== null) {
      this.#note(path, points - assumed);
      if (assumed > 0) {
        reply.parts.push([path, assumed]);
      }
    }
    if (node.selectionSet === undefined) return;
    const counts = { calls, objects, isAssumed, bound, isBoundConfigured };
    const sized =
      below.length === 0 && price.listSize === null
        ? NOTHING_SIZED
        : this.#sized(price, below, slice);
    this.#selections(node.selectionSet, { parent: price.named, counts, reply, sized, path });
  }

  /** The lists further below whose length this field or one above it sets. */
  #sized(price: FieldPrice, below: readonly Sized[], slice: number | null): readonly Sized[] {
    const size = ownLength(price, slice, this.#table.limits.assumedListSize);
    const own = (price.listSize?.sizedFields ?? []).map((field) => ({
      path: field.split('.'),
      size,
    }));
    return [...below.filter(({ path }) => path.length > 0), ...own];
  }

  #compare(node: FieldNode, { parent }: Scope, calls: number, points: number): void {
    if (points <= (this.dearest?.points ?? 0)) return;
    this.dearest = { node, parent: parent?.name ?? '', points, calls };
  }

  #slice({ listSize, definition, pageSize }: FieldPrice, node: FieldNode): number | null {
    if (listSize === null || listSize.slicingArguments.length === 0) return null;
    this.#depends(node);
    if (pageSize !== null) {
      return rowsOf(definition, node, this.#values, pageSize, this.#table.limits.pages);
    }
    return sliceOf(listSize, definition, node, this.#values, this.#table.limits);
  }

  #depends(node: FieldNode): void {
    for (const name of variablesIn(node)) {
      this.variables.add(name);
    }
  }
}

/** The place of `_entities`. */
interface EntitiesPlace {
  readonly node: FieldNode;
  readonly scope: Scope;
  readonly path: string;
}

/** A selected field. */
interface Field {
  readonly node: FieldNode;
  readonly price: FieldPrice;
  readonly path: string;
  /** The points of its calls, or of its weight for all objects above it. */
  readonly points: number;
}

/**
 * Whether a fragment is on another type than the object it is in, as in the selections of
 * `_entities`, which are walked for each type.
 */
const isOtherObject = (condition: unknown, parent: unknown): boolean =>
  isObjectType(parent) && isObjectType(condition) && condition !== parent;

/** Whether the operation or the configuration sets the length of a list. */
const isKnown = ({ from }: ListLength, isBoundConfigured: boolean): boolean =>
  from === 'arguments' || (from === 'listSize' && !isBoundConfigured);

const plus = (one: number, other: number): number => Math.min(MOST, one + other);
const times = (one: number, other: number): number => Math.min(MOST, one * other);

/** Describes the position of selections: the type, the objects above, and the reply they are in. */
interface Scope {
  readonly parent: GraphQLNamedType | undefined;
  readonly counts: Counts;
  readonly reply: Reply;
  readonly sized: readonly Sized[];
  /** Response keys with dots between them. */
  readonly path: string;
}

/** How many objects selections are for, in all replies of a call together. */
interface Counts {
  readonly calls: number;
  readonly objects: number;
  /** Whether a list of unknown size is above them in the reply. */
  readonly isAssumed: boolean;
  /** The most objects in lists of unknown size. */
  readonly bound: number;
  /**
   * True if `replySize` of the operation sets the bound: it bounds lists with an `assumedSize` too.
   */
  readonly isBoundConfigured: boolean;
}

/** The objects of the replies of a call, in points. */
interface Reply {
  /** Outside lists of unknown size, and weights beyond a point for each object. */
  known: number;
  /** A point for each object of these lists; at most `bound` counts. */
  assumed: number;
  bound: number;
  /** Parts of `assumed` by path, where fields are reported. */
  readonly parts: [path: string, points: number][];
}

const emptyReply = (bound: number): Reply => ({ known: 0, assumed: 0, bound, parts: [] });

interface Sum {
  /** The points that replies cost. */
  points: number;
  calls: number;
  callPoints: number;
}

const emptySum = (): Sum => ({ points: 0, calls: 0, callPoints: 0 });

const NOTHING_SIZED: readonly Sized[] = [];
