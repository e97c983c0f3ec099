/** Documents of callers: their cache, limits, variables, persisted and trusted ones. */

export { type Admitted, readDocument } from './admit.js';
export { AdmittedDocument, MemoryPersistedStore, type PersistedStore } from './document-cache.js';
export { depthOf } from './document-shape.js';
export { introspectionPoints, prepareWholeCount, wholeSchemaFields } from './introspection-cost.js';
export { limitOf } from './limit-checker.js';
export {
  boundsOf,
  checkJsonType,
  checkNoCoding,
  parseJson,
  preventForgery,
  readParams,
} from './params.js';
export { PersistedDocuments } from './persisted.js';
export { decodeText, readText } from './read-text.js';
export { type ManifestEntry, readManifest, type TrustedDocuments } from './trusted-documents.js';
