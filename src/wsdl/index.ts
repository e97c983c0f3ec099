/** WSDL and XSD: documents to one frozen model, the import report, comparison. */

export type { Change, Severity } from './compare/change.js';
export { type Comparison, compareWsdls } from './compare/compare.js';
export { copyWsdl } from './copy.js';
export { portKey } from './document.js';
export {
  isBuiltInNamespace,
  OLDER_XSD,
  SOAP_ENCODINGS,
  WSI_REFERENCES,
  XINCLUDES,
  XMIMES,
  XMLNS,
  XOP,
  XOPS,
  XSD,
} from './documents/namespaces.js';
export { bodyKey, mayOutputBeEmpty, requestKey } from './empty-output.js';
export {
  ANYTHING,
  type AttributeDeclaration,
  allOperations,
  type BodyPart,
  type ComplexType,
  type Content,
  childrenOfBody,
  distinctName,
  type ElementDeclaration,
  type EnumerationValue,
  type Facets,
  type FaultDeclaration,
  type IdentityConstraint,
  type IdentityPath,
  type NameTest,
  NO_FACETS,
  type Operation,
  type Particle,
  type Payload,
  type Port,
  type SeveralParts,
  type SimpleType,
  typeKey,
  type UncallableOperation,
  type Wildcard,
  type WsdlModel,
  warningsOfPorts,
  type XsdType,
} from './model.js';
export { occurrencesIn } from './occurrences.js';
export { SELECT_HEADERS } from './operations/operations.js';
export {
  remedyOfDemand,
  SECURITY_DEMANDS,
  type SecurityDemand,
} from './operations/security-policy.js';
export { leftOut } from './operations/services.js';
export { plainComplexType, plainElement, plainSimpleType, sequenceOf } from './plain.js';
export { warningOfRule } from './profile-rules.js';
export { type ReadOptions, readWsdl } from './read.js';
export { reasonOf, reportRows } from './report.js';
export { type ServedDocument, servedDocument } from './serve.js';
export { fetchTaken, packTaken, type TakenWsdl, unpackTaken } from './taken-wsdl.js';
export { allows, allowsAny, wildcardsIn } from './wildcards.js';
export {
  ANY_TYPE,
  BASE64,
  builtInSimple,
  builtInType,
  isBuiltInAttributeNamespace,
  SCHEMA_NAME,
  STRING,
} from './xsd/builtin.js';
