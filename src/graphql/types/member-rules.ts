import type { XsdType } from '../../wsdl/model.js';
import { bothRules, type FieldRule } from '../rights/field-rule.js';
import type { Member } from './member.js';
import type { MemberTable } from './members.js';
import { reach } from './reach.js';

/** The rules of all members together: for a field that shows them as XML; null where none has a rule. */
export const rulesOf = (members: readonly Member[]): FieldRule | null =>
  members.reduce<FieldRule | null>((all, { mapping }) => bothRules(all, mapping?.rule ?? null), null);

/** The same of every type that content of these types may hold. */
export function rulesWithin(types: readonly XsdType[], members: MemberTable): FieldRule | null {
  let rules: FieldRule | null = null;
  for (const type of reach(types, members).types) {
    if (type.kind === 'complex') rules = bothRules(rules, rulesOf(members.of(type).all));
  }
  return rules;
}
