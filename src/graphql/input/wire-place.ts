import { typeKey } from '../../wsdl/model.js';
import type { Member } from '../types/member.js';

/** Equal for members that stand in the same place on the wire. */
export function placeOf(member: Member): string {
  if (member.place === 'text') return 'text';
  return member.place === 'element'
    ? `element ${typeKey(member.element.name)}`
    : `attribute ${typeKey(member.attribute.name)}`;
}

/** The names that the mapping of a request may use for it. */
export function keyInMapping(member: Member): readonly string[] {
  if (member.place === 'text') return [];
  return [member.place === 'element' ? member.element.name.local : `@${member.attribute.name.local}`];
}
