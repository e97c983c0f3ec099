import {
  type ComplexType,
  type ElementDeclaration,
  namespaces,
  type SimpleType,
  type XsdType,
} from '../../wsdl/index.js';

/** Longer chains of derivation are not followed. */
const CHAIN_MAX = 1000;

/**
 * Whether an element may name this type by xsi:type (XSD 1.0 part 1 section 3.3.4, cvc-elt.4.3): it
 * is derived from the declared one, in no way that the element or its declared type blocks.
 */
export function isAllowedType(
  { type: declared, blocked = [] }: ElementDeclaration,
  type: XsdType,
): boolean {
  const banned =
    declared.kind === 'complex' && declared.blocked !== undefined
      ? [...blocked, ...declared.blocked]
      : blocked;
  if (type === declared) return true;
  if (type.kind === 'complex') return isComplexDerived(type, declared, banned);
  if (banned.includes('restriction')) return false;
  return (
    isBuiltIn(declared, 'anyType') ||
    (declared.kind === 'simple' && isSimpleDerived(type, declared))
  );
}

type Derivation = NonNullable<ComplexType['derivation']>;

function isComplexDerived(
  type: ComplexType,
  declared: XsdType,
  banned: readonly Derivation[],
): boolean {
  let at: ComplexType = type;
  for (let steps = 0; steps < CHAIN_MAX; steps++) {
    if (at === declared) return true;
    if (at.derivation !== null && banned.includes(at.derivation)) return false;
    if (at.base === null) break;
    at = at.base;
  }
  // Everything is a restriction of anyType.
  if (isBuiltIn(declared, 'anyType')) return !banned.includes('restriction');
  // A type with simple content may extend a simple type.
  if (declared.kind !== 'simple' || at.content.kind !== 'text' || banned.includes('extension')) {
    return false;
  }
  return isSimpleDerived(at.content.type, declared);
}

function isSimpleDerived(type: SimpleType, declared: SimpleType): boolean {
  if (isBuiltIn(declared, 'anySimpleType')) return true;
  for (
    let at: SimpleType | null = type, steps = 0;
    at !== null && steps < CHAIN_MAX;
    at = at.base, steps++
  ) {
    if (isSame(at, declared)) return true;
    if (at.base === null && isBuiltInDerived(at, declared)) return true;
  }
  // cos-st-derived-ok 2.2.4: a member of a union that adds nothing to it.
  return (
    declared.variety === 'union' && declared.members.some((member) => isSimpleDerived(type, member))
  );
}

/** Built-in types are made more than once. */
const isSame = (a: SimpleType, b: SimpleType): boolean =>
  a === b ||
  (a.name !== null &&
    b.name !== null &&
    a.name.local === b.name.local &&
    a.name.uri === b.name.uri);

const isBuiltIn = ({ name }: XsdType, local: string): boolean =>
  name?.uri === namespaces.XSD && name.local === local;

function isBuiltInDerived(type: SimpleType, declared: SimpleType): boolean {
  if (type.name?.uri !== namespaces.XSD || declared.name?.uri !== namespaces.XSD) return false;
  for (let at = PARENTS.get(type.name.local); at !== undefined; at = PARENTS.get(at)) {
    if (at === declared.name.local) return true;
  }
  return false;
}

/** XSD 1.0 part 2 section 3: the base of built-in types, where that is not anySimpleType. */
const PARENTS: ReadonlyMap<string, string> = new Map(
  (
    'normalizedString<string token<normalizedString language<token NMTOKEN<token Name<token ' +
    'NCName<Name ID<NCName ' +
    'IDREF<NCName ENTITY<NCName integer<decimal nonPositiveInteger<integer ' +
    'negativeInteger<nonPositiveInteger ' +
    'long<integer int<long short<int byte<short nonNegativeInteger<integer ' +
    'unsignedLong<nonNegativeInteger ' +
    'unsignedInt<unsignedLong unsignedShort<unsignedInt unsignedByte<unsignedShort ' +
    'positiveInteger<nonNegativeInteger'
  )
    .split(' ')
    .map((pair): [string, string] => {
      const [local = '', parent = ''] = pair.split('<');
      return [local, parent];
    }),
);
