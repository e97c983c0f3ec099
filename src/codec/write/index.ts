/** Values to requests, by plans. */

export {
  addressingBlocks,
  type HeaderBlock,
  newMessageId,
  type RequestAddressing,
  writesMessageId,
} from './addressing-blocks.js';
export { encodeAttachments } from './attachments.js';
export { BinaryParts, type InlineFile } from './binary-parts.js';
export { placeInRequest, type RequestValues } from './encode.js';
export { printErrorPath } from './input-error.js';
export type { EncodeLimits } from './leaves.js';
export { XML_DECLARATION } from './render.js';
export { skeletonOf } from './skeleton.js';
export { claimText } from './source.js';
export { CallerNamespaces, xmlEvents } from './xml-input.js';
