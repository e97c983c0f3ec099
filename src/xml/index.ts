/** XML: bytes to events, events to bytes, canonical XML. */

export * as canonical from './canonical/index.js';
export { isNcName } from './chars.js';
export { decoderOf, type Encoding } from './encodings.js';
export {
  ALL,
  ELEMENTS_ONLY,
  expandedName,
  type Interest,
  PRESENCE,
  type QName,
  SKIP,
  STREAM,
  type StartTag,
  WATCH,
  type XmlHandler,
} from './events.js';
export { InterestFilter } from './interest-filter.js';
export { XML_LIMITS, type XmlLimits } from './limits.js';
export * as contentModels from './models/index.js';
export { XML_NAMESPACE, XMLNS_NAMESPACE } from './namespaces.js';
export { XmlReader } from './reader.js';
export { ReaderPool } from './reader-pool.js';
export { normaliseValue } from './references.js';
export { XML_REFUSALS } from './refusals.js';
export { RenamedContent, RenamedTag } from './renamed-content.js';
export { ReplyRepair } from './reply-repair.js';
export { collapseSpaces, Rewriting, rewriteText } from './rewrite-text.js';
export { sourceOffset } from './source-offset.js';
export { syntheticTag } from './synthetic-tag.js';
export { TeeHandler } from './tee-handler.js';
export { escapeQuoted, escapeText, referencesFor, UNWRITABLE, XmlWriter } from './writer.js';
