/** Parts of any multipart body: boundaries and heads. */

export { BoundaryScanner, type ContentSink } from './boundary.js';
export { afterBoundary, type BoundaryLine, PADDING_MAX } from './boundary-line.js';
export { HeaderBytes } from './header-bytes.js';
export { PLAIN_CODINGS, readPartFields } from './part-head.js';
