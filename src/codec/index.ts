/** Codec: values to requests and replies to values, by plans; validity by schema. */

export { convertedScalar } from './convert/converted-scalar.js';
export {
  type DatePatternKind,
  parseDatePattern,
  SUPPORTED_LETTERS,
} from './convert/date-pattern.js';
export { timeZone } from './convert/time-zone.js';
export { ExampleWriter } from './example/example-content.js';
export { type ExampleMember, type ExampleObject, exampleInput } from './example/example-input.js';
export { SCALAR_EXAMPLES } from './example/scalar-examples.js';
export { textFor, type WantedTexts, type WantedTextsOf } from './example/wanted-texts.js';
export type { AnyAttribute, AnyMember, AnyType, AnyTypes, Withhold } from './plan/any-types.js';
export type { ContentEvent } from './plan/content-events.js';
export { CONVERSION_KINDS, type Conversion, type ConversionTarget } from './plan/conversion.js';
export type { ItemRange } from './plan/item-range.js';
export { LazyObject, objectOf } from './plan/lazy-object.js';
export { hold, TEXT, textOf, treatWhiteSpace, trimXml } from './plan/lexical.js';
export type { ChildPositions, LiftedMember, LiftStep } from './plan/lift-step.js';
export { CODEC_LIMITS, type CodecLimits } from './plan/limits.js';
export type {
  AnyPlan,
  Branch,
  BranchRule,
  Decoded,
  DecodeError,
  EncodeAttribute,
  EncodeElement,
  EncodeObject,
  EncodeSource,
  EncodeValue,
  EncodeVariant,
  FaultPlan,
  FaultPlans,
  FieldSlot,
  ObjectPlan,
  ObjectVariant,
  ReplyPlan,
  SlotSource,
  TablesPlan,
  UpstreamRefusal,
  ValuePlan,
} from './plan/plan.js';
export type { GroupParticle, RepeatedGroup } from './plan/repeated-group.js';
export type {
  BlockPlan,
  EncodeAttachment,
  RequestPlan,
  TemplateEvent,
  TemplatePart,
} from './plan/request-plan.js';
export { decodedScalar, LexicalError, type Scalar } from './plan/scalar.js';
export { SERIALIZATION_URI, XSI_URI } from './plan/xsi.js';
export type {
  AddressMaker,
  ContentPlace,
  ContentReceiver,
  FieldDigest,
} from './read/content-receiver.js';
export { type DecodeLimits, ReplyDecoder } from './read/decode.js';
export { noContentReply } from './read/empty-reply.js';
export { EncodedReply } from './read/encoded.js';
export {
  type ItemReceiver,
  type ReplyReceiver,
  receivedContent,
  receivedItems,
} from './read/reply-receiver.js';
export { MISSING } from './read/response-builder.js';
export { CODEC_REFUSALS } from './refusals.js';
export { FramePool } from './validity/frame-pool.js';
export { VALIDITY_LIMITS, type ValidityLimits } from './validity/limits.js';
export { FURTHER_ELEMENTS } from './validity/misplaced.js';
export { SchemaRules } from './validity/rules.js';
export { ContentValidator, type ValidatorOptions } from './validity/validator.js';
export type { Violation } from './validity/violation.js';
export { BASE64_SCALAR } from './values/base64.js';
export { CanonicalHash } from './values/canonical-hash.js';
export { FLOAT_SCALAR, withoutExponent } from './values/numeric-scalars.js';
export { listScalarOf, SCALAR_TYPES, scalarOf } from './values/scalars.js';
export { compileSimple, unsupportedFacets } from './values/simple-validity.js';
export { valueSpaceOf } from './values/value-space.js';
export { isWholeScalar, wholeNumberOf } from './values/whole-number.js';
export { prescribesForm } from './values/written-form.js';
export {
  addressingBlocks,
  type HeaderBlock,
  newMessageId,
  type RequestAddressing,
  writesMessageId,
} from './write/addressing-blocks.js';
export { encodeAttachments } from './write/attachments.js';
export { BinaryParts, type InlineFile } from './write/binary-parts.js';
export { encodeRequest, placeInRequest, type RequestValues } from './write/encode.js';
export { InputError, printErrorPath } from './write/input-error.js';
export type { EncodeLimits } from './write/leaves.js';
export { XML_DECLARATION } from './write/render.js';
export { skeletonOf } from './write/skeleton.js';
export { claimText, type RequestContext } from './write/source.js';
export { CallerNamespaces, xmlEvents } from './write/xml-input.js';
