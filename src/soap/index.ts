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
export {
  type DetailObserver,
  FaultReader,
  type FaultReason,
  SoapFaultError,
} from './fault/fault.js';
export { prepareFault, type Repair } from './fault/fault-answer.js';
export { FaultNames } from './fault/fault-names.js';
export { type DetailRules, EXCEPTION_DETAIL, FAULT_DETAIL_POLICIES } from './fault/fault-policy.js';
export { faultCodeOf, printFault } from './fault/print-fault.js';
export { Gate, type GateOptions, type GateOutput, type MessageReader } from './gate.js';
export {
  type Addressing,
  isAddressing,
  isAnonymous,
  WSA_1_0,
  WSA_2004_08,
} from './header/addressing.js';
export { FreshnessChecker } from './header/freshness.js';
export type { EnvelopeRules } from './header/header.js';
export { type BlockWriter, type HeaderPlace, printBlocks } from './header/header-place.js';
export { isSecurity, SECURITY_NAMES } from './header/security-reader.js';
export {
  type MadeSecurity,
  type SecurityWriter,
  securityWriter,
} from './header/security-writer.js';
export { type InflateLimits, SOAP_LIMITS } from './limits.js';
export type { AttachedPart } from './mime/attached-parts.js';
export { Attachments } from './mime/attachments.js';
export { BoundaryScanner, type ContentSink } from './mime/boundary.js';
export { afterBoundary, type BoundaryLine, PADDING_MAX } from './mime/boundary-line.js';
export { HeaderBytes } from './mime/header-bytes.js';
export { HeldPackage } from './mime/held-package.js';
export { IncludeReader, type SlicedContent, stepToInclude, XOP_URI } from './mime/include.js';
export type { IncludedPart } from './mime/kept-parts.js';
export {
  contentTypeRule,
  dialectsOfMediaType,
  isMediaType,
  type MediaType,
  printContentType,
  printMediaType,
  readContentType,
  readMediaType,
} from './mime/media-type.js';
export { MIME_LIMITS, type MimeLimits } from './mime/mime-limits.js';
export { type AttachmentSink, MultipartReader } from './mime/multipart.js';
export { type DocumentRepair, PackageRepair } from './mime/package-repair.js';
export {
  likelyEnvelopeType,
  PACKAGE,
  type PackageType,
  readPackageType,
  XOP_PACKAGE,
} from './mime/package-type.js';
export { PLAIN_CODINGS, readPartFields } from './mime/part-head.js';
export { References, referenceIn, type Spellings } from './mime/references.js';
export { WholePackage } from './mime/whole-package.js';
export {
  contentIdOf,
  type PackagePart,
  type PackagePiece,
  writePackage,
} from './mime/write-package.js';
export { PathText } from './path-text.js';
export { rebindWrapper } from './rebind-wrapper.js';
export { SOAP_REFUSALS } from './refusals.js';
export { actionOrNull, printableAction, readSoapAction } from './soap-action.js';
export { TextAtPath, type TextPath, textBlock } from './text-at-path.js';
