import type { requestPlans } from '../../../codec/index.js';
import type { MixedNames } from '../types/mixed.js';
import { singles } from './input-rules.js';

/** The plan of an input object while its members are added. */
export type MutablePlan = {
  -readonly [Key in keyof requestPlans.EncodeObject]: Growing<requestPlans.EncodeObject[Key]>;
} & {
  branches: requestPlans.BranchRule[];
  mixed?: MixedNames;
  lifts?: readonly requestPlans.LiftedMember[];
};

/** A list that can be added to. */
type Growing<T> = T extends readonly (infer Item)[] ? Item[] : T;

/** Adds the rule of a branch: one of single members is a choice between them. */
export function addRule(plan: MutablePlan, rule: requestPlans.BranchRule | null): void {
  if (rule === null) return;
  const keys = singles(rule);
  if (keys === null) {
    plan.branches.push(rule);
  } else {
    plan.choices.push([...keys]);
  }
}
