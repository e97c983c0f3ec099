import type { XsdType } from '../../../wsdl/index.js';
import type { QName } from '../../../xml/index.js';

/** The namespace of SDL types: their names in the schema are exactly those. */
export const SDL_URI = 'urn:soapstone:sdl';

const XSD_URI = 'http://www.w3.org/2001/XMLSchema';

/**
 * Whether an element of this type may be of any type: `xs:anyType`, or of any simple one:
 * `xs:anySimpleType`.
 */
export const isAnyType = ({ name }: XsdType): boolean =>
  name?.uri === XSD_URI &&
  (name.local === 'anyType' || name.local === 'anySimpleType' || name.local === 'anyAtomicType');

/** The name of a value's type in SOAP encoding; null for an unnamed type. */
export function encodedTypeName(type: XsdType): QName | null {
  if (type.name !== null || type.kind === 'complex') return type.name;
  for (let base = type.base; base !== null; base = base.base) {
    if (base.name !== null) return base.name;
  }
  return { uri: XSD_URI, local: type.builtIn };
}
