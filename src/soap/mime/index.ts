/** MIME packages: an envelope with attachments. */

export type { AttachedPart } from './attached-parts.js';
export { Attachments } from './attachments.js';
export { HeldPackage } from './held-package.js';
export { IncludeReader, XOP_URI } from './include.js';
export type { IncludedPart } from './kept-parts.js';
export { type AttachmentSink, MultipartReader } from './multipart.js';
export { bridgedPackageType } from './package-bridge.js';
export { PackageEditor } from './package-editor.js';
export { type DocumentRepair, PackageRepair } from './package-repair.js';
export {
  likelyEnvelopeType,
  PACKAGE,
  type PackageType,
  readPackageType,
  XOP_PACKAGE,
} from './package-type.js';
export { References, referenceIn, type Spellings } from './references.js';
export { contentIdOf, type PackagePart, type PackagePiece, writePackage } from './write-package.js';
