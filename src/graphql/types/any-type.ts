import type { XsdType } from '../../wsdl/model.js';

const XSD_URI = 'http://www.w3.org/2001/XMLSchema';

/** Whether an element of this type may be of any type: `xs:anyType`, or of any simple one: `xs:anySimpleType`. */
export const isAnyType = ({ name }: XsdType): boolean =>
  name?.uri === XSD_URI &&
  (name.local === 'anyType' || name.local === 'anySimpleType' || name.local === 'anyAtomicType');
