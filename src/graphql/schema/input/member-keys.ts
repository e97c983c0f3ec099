import { typeKey } from '../../../wsdl/index.js';
import type { Member } from '../types/member.js';

/** Equal for members that stand in the same place on the wire. */
export function memberKeyOf(member: Member): string {
  if (member.kind === 'text') return 'text';
  return member.kind === 'element'
    ? `element ${typeKey(member.element.name)}`
    : `attribute ${typeKey(member.attribute.name)}`;
}

/** The names that the mapping of a request may use for it. */
export function keyInMapping(member: Member): readonly string[] {
  if (member.kind === 'text') return [];
  return [
    member.kind === 'element' ? member.element.name.local : `@${member.attribute.name.local}`,
  ];
}

/** The member as it is where nothing in it is lifted. */
export const withContent = (member: Member): Member =>
  member.kind === 'element' ? { ...member, isEmptied: false } : member;
