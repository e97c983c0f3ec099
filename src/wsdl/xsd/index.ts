/** XSD: built-in types, plain types and elements, wildcards. */

export {
  type AttributeDeclaration,
  type EnumerationValue,
  type Facets,
  type IdentityConstraint,
  type IdentityPath,
  type NameTest,
  NO_FACETS,
} from '../model.js';
export { occurrencesIn } from '../occurrences.js';
export { plainComplexType, plainElement, plainSimpleType, sequenceOf } from '../plain.js';
export { allows, allowsAny, wildcardsIn } from '../wildcards.js';
export {
  ANY_TYPE,
  BASE64,
  builtInSimple,
  builtInType,
  isBuiltInAttributeNamespace,
  SCHEMA_NAME,
  STRING,
} from './builtin.js';
