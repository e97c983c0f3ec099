/** WSDL and XSD: documents to one frozen model, the import report, comparison. */

export { withBridgedPorts } from './bridged-ports.js';
export type { Change, Severity } from './compare/change.js';
export { type Comparison, compareWsdls } from './compare/compare.js';
export * as compiledModels from './compiled/index.js';
export { copyWsdl } from './copy.js';
export { portKey } from './document.js';
export * as namespaces from './documents/index.js';
export { bodyKey, mayOutputBeEmpty, requestKey } from './empty-output.js';
export {
  ANYTHING,
  allOperations,
  type BodyPart,
  type ComplexType,
  type Content,
  childrenOfBody,
  distinctName,
  type ElementDeclaration,
  type FaultDeclaration,
  type Operation,
  type Particle,
  type Payload,
  type Port,
  type SeveralParts,
  type SimpleType,
  typeKey,
  type Wildcard,
  type WsdlModel,
  type XsdType,
} from './model.js';
export { type ReadOptions, readWsdl } from './read.js';
export * as report from './report/index.js';
export { type ServedDocument, servedDocument } from './serve.js';
export * as takenWsdl from './taken-wsdl.js';
export * as xsd from './xsd/index.js';
