/** Codec: values to requests and replies to values, by plans; validity by schema. */

export * as conversions from './convert/index.js';
export * as exampleValues from './example/index.js';
export { CODEC_LIMITS, type CodecLimits } from './plan/limits.js';
export * as replyPlans from './plan/reply/index.js';
export type { Decoded, FieldSlot, ReplyPlan } from './plan/reply/reply-plan.js';
export * as requestPlans from './plan/request/index.js';
export type { Scalar } from './plan/scalar.js';
export { SERIALIZATION_URI, XSI_URI } from './plan/xsi.js';
export { ReplyDecoder } from './read/decode.js';
export * as replyDecoding from './read/index.js';
export type { ReplyReceiver } from './read/reply-receiver.js';
export { CODEC_REFUSALS } from './refusals.js';
export * as contentValidity from './validity/index.js';
export * as scalars from './values/index.js';
export { encodeRequest } from './write/encode.js';
export * as requestEncoding from './write/index.js';
export { InputError } from './write/input-error.js';
export type { RequestContext } from './write/source.js';
