/** Replies to values, by plans. */

export type {
  AddressMaker,
  ContentPlace,
  ContentReceiver,
  FieldDigest,
} from './content-receiver.js';
export type { DecodeLimits } from './decode.js';
export { noContentReply } from './empty-reply.js';
export { EncodedReply } from './encoded.js';
export { type ItemReceiver, receivedContent, receivedItems } from './reply-receiver.js';
export { MISSING } from './response-builder.js';
