import {
  type ArgumentNode,
  type ConstArgumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { Refusal } from '../../core/index.js';
import type { CountBytes } from '../count-bytes.js';
import type { Fragments, RawVariables } from '../schema/output/reply-plan.js';
import { EntryPart } from './document-cache-entry.js';
import type { LimitChecker } from './limit-checker.js';

/** The size of one value. */
interface Size {
  /** Objects and lists within each other, the value included. */
  levels: number;
  /** The value and all inside it. */
  values: number;
  /** Members of objects. */
  keys: number;
  /** The longest list. */
  items: number;
}

/**
 * The size of all arguments in an operation's document; each fragment counts wherever it is spread.
 */
interface ArgumentSizes {
  readonly size: Size;
  /** Maps each variable to the number of its uses, and to the deepest level that it is used at. */
  readonly uses: Map<string, { times: number; levels: number }>;
}

/** The part of a document cache entry. */
export const ARGUMENT_SIZES = new EntryPart<ArgumentSizes>();

const MOST = 1e9;

const nothing = (): Size => ({ levels: 0, values: 0, keys: 0, items: 0 });

/**
 * Adds up the arguments of an operation of a document whose fragments form no cycle. Each fragment
 * is walked once, for all its spreads.
 */
export function measureArguments(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  countBytes: CountBytes,
): ArgumentSizes {
  const sizes: ArgumentSizes = { size: nothing(), uses: new Map() };
  const times = new Map<string, number>();
  addSet(operation.selectionSet, 1, sizes, times);
  for (const name of inOrder(operation, fragments)) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) {
      addSet(fragment.selectionSet, times.get(name) ?? 0, sizes, times);
    }
  }
  countBytes(300 + 100 * sizes.uses.size);
  return sizes;
}

/**
 * Adds the arguments of a selection set, `count` times, and counts the spreads of each fragment.
 */
function addSet(
  root: SelectionSetNode,
  count: number,
  sizes: ArgumentSizes,
  times: Map<string, number>,
): void {
  const stack = [root];
  for (let set = stack.pop(); set !== undefined; set = stack.pop()) {
    for (const selection of set.selections) {
      for (const { arguments: of = [] } of selection.directives ?? []) {
        addArguments(of, count, sizes);
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        times.set(name, Math.min(MOST, (times.get(name) ?? 0) + count));
        continue;
      }
      if (selection.kind === Kind.FIELD) {
        addArguments(selection.arguments ?? [], count, sizes);
      }
      if (selection.selectionSet !== undefined) {
        stack.push(selection.selectionSet);
      }
    }
  }
}

/** The fragments that an operation uses, each before those that it spreads itself. */
function inOrder(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] {
  const done: string[] = [];
  const seen = new Set<string>();
  const stack = spreadsOf(operation.selectionSet).map((name) => ({ name, isLeft: false }));
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { name, isLeft } = step;
    if (isLeft) {
      done.push(name);
      continue;
    }
    const fragment = fragments.get(name);
    if (fragment === undefined || seen.has(name)) continue;
    seen.add(name);
    stack.push({ name, isLeft: true });
    for (const inner of spreadsOf(fragment.selectionSet)) {
      stack.push({ name: inner, isLeft: false });
    }
  }
  return done.reverse();
}

function spreadsOf(root: SelectionSetNode): readonly string[] {
  const names = new Set<string>();
  const stack = [root];
  for (let set = stack.pop(); set !== undefined; set = stack.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        names.add(selection.name.value);
      } else if (selection.selectionSet !== undefined) {
        stack.push(selection.selectionSet);
      }
    }
  }
  return [...names];
}

function addArguments(
  added: readonly (ArgumentNode | ConstArgumentNode)[],
  count: number,
  to: ArgumentSizes,
): void {
  for (const argument of added) {
    const { size, uses } = sizeOfLiteral(argument.value);
    to.size.levels = Math.max(to.size.levels, size.levels);
    to.size.items = Math.max(to.size.items, size.items);
    to.size.values = Math.min(MOST, to.size.values + count * size.values);
    to.size.keys = Math.min(MOST, to.size.keys + count * (1 + size.keys));
    for (const { name, levels } of uses) {
      const known = to.uses.get(name) ?? { times: 0, levels: 0 };
      known.times = Math.min(MOST, known.times + count);
      known.levels = Math.max(known.levels, levels);
      to.uses.set(name, known);
    }
  }
}

interface Literal {
  readonly size: Size;
  /** The variables in it, which are no part of the size. */
  readonly uses: readonly { readonly name: string; readonly levels: number }[];
}

function sizeOfLiteral(root: ValueNode): Literal {
  const size = nothing();
  const uses: { name: string; levels: number }[] = [];
  const stack = [{ value: root, levels: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { value, levels } = step;
    if (value.kind === Kind.VARIABLE) {
      uses.push({ name: value.name.value, levels });
      continue;
    }
    size.values++;
    const inner =
      value.kind === Kind.LIST ? value.values : value.kind === Kind.OBJECT ? value.fields : null;
    if (inner === null) continue;
    size.levels = Math.max(size.levels, levels + 1);
    if (value.kind === Kind.LIST) {
      size.items = Math.max(size.items, inner.length);
    } else {
      size.keys += inner.length;
    }
    for (const each of inner) {
      stack.push({
        value: each.kind === Kind.OBJECT_FIELD ? each.value : each,
        levels: levels + 1,
      });
    }
  }
  return { size, uses };
}

/** The raw variables of a request with their sizes. */
export interface MeasuredVariables {
  readonly values: RawVariables;
  readonly sizes: ReadonlyMap<string, Size>;
}

/**
 * Measures the raw variables of a request and checks them against the limits, used or not: every
 * later walk is bounded by them. Throws `BAD_REQUEST` for a member called `__proto__`.
 */
export function measureVariables(values: RawVariables, checker: LimitChecker): MeasuredVariables {
  const sizes = new Map<string, Size>();
  const all = nothing();
  const names = Object.keys(values);
  checkNames(names);
  all.keys += names.length;
  for (const name of names) {
    const size = sizeOfValue(values[name], {
      values: checker.ceiling('variableValues') - all.values,
      keys: checker.ceiling('variableKeys') - all.keys,
    });
    sizes.set(name, size);
    all.levels = Math.max(all.levels, size.levels);
    all.items = Math.max(all.items, size.items);
    all.values += size.values;
    all.keys += size.keys;
  }
  checkSize(all, checker);
  return { values, sizes };
}

/** Stops counting above `most`. */
function sizeOfValue(root: unknown, most: Pick<Size, 'values' | 'keys'>): Size {
  const size = nothing();
  const stack = [{ value: root, levels: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { value, levels } = step;
    size.values++;
    if (size.values > most.values || size.keys > most.keys) break;
    if (typeof value !== 'object' || value === null) continue;
    size.levels = Math.max(size.levels, levels + 1);
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (Array.isArray(value)) {
      size.items = Math.max(size.items, inner.length);
    } else {
      size.keys += inner.length;
      checkNames(Object.keys(value));
    }
    if (size.values + stack.length + inner.length > most.values) {
      size.values += stack.length + inner.length;
      break;
    }
    for (const each of inner) {
      stack.push({ value: each, levels: levels + 1 });
    }
  }
  return size;
}

function checkNames(names: readonly string[]): void {
  if (names.includes('__proto__')) {
    throw new Refusal('BAD_REQUEST', 'No member of the variables may be called __proto__.');
  }
}

/**
 * Checks the arguments of an operation against the limits. The same values have the same size in
 * the document and in variables, and however the fields are spread over fragments.
 */
export function checkArguments(
  { size: ownSize, uses }: ArgumentSizes,
  operation: OperationDefinitionNode,
  { values, sizes }: MeasuredVariables,
  checker: LimitChecker,
): void {
  const all = { ...ownSize };
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const use = uses.get(name);
    if (use === undefined) continue;
    const size = Object.hasOwn(values, name)
      ? sizes.get(name)
      : defaultValue && sizeOfLiteral(defaultValue).size;
    if (size === undefined) continue;
    if (size.levels > 0) {
      all.levels = Math.max(all.levels, use.levels + size.levels);
    }
    all.items = Math.max(all.items, size.items);
    all.values = Math.min(MOST, all.values + use.times * size.values);
    all.keys = Math.min(MOST, all.keys + use.times * size.keys);
  }
  checkSize(all, checker);
}

function checkSize({ levels, values, keys, items }: Size, checker: LimitChecker): void {
  // The arguments, or the variables, are an object themselves.
  checker.check('variableDepth', levels + 1);
  checker.check('variableValues', values);
  checker.check('variableKeys', keys);
  checker.check('listItems', items);
}
