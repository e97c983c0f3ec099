import type { BranchRule, EncodeObject } from '../plan/plan.js';

/** Whether the client's object has the member of that name. */
type HasMember = (key: string) => boolean;

/** The rule of the type's choices that the client's members break, or null. */
export function brokenChoice(object: EncodeObject, has: HasMember): string | null {
  for (const keys of object.choices) {
    let count = 0;
    for (const key of keys) if (has(key)) count += 1;
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
  if (keys.size === 0) return required ? `one must be provided of ${printBranches(branches)}` : null;
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
