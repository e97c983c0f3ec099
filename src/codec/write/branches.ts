import type { BranchRule, EncodeObject } from '../plan/request/encode-plan.js';
import { isPresent, memberOf, nillableOf, type ReadonlyRecord } from './input-members.js';

/** Whether the client's object has the member of that name. */
type HasMember = (key: string) => boolean;

/** The rule of the type's choices that the client's members break, or null. */
export function brokenChoice(object: EncodeObject, has: HasMember): string | null {
  for (const keys of object.choices) {
    let count = 0;
    for (const key of keys) {
      if (has(key)) {
        count += 1;
      }
    }
    if (count !== 1) return `exactly one must be provided of ${keys.join(', ')}`;
  }
  return brokenRule(object.branches ?? [], has);
}

/** Recursion is as deep as the content model, which is bounded where rules are made. */
function brokenRule(rules: readonly BranchRule[], has: HasMember): string | null {
  for (const rule of rules) {
    const broken = brokenBranches(rule, has);
    if (broken !== null) return broken;
  }
  return null;
}

function brokenBranches({ required, branches }: BranchRule, has: HasMember): string | null {
  const keys = new Set(branches.flatMap((branch) => branch.keys).filter(has));
  if (keys.size === 0) {
    return required ? `one must be provided of ${printBranches(branches)}` : null;
  }
  const fitting = branches.filter((branch) => [...keys].every((key) => branch.keys.includes(key)));
  if (fitting.length === 0) return `only one may be provided of ${printBranches(branches)}`;
  let first: string | null = null;
  for (const branch of fitting) {
    const missing = branch.required.filter((key) => !has(key));
    const broken =
      missing.length > 0
        ? `${missing.join(', ')} must be provided with ${[...keys].join(', ')}`
        : brokenRule(branch.rules, has);
    if (broken === null) return null;
    first ??= broken;
  }
  return first;
}

const printBranches = (branches: BranchRule['branches']): string =>
  branches.map(({ keys }) => (keys.length === 1 ? keys[0] : `(${keys.join(', ')})`)).join(', ');

/**
 * Members that are null beside the branch of a choice that was taken: they are absent. Alone, null
 * takes the branch of an element that can be nil.
 */
export function absentBranches(object: EncodeObject, value: ReadonlyRecord): ReadonlySet<string> {
  const { choices, branches = [] } = object;
  if (choices.length === 0 && branches.length === 0) return NONE;
  const nillable = nillableOf(object);
  const nulls =
    nillable.size === 0
      ? []
      : Object.keys(value).filter((key) => value[key] === null && nillable.has(key));
  if (nulls.length === 0) return NONE;
  const isGiven: HasMember = (key) => {
    const member = memberOf(value, key);
    return member !== null && isPresent(object, key, member);
  };
  const isNull = new Set(nulls);
  const absent = new Set<string>();
  for (const keys of choices) {
    if (keys.some(isGiven)) {
      for (const key of keys) {
        if (isNull.has(key)) {
          absent.add(key);
        }
      }
    }
  }
  const stack = [...branches];
  for (let rule = stack.pop(); rule !== undefined; rule = stack.pop()) {
    const given = rule.branches.flatMap(({ keys }) => keys.filter(isGiven));
    if (given.length === 0) continue;
    const [taken, others] = partition(rule.branches, ({ keys }) =>
      given.every((key) => keys.includes(key)),
    );
    const kept = new Set(taken.flatMap(({ keys }) => keys));
    const left = new Set(others.flatMap(({ keys }) => keys));
    for (const key of nulls) {
      if (left.has(key) && !kept.has(key)) {
        absent.add(key);
      }
    }
    stack.push(...taken.flatMap(({ rules }) => rules));
  }
  return absent;
}

const NONE: ReadonlySet<string> = new Set();

const partition = <T>(
  all: readonly T[],
  test: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] => [all.filter(test), all.filter((one) => !test(one))];
