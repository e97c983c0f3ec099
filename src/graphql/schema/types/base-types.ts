import type { ComplexType } from '../../../wsdl/index.js';
import { hides } from './content.js';
import type { Member } from './member.js';
import type { MemberTable } from './members.js';
import type { Reached } from './reach.js';

/** The base types of a family, nearest first: its interfaces, and its unions. */
export interface BasesAbove {
  readonly interfaces: readonly ComplexType[];
  readonly unions: readonly ComplexType[];
}

/** The base types that stand for others in replies. */
export function basesAbove(type: ComplexType, reached: Reached, members: MemberTable): BasesAbove {
  const interfaces: ComplexType[] = [];
  const unions: ComplexType[] = [];
  if (type.content.kind === 'array') return { interfaces, unions };
  for (let base = type.base; base !== null; base = base.base) {
    if (!reached.interfaces.has(base)) continue;
    (isUnionBase(base, members) ? unions : interfaces).push(base);
  }
  return { interfaces, unions };
}

/**
 * Whether a base type is a union of those that derive from it: an interface needs a field, and it
 * has none.
 */
export const isUnionBase = (type: ComplexType, members: MemberTable): boolean =>
  type.abstract &&
  type.content.kind !== 'opaque' &&
  members.of(type).mixed === null &&
  isWithoutFields(type, members);

/** The name of a list in the mapping: at the type that declares it. Null where that has no name. */
export function listNameOf(type: ComplexType, member: Member, members: MemberTable): string | null {
  const local = member.lift === undefined ? null : (member.mapping?.path.at(-1) ?? null);
  let declarer = type;
  for (let base = type.base; base !== null; base = base.base) {
    if (!members.of(base).all.includes(member)) break;
    declarer = base;
  }
  const isElement = member.kind === 'element' && declarer.name !== null;
  return isElement ? `${declarer.name?.local}/${local ?? member.element.name.local}` : null;
}

/** Whether nothing of a type is shown. */
export function isWithoutFields(type: ComplexType, members: MemberTable): boolean {
  const { all, rest } = members.of(type);
  return rest === null && all.every((member) => hides(member, members));
}
