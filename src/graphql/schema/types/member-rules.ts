import { collections } from '../../../core/index.js';
import type { XsdType } from '../../../wsdl/index.js';
import { bothRules, type FieldRule } from '../rights/field-rule.js';
import type { Member } from './member.js';
import type { MemberTable } from './members.js';
import { reach } from './reach.js';

/**
 * The rules of all members together: for a field that shows them as XML; null where none has a
 * rule.
 */
export const ruleOfMembers = (members: readonly Member[]): FieldRule | null =>
  members.reduce<FieldRule | null>(
    (all, { mapping }) => bothRules(all, mapping?.rule ?? null),
    null,
  );

/** Joins the rules of every type that content of these types may hold. */
export function rulesWithin(types: readonly XsdType[], members: MemberTable): FieldRule | null {
  const own = rulesOfTypes(reach(types, members).types, members);
  return hasOpenContent(types, members) ? bothRules(own, everyRule(members)) : own;
}

/** Whether content of these types may hold elements of types that the schema does not name. */
export const hasOpenContent = (types: readonly XsdType[], members: MemberTable): boolean =>
  [...reach(types, members).types].some((type) => isOpen(type, members));

/** The rules of all fields of a service: for content that the schema does not describe. */
export const everyRule = collections.makeOncePer((members: MemberTable): FieldRule | null =>
  members.isMapped ? rulesOfTypes(reach(members.knownTypes, members).types, members) : null,
);

/** The rules of content that the schema does not describe, beside these members. */
export const openRule = (members: readonly Member[], table: MemberTable): FieldRule | null =>
  bothRules(ruleOfMembers(members), everyRule(table));

function rulesOfTypes(types: Iterable<XsdType>, members: MemberTable): FieldRule | null {
  let rules: FieldRule | null = null;
  for (const type of types) {
    if (type.kind === 'complex') {
      rules = bothRules(rules, ruleOfMembers(members.of(type).all));
    }
  }
  return rules;
}

function isOpen(type: XsdType, members: MemberTable): boolean {
  if (type.kind === 'simple') return false;
  const { content } = type;
  return content.kind === 'opaque' ? content.mixed?.particle !== null : members.of(type).wildcard;
}
