import {
  type FieldNode,
  type GraphQLNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, isIncluded, type Variables } from '../output/reply-plan.js';
import { argumentPoints, sliceOf, variablesIn } from './cost-slicing.js';
import type { CostTable, FieldPrice } from './cost-table.js';

/** The estimated cost of an operation. */
export interface Estimate {
  /** Whole points. */
  readonly points: number;
  /** Calls to backends that may be made. */
  readonly calls: number;
  /** The variables whose values count, besides those of @skip and @include. */
  readonly variables: ReadonlySet<string>;
}

/** Reports the points of a field without those beneath it, at a path of response keys. */
export type ReportPoints = (path: string, points: number) => void;

/**
 * The most that an operation costs before it runs, for lists of the assumed sizes: each object
 * its weight, a list as many times its item as it is taken to have, or as its slicing arguments ask for, each call its
 * own weight. A field of the root is a call, a link one for each object, or for as many as a list operation takes.
 * Selections that @skip and @include leave out are not counted. Selections are counted as written, so merging them can
 * only make it cheaper. Sums saturate.
 *
 * The document is valid and was held to the limits on its shape, which bound this walk; a fragment is walked once for
 * each type and number of objects it is spread on. Throws `BAD_USER_INPUT` for slicing arguments that cannot be.
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
  if (root) walk.selections(operation.selectionSet, { parent: root, times: 1, sized: NOTHING_SIZED, path: '' });
  const { calls } = table.limits;
  const { sum, dearest } = walk;
  // More calls than this are not made.
  const callPoints = Math.min(sum.callPoints, calls * dearest);
  const points = Math.ceil(Math.min(MOST, sum.points + callPoints));
  return { points, calls: Math.min(sum.calls, calls), variables: walk.variables };
}

const MOST = 1e12;
const plus = (one: number, other: number): number => Math.min(MOST, one + other);
const times = (one: number, other: number): number => Math.min(MOST, one * other);

/** Where selections stand. */
interface Scope {
  readonly parent: GraphQLNamedType | undefined;
  /** How many objects they are for. */
  readonly times: number;
  readonly sized: readonly Sized[];
  /** Response keys with dots between them. */
  readonly path: string;
}

/** A list further below whose size a field above determines. */
interface Sized {
  readonly path: readonly string[];
  readonly size: number;
}

interface Sum {
  points: number;
  calls: number;
  callPoints: number;
}

class CostWalk {
  sum: Sum = { points: 0, calls: 0, callPoints: 0 };
  /** The weight of the dearest call. */
  dearest = 0;
  readonly variables = new Set<string>();
  readonly #table: CostTable;
  readonly #fragments: Fragments;
  readonly #values: Variables;
  readonly #note: ReportPoints | null;
  readonly #known = new Map<string, Sum>();

  constructor(table: CostTable, fragments: Fragments, variables: Variables, note: ReportPoints | null) {
    this.#table = table;
    this.#fragments = fragments;
    this.#values = variables;
    this.#note = note;
  }

  selections({ selections }: SelectionSetNode, scope: Scope): void {
    for (const selection of selections) {
      if (!isIncluded(selection, this.#values)) continue;
      if (selection.kind === Kind.FIELD) this.#field(selection, scope);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#spread(selection.name.value, scope);
      else this.#inner(selection.typeCondition?.name.value, selection.selectionSet, scope);
    }
  }

  #inner(condition: string | undefined, set: SelectionSetNode, scope: Scope): void {
    const parent = condition === undefined ? scope.parent : this.#table.schema.getType(condition);
    this.selections(set, { ...scope, parent });
  }

  #spread(name: string, scope: Scope): void {
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return;
    const condition = fragment.typeCondition.name.value;
    if (this.#note !== null || scope.sized.length > 0) {
      this.#inner(condition, fragment.selectionSet, scope);
      return;
    }
    // Its cost does not depend on the type around it: its own condition takes that place.
    const key = `${name} ${scope.times}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#add(known);
      return;
    }
    // By itself, so that what it costs is known even where the sum has reached its bound.
    const around = this.sum;
    this.sum = { points: 0, calls: 0, callPoints: 0 };
    this.#inner(condition, fragment.selectionSet, scope);
    const cost = this.sum;
    this.sum = around;
    this.#known.set(key, cost);
    this.#add(cost);
  }

  #add({ points, calls, callPoints }: Sum): void {
    this.sum.points = plus(this.sum.points, points);
    this.sum.calls = plus(this.sum.calls, calls);
    this.sum.callPoints = plus(this.sum.callPoints, callPoints);
  }

  #field(node: FieldNode, scope: Scope): void {
    const price = this.#table.field(scope.parent, node.name.value);
    if (price === null) return;
    const below = sizedBelow(scope.sized, node.name.value);
    const slice = this.#slice(price, node);
    const objects = times(scope.times, this.#sizeOf(price, below, slice));
    const cost = this.#own(price, node, scope.times);
    cost.points = plus(cost.points, times(objects, price.objectWeight));
    this.#add(cost);
    const key = node.alias?.value ?? node.name.value;
    const path = this.#note === null ? '' : scope.path === '' ? key : `${scope.path}.${key}`;
    this.#note?.(path, plus(cost.points, cost.callPoints));
    if (node.selectionSet === undefined) return;
    const size = slice ?? price.listSize?.assumedSize ?? this.#table.limits.assumedListSize;
    const own = (price.listSize?.sizedFields ?? []).map((field) => ({ path: field.split('.'), size }));
    const sized = [...below.filter((each) => each.path.length > 0), ...own];
    this.selections(node.selectionSet, { parent: price.named, times: objects, sized, path });
  }

  /** The cost of the field itself for so many objects: calls, or its weight. */
  #own(price: FieldPrice, node: FieldNode, objects: number): Sum {
    // Also without a value: another request may have one.
    if (price.arguments.length > 0) this.#depends(node);
    const weight = plus(price.weight, argumentPoints(price.arguments, price.definition, node, this.#values));
    if (price.call === null) return { points: times(objects, weight), calls: 0, callPoints: 0 };
    const calls = price.call === 'single' ? objects : Math.ceil(objects / this.#table.limits.batchItems);
    this.dearest = Math.max(this.dearest, weight);
    return { points: 0, calls, callPoints: plus(times(calls, weight), times(objects, price.keyWeight)) };
  }

  #slice({ listSize, definition }: FieldPrice, node: FieldNode): number | null {
    if (listSize === null || listSize.slicingArguments.length === 0) return null;
    this.#depends(node);
    return sliceOf(listSize, definition, node, this.#values, this.#table.limits);
  }

  #depends(node: FieldNode): void {
    for (const name of variablesIn(node)) this.variables.add(name);
  }

  /** Objects for each time the field is answered. */
  #sizeOf({ listDepth, listSize }: FieldPrice, below: readonly Sized[], slice: number | null): number {
    if (listDepth === 0) return 1;
    const { assumedListSize } = this.#table.limits;
    const sizes = below.filter(({ path }) => path.length === 0).map(({ size }) => size);
    const isItself = listSize !== null && listSize.sizedFields.length === 0;
    const own = isItself ? (slice ?? listSize.assumedSize) : null;
    let size = sizes.length > 0 ? Math.max(...sizes) : (own ?? assumedListSize);
    for (let depth = 1; depth < listDepth; depth++) size = times(size, assumedListSize);
    return size;
  }
}

const NOTHING_SIZED: readonly Sized[] = [];

/** The sizes of lists at a field and below it. */
function sizedBelow(sized: readonly Sized[], name: string): readonly Sized[] {
  if (sized.length === 0) return NOTHING_SIZED;
  return sized.flatMap(({ path, size }) => (path[0] === name ? [{ path: path.slice(1), size }] : []));
}
