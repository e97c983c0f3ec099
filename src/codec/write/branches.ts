import type { BranchRule, EncodeObject } from '../plan/plan.js';

/** Whether the caller gives the member of that name. */
export type Given = (key: string) => boolean;

/** What the members that are given break of the choices of their type, or null. */
export function brokenChoice(object: EncodeObject, given: Given): string | null {
  for (const keys of object.choices) {
    let count = 0;
    for (const key of keys) if (given(key)) count += 1;
    if (count !== 1) return `exactly one must be given of ${keys.join(', ')}`;
  }
  return brokenRule(object.branches ?? [], given);
}

/** Rules nest as deep as the content model does, which is bounded where they are made. */
function brokenRule(rules: readonly BranchRule[], given: Given): string | null {
  for (const rule of rules) {
    const broken = breaks(rule, given);
    if (broken !== null) return broken;
  }
  return null;
}

function breaks({ required, branches }: BranchRule, given: Given): string | null {
  const keys = new Set(branches.flatMap((branch) => branch.keys).filter(given));
  if (keys.size === 0) return required ? `one must be given of ${printed(branches)}` : null;
  const fitting = branches.filter((branch) => [...keys].every((key) => branch.keys.includes(key)));
  if (fitting.length === 0) return `only one may be given of ${printed(branches)}`;
  let first: string | null = null;
  for (const branch of fitting) {
    const missing = branch.required.filter((key) => !given(key));
    const broken =
      missing.length > 0
        ? `${missing.join(', ')} must be given with ${[...keys].join(', ')}`
        : brokenRule(branch.rules, given);
    if (broken === null) return null;
    first ??= broken;
  }
  return first;
}

const printed = (branches: BranchRule['branches']): string =>
  branches.map(({ keys }) => (keys.length === 1 ? keys[0] : `(${keys.join(', ')})`)).join(', ');
