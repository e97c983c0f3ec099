/** SOAP: dialects, the envelope validator, the gate, Faults, header blocks, MIME packages. */

export type { ExpectedParts } from './body-parts.js';
export {
  DIALECT_NAMES,
  DIALECTS,
  type Dialect,
  type DialectName,
  dialectOfName,
  dialectOfUri,
} from './dialect.js';
export type { Edit } from './edit.js';
export { type EnvelopeObserver, EnvelopeValidator } from './envelope.js';
export * as soapFaults from './fault/index.js';
export { Gate, type GateOptions, type GateOutput, type MessageReader } from './gate.js';
export * as headerBlocks from './header/index.js';
export { type InflateLimits, SOAP_LIMITS } from './limits.js';
export * as boundaries from './mime/boundaries/index.js';
export { type SlicedContent, stepToInclude } from './mime/include.js';
export * as mime from './mime/index.js';
export * as mimeTypes from './mime/media-type.js';
export { MIME_LIMITS, type MimeLimits } from './mime/mime-limits.js';
export { PathText } from './path-text.js';
export { rebindWrapper } from './rebind-wrapper.js';
export { SOAP_REFUSALS } from './refusals.js';
export { actionOrNull, printableAction, readSoapAction } from './soap-action.js';
export { TextAtPath, type TextPath, textBlock } from './text-at-path.js';
