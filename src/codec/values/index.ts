/** Scalars: lexical forms, value spaces, whole numbers, hashes of content. */

export { hold, TEXT, textOf, treatWhiteSpace, trimXml } from '../plan/lexical.js';
export { decodedScalar, LexicalError } from '../plan/scalar.js';
export { BASE64_SCALAR } from './base64.js';
export { CanonicalHash } from './canonical-hash.js';
export { FLOAT_SCALAR, withoutExponent } from './numeric-scalars.js';
export { listScalarOf, SCALAR_TYPES, scalarOf } from './scalars.js';
export { compileSimple, unsupportedFacets } from './simple-validity.js';
export { valueSpaceOf } from './value-space.js';
export { isWholeScalar, wholeNumberOf } from './whole-number.js';
export { prescribesForm } from './written-form.js';
