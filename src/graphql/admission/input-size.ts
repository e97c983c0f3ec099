import {
  type ArgumentNode,
  type ConstArgumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { Refusal } from '../../base/refusal.js';
import { UNWEIGHED } from '../count-bytes.js';
import type { Fragments, Variables } from '../output/reply-plan.js';
import type { Maker } from './document-cache-entry.js';
import type { LimitChecker } from './limit-checker.js';

/** How much one value is. */
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

/** What an operation is given in its document, and what it takes from variables; fragments count wherever they are. */
export class Given {
  readonly size: Size = { levels: 0, values: 0, keys: 0, items: 0 };
  /** By variable: how often, and below how many levels at most. */
  readonly uses = new Map<string, { times: number; levels: number }>();
}

/** For `Workings`. */
export const GIVEN: Maker<Given> = { holds: (value): value is Given => value instanceof Given };

const MOST = 1e9;

/**
 * Adds up the arguments of an operation of a document whose fragments form no cycle. Each fragment is walked once, for
 * all the places where it stands.
 */
export function readGiven(operation: OperationDefinitionNode, fragments: Fragments, weigh = UNWEIGHED): Given {
  const given = new Given();
  const times = new Map<string, number>();
  readSet(operation.selectionSet, 1, given, times);
  for (const name of inOrder(operation, fragments)) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) readSet(fragment.selectionSet, times.get(name) ?? 0, given, times);
  }
  weigh(300 + 100 * given.uses.size);
  return given;
}

/** Adds what a selection set holds, so many times, and how often it brings each fragment. */
function readSet(root: SelectionSetNode, count: number, given: Given, times: Map<string, number>): void {
  const stack = [root];
  for (let set = stack.pop(); set !== undefined; set = stack.pop()) {
    for (const selection of set.selections) {
      for (const { arguments: of = [] } of selection.directives ?? []) addArguments(of, count, given);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        times.set(name, Math.min(MOST, (times.get(name) ?? 0) + count));
        continue;
      }
      if (selection.kind === Kind.FIELD) addArguments(selection.arguments ?? [], count, given);
      if (selection.selectionSet !== undefined) stack.push(selection.selectionSet);
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
    for (const inner of spreadsOf(fragment.selectionSet)) stack.push({ name: inner, isLeft: false });
  }
  return done.reverse();
}

function spreadsOf(root: SelectionSetNode): readonly string[] {
  const names = new Set<string>();
  const stack = [root];
  for (let set = stack.pop(); set !== undefined; set = stack.pop()) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) names.add(selection.name.value);
      else if (selection.selectionSet !== undefined) stack.push(selection.selectionSet);
    }
  }
  return [...names];
}

function addArguments(given: readonly (ArgumentNode | ConstArgumentNode)[], count: number, to: Given): void {
  for (const argument of given) {
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
  /** Where variables stand in it; they are no part of the size. */
  readonly uses: readonly { readonly name: string; readonly levels: number }[];
}

function sizeOfLiteral(root: ValueNode): Literal {
  const size = { levels: 0, values: 0, keys: 0, items: 0 };
  const uses: { name: string; levels: number }[] = [];
  const stack = [{ value: root, levels: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { value, levels } = step;
    if (value.kind === Kind.VARIABLE) {
      uses.push({ name: value.name.value, levels });
      continue;
    }
    size.values++;
    const inner = value.kind === Kind.LIST ? value.values : value.kind === Kind.OBJECT ? value.fields : null;
    if (inner === null) continue;
    size.levels = Math.max(size.levels, levels + 1);
    if (value.kind === Kind.LIST) size.items = Math.max(size.items, inner.length);
    else size.keys += inner.length;
    for (const each of inner) {
      stack.push({ value: each.kind === Kind.OBJECT_FIELD ? each.value : each, levels: levels + 1 });
    }
  }
  return { size, uses };
}

/** The variables of a request as they came, measured. */
export interface GivenVariables {
  readonly values: Variables;
  readonly sizes: ReadonlyMap<string, Size>;
}

/**
 * Measures the variables of a request and holds them to the limits, used or not: they bound what anything will walk
 * through. Throws `BAD_REQUEST` for the one name of a member that means something to JavaScript.
 */
export function measureVariables(values: Variables, checker: LimitChecker): GivenVariables {
  const sizes = new Map<string, Size>();
  const all: Size = { levels: 0, values: 0, keys: 0, items: 0 };
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
  hold(all, checker);
  return { values, sizes };
}

/** Stops counting beyond `most`: there is nothing more to know then. */
function sizeOfValue(root: unknown, most: Pick<Size, 'values' | 'keys'>): Size {
  const size = { levels: 0, values: 0, keys: 0, items: 0 };
  const stack = [{ value: root, levels: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { value, levels } = step;
    size.values++;
    if (size.values > most.values || size.keys > most.keys) break;
    if (typeof value !== 'object' || value === null) continue;
    size.levels = Math.max(size.levels, levels + 1);
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (Array.isArray(value)) size.items = Math.max(size.items, inner.length);
    else {
      size.keys += inner.length;
      checkNames(Object.keys(value));
    }
    if (size.values + stack.length + inner.length > most.values) {
      size.values += stack.length + inner.length;
      break;
    }
    for (const each of inner) stack.push({ value: each, levels: levels + 1 });
  }
  return size;
}

function checkNames(names: readonly string[]): void {
  if (names.includes('__proto__'))
    throw new Refusal('BAD_REQUEST', 'No member of the variables may be called __proto__.');
}

/**
 * Holds what an operation is given to the limits: the same for the same values, wherever they are written and however
 * its fields are spread over fragments.
 */
export function checkGiven(
  given: Given,
  operation: OperationDefinitionNode,
  { values, sizes }: GivenVariables,
  checker: LimitChecker,
): void {
  const all = { ...given.size };
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const use = given.uses.get(name);
    if (use === undefined) continue;
    const isGiven = Object.hasOwn(values, name);
    const size = isGiven ? sizes.get(name) : defaultValue && sizeOfLiteral(defaultValue).size;
    if (size === undefined) continue;
    if (size.levels > 0) all.levels = Math.max(all.levels, use.levels + size.levels);
    all.items = Math.max(all.items, size.items);
    all.values = Math.min(MOST, all.values + use.times * size.values);
    all.keys = Math.min(MOST, all.keys + use.times * size.keys);
  }
  hold(all, checker);
}

function hold({ levels, values, keys, items }: Size, checker: LimitChecker): void {
  // The arguments, or the variables, are an object themselves.
  checker.check('variableDepth', levels + 1);
  checker.check('variableValues', values);
  checker.check('variableKeys', keys);
  checker.check('listItems', items);
}
