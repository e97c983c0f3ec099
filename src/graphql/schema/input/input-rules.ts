import type { requestPlans } from '../../../codec/index.js';
import type { Particle, XsdType } from '../../../wsdl/index.js';
import { hasVariants } from '../types/reach.js';
import type { InputContent } from './input-content.js';
import type { InputField } from './shown-input.js';

/** The rule by the names of members; null where nothing of it is left to the caller. */
export function named(
  { required, branches }: requestPlans.BranchRule,
  names: ReadonlyMap<string, string>,
): requestPlans.BranchRule | null {
  const keys = (members: readonly string[]): string[] =>
    members.flatMap((key) => {
      const name = names.get(key);
      return name === undefined ? [] : [name];
    });
  const kept = branches.map((branch) => ({
    keys: keys(branch.keys),
    required: keys(branch.required),
    rules: branch.rules.flatMap((inner) => named(inner, names) ?? []),
  }));
  const shown = kept.filter((branch) => branch.keys.length > 0);
  return shown.length === 0 ? null : { required, branches: shown };
}

/** Whether one of these keys stands in the rule. */
export const mentions = (
  { branches }: requestPlans.BranchRule,
  keys: ReadonlySet<string>,
): boolean => branches.some((branch) => branch.keys.some((key) => keys.has(key)));

/** The members of a required choice between single ones; null for any other rule. */
export function singles({ required, branches }: requestPlans.BranchRule): readonly string[] | null {
  if (!required || branches.length < 2 || !branches.every(isSingle)) return null;
  const keys = branches.flatMap((branch) => branch.keys);
  return new Set(keys).size === keys.length ? keys : null;
}

const isSingle = (branch: requestPlans.Branch): boolean =>
  branch.keys.length === 1 && branch.required.length === 1 && branch.rules.length === 0;

/**
 * Whether the content is one required choice between single elements, none of which can be nil, and
 * nothing else.
 */
export function isExclusive({ particles, rules }: InputContent): boolean {
  const [rule, ...others] = rules;
  if (rule === undefined || others.length > 0) return false;
  const keys = singles(rule);
  if (keys === null || keys.length !== particles.size) return false;
  return [...particles.values()].every(
    (particle) =>
      particle.kind !== 'element' ||
      (!particle.element.nillable && particle.element.fixed === null),
  );
}

/**
 * Whether every element and attribute of a type must be there with a fixed value: a client has
 * nothing to provide.
 */
export function isAllFixed(type: XsdType): boolean {
  if (
    type.kind === 'simple' ||
    type.abstract ||
    hasVariants(type) ||
    type.content.kind !== 'elements'
  ) {
    return false;
  }
  if (!type.attributes.every(({ fixed }) => fixed !== null)) return false;
  const stack: Particle[] = [type.content.particle];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    const isOnce = particle.min === 1 && particle.max === 1;
    if (!isOnce || particle.kind === 'any' || particle.kind === 'choice') return false;
    if (particle.kind !== 'one') {
      stack.push(...particle.particles);
    } else if (
      particle.element.fixed === null ||
      particle.element.nillable ||
      particle.element.type.kind !== 'simple'
    ) {
      return false;
    }
  }
  return true;
}

/** Adds a choice to the descriptions of its members: their types do not show it. */
export function describeRule(
  fields: Map<string, InputField>,
  { required, branches }: requestPlans.BranchRule,
): void {
  if (branches.length < 2) return;
  const shown = branches
    .slice(0, NAMES_SHOWN)
    .map(({ keys }) => (keys.length === 1 ? keys[0] : `(${listed(keys)})`));
  const text =
    `${required ? 'Exactly' : 'At most'} one of ` +
    `${shown.join(', ')}${branches.length > NAMES_SHOWN ? ', ...' : ''}.`;
  for (const key of new Set(branches.flatMap(({ keys }) => keys))) {
    const field = fields.get(key);
    if (field === undefined) continue;
    const { description } = field;
    fields.set(key, {
      ...field,
      description: description === null ? text : `${description}\n\n${text}`,
    });
  }
}

const NAMES_SHOWN = 10;

const listed = (keys: readonly string[]): string =>
  keys.length > NAMES_SHOWN ? `${keys.slice(0, NAMES_SHOWN).join(', ')}, ...` : keys.join(', ');
