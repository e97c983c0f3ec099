import { type ComplexType, type Particle, type XsdType, xsd } from '../../../wsdl/index.js';
import { type ElementMember, isHidden, type Member } from './member.js';
import type { MemberTable } from './members.js';
import { mixedModel } from './mixed.js';
import { hasVariants } from './reach.js';
import { SDL_URI } from './xsd-type.js';

/**
 * How the content of a complex type looks in GraphQL: as XML text, as nothing but presence, or as
 * an object.
 */
export function contentOf(
  type: ComplexType,
  members: MemberTable,
): 'opaque' | 'empty' | 'structured' {
  const { content } = type;
  const { present, wildcard, mixed } = members.of(type);
  if (mixed !== null) return 'structured';
  if (content.kind === 'opaque' || (content.kind === 'array' && content.dimensions > 1)) {
    return 'opaque';
  }
  if (present.length > 0 || hasVariants(type)) return 'structured';
  if (!wildcard) return 'empty';
  return members.anyTypes === null ? 'opaque' : 'structured';
}

/**
 * The item of a type that is nothing but a list of it (`ArrayOfLine`, or an encoded array), or
 * null.
 */
export function wrappedItem(type: XsdType, members: MemberTable): ElementMember | null {
  if (type.kind === 'simple' || type.abstract || hasVariants(type)) return null;
  if (type.content.kind !== 'elements' && type.content.kind !== 'array') return null;
  // SDL types are shown as they are written.
  if (type.name?.uri === SDL_URI) return null;
  const { present, wildcard, mixed } = members.of(type);
  const [only, ...others] = present;
  return others.length === 0 && !wildcard && mixed === null && only?.kind === 'element' && only.many
    ? only
    : null;
}

/** Arrays within each other are lists of lists down to this depth. */
export const ARRAYS_MAX = 4;

/**
 * The item of an array of the SOAP encoding that stands where no list is unwrapped: in another one.
 * Null for others.
 */
export function nestedItem(type: ComplexType, members: MemberTable): ElementMember | null {
  if (type.content.kind !== 'array') return null;
  let depth = 0;
  for (
    let at: XsdType = type;
    at.kind === 'complex' && at.content.kind === 'array';
    at = at.content.item
  ) {
    if (++depth > ARRAYS_MAX) return null;
  }
  return wrappedItem(type, members);
}

/** Whether the mapping hides a member, or the type of what it holds. */
export function hides(member: Member, members: MemberTable): boolean {
  if (isHidden(member)) return true;
  if (member.kind !== 'element') return false;
  const { type } = member.element;
  if (members.hidesType(type)) return true;
  const item = member.many ? null : wrappedItem(type, members);
  return item !== null && members.hidesType(item.element.type);
}

/** Whether a type is shown as text: its content is mixed, and can hold nothing else. */
export function isMixedText(type: XsdType, members: MemberTable): boolean {
  if (
    members.anyTypes === null ||
    type.kind === 'simple' ||
    type.attributes.length > 0 ||
    type.abstract ||
    hasVariants(type)
  ) {
    return false;
  }
  const model = mixedModel(type);
  return model !== null && xsd.wildcardsIn(model).length === 0 && !hasElements(model);
}

function hasElements(root: Particle): boolean {
  const stack = [root];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    if (particle.max === 0) continue;
    if (particle.kind === 'one') return true;
    if (particle.kind !== 'any') {
      stack.push(...particle.particles);
    }
  }
  return false;
}
