/**
 * The state of the scanner between two bytes. Numbers, because the hot path compares them. From
 * `START_NAME` to `EMPTY` it is inside a start tag.
 */
export type State = number;

/** In the name of a start tag. */
export const START_NAME = 1;
/** Between the parts of a start tag. */
export const IN_TAG = 2;
export const ATTRIBUTE_NAME = 3;
/** Before the `=` of an attribute. */
export const EQUALS = 4;
/** Before the first quote of an attribute. */
export const QUOTE = 5;
export const VALUE = 6;
export const VALUE_REFERENCE = 7;
/** Behind the `/` of an empty element. */
export const EMPTY = 8;
export const END_NAME = 9;
/** Behind the name of an end tag. */
export const END_SPACE = 10;
/** Before and behind the document element. */
export const OUTSIDE = 11;
export const CONTENT = 12;
/** Behind a `<`. */
export const MARKUP = 13;
export const CONTENT_REFERENCE = 14;
/** In the word `[CDATA[`. */
export const CDATA_START = 15;
export const CDATA = 16;
/** Behind a `<!`. */
export const DECLARATION = 17;
/** Behind a `<!-`. */
export const COMMENT_START = 18;
export const COMMENT = 19;
/** In the target of a processing instruction. */
export const INSTRUCTION_TARGET = 20;
/** Behind the target. */
export const INSTRUCTION = 21;
