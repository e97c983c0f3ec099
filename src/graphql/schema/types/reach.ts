import { SERIALIZATION_URI } from '../../../codec/index.js';
import type { ComplexType, XsdType, xsd } from '../../../wsdl/index.js';
import type { MemberTable } from './members.js';

/**
 * The types of replies: found before any GraphQL type is made, for a type must know whether it is
 * an interface.
 */
export interface Reached {
  readonly types: ReadonlySet<XsdType>;
  /** Reached types that others derive from. */
  readonly interfaces: ReadonlySet<ComplexType>;
}

/** Every type that can stand in a reply, from the types of the replies themselves. */
export function reach(roots: readonly XsdType[], members: MemberTable): Reached {
  const types = new Set<XsdType>(roots);
  const interfaces = new Set<ComplexType>();
  for (const type of types) {
    if (members.isFull) break;
    if (type.kind === 'simple') continue;
    const { all, present, mixed } = members.of(type);
    if (type.content.kind === 'opaque' && mixed === null) continue;
    for (const member of [...all, ...present]) {
      if (member.kind === 'element') {
        types.add(member.element.type);
      }
    }
    // Without a type that may be sent there is nothing the interface could stand for.
    const derived = derivedFrom(type);
    if (type.name === null || derived.every((each) => each.abstract)) continue;
    interfaces.add(type);
    for (const each of derived) {
      types.add(each);
    }
  }
  return { types, interfaces };
}

/**
 * Whether an element of one of these types may stand for another: data contracts of .NET with
 * `IsReference`.
 */
export const hasReferences = (types: Iterable<XsdType>): boolean => {
  for (const type of types) {
    if (type.kind === 'complex' && type.attributes.some(isReference)) return true;
  }
  return false;
};

const isReference = ({ name }: xsd.AttributeDeclaration): boolean =>
  name.uri === SERIALIZATION_URI && name.local === 'Ref';

/** All types derived from this one, directly or not, that xsi:type can name. */
export function derivedFrom(type: ComplexType): readonly ComplexType[] {
  const found = new Set<ComplexType>(type.derived);
  for (const derived of found) {
    for (const further of derived.derived) {
      found.add(further);
    }
  }
  return [...found].filter(isVariant);
}

/** Whether xsi:type may name another type in place of this one. */
export const hasVariants = (type: ComplexType): boolean => type.derived.some(isVariant);

/** An array of the SOAP encoding has nothing of what it is formally derived from. */
const isVariant = ({ name, content }: ComplexType): boolean =>
  name !== null && content.kind !== 'array';
