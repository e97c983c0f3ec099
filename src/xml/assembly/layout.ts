/**
 * The memory layout of the skimmer, for AssemblyScript and TypeScript. Addresses and sizes in
 * bytes. Areas that are read sixteen bytes at a time have sixteen readable bytes behind them. Below
 * 0x400 the compiler
 * puts what `skim.ts` compares with.
 */

/** Arguments and results of one call: numbers of four bytes each. */
export const DEPTH = 0x400;
export const LOWEST = 0x404;
export const ELEMENTS = 0x408;
export const PLAIN_END = 0x40c;
export const MOST_DEPTH = 0x410;
export const MOST_CHILDREN = 0x414;
export const MOST_ELEMENTS = 0x418;
export const MOST_ATTRIBUTES = 0x41c;
export const MOST_VALUE = 0x420;
export const MOST_NAME = 0x424;
export const PREFIXES = 0x428;
export const NAMES_END = 0x42c;
export const FLOOR = 0x430;
/** A bit for each prefix that is bound to a watched namespace, by its place. */
export const WATCHED = 0x434;
/** Whether Ids without a namespace are watched, too. */
export const WATCHES_IDS = 0x438;
/** Canonical content: elements without a prefix may be passed over. */
export const PASSES_DEFAULT = 0x43c;
/** How many of `EMPTY_TAGS` there are. */
export const EMPTY_TAGS_HELD = 0x440;
/** The selection of the element at `FLOOR`; 0: all of the content is passed over. */
export const SELECTION = 0x444;
/** The longest text of a leaf. */
export const MOST_TEXT = 0x448;
/** Events that were kept, and whether there is no room for further ones. */
export const EVENTS = 0x44c;
export const IS_FULL = 0x450;
/** Bytes in children that are not selected, and where the content of the last of them begins. */
export const PASSED_BYTES = 0x454;
export const PASSED_START = 0x458;
/** The name of that child and its length; 0: an event came after it, or there is none. */
export const PASSED_NAME = 0x45c;
export const PASSED_LENGTH = 0x460;

/**
 * The attributes of the tag being read: where the local part of each name begins, and its length.
 */
export const ATTRIBUTES = 0x500;
export const ATTRIBUTES_MAX = 16;
/** The beginnings and ends of their values. */
export const VALUES = 0x580;

/** Prefixes that are bound, each with its colon. */
export const PREFIX = 0x600;
export const PREFIX_STRIDE = 16;
export const PREFIX_BYTES_MAX = 15;
export const PREFIXES_MAX = 16;

/**
 * Open elements by their depth: where the name begins, its length, children begun, and whether the
 * skimmer may not close it, or passed over text of it that is not white.
 */
export const FRAME = 0x1000;
export const FRAME_STRIDE = 16;
export const FRAME_LENGTH = 4;
export const FRAME_CHILDREN = 8;
export const FRAME_IS_BARRED = 12;
export const BARRED = 1;
export const HAS_TEXT = 2;
export const DEPTH_MAX = 1023;

/** The selection of each open element; 0: its content is passed over. */
export const FRAME_SELECTION = 0x5000;

/** Their names, one behind the other. */
export const NAME = 0x6000;
export const NAMES_BYTES = 0x9000;

/** The part of the message that is read. */
export const CHUNK = 0x10000;
export const CHUNK_BYTES = 0x10000;

/*
 * Content that is validated while it is passed over: `skim-model.ts`. All records are of numbers of
 * four bytes each; an address of 0 is none.
 */

/** Arguments and results of one call, besides those above that both have. */
export const MODEL_DEPTH = 0x20100;
export const MODEL_LOWEST = 0x20104;
export const MODEL_NAMES_END = 0x20108;
export const MODEL_COUNTS_END = 0x2010c;
export const MODEL_FLOOR = 0x20110;
/** The stop was at a start tag to which no transition leads. */
export const MODEL_IS_UNKNOWN = 0x20114;
/** The number of the namespace of names without a prefix; 0: no element has it. */
export const DEFAULT_URI = 0x20118;
/** The `<` of the start tag that opened an element last, or the last byte of what ended one. */
export const MODEL_EVENT = 0x2011c;
/** The number of the namespace of `xsi:nil`; 0: no element that is known may be nil. */
export const NIL_URI = 0x20120;
/** The number of the scope of namespaces in force; 0: names are not kept as they are written. */
export const MODEL_SCOPE = 0x20124;
/** The numbers of the namespaces of `PREFIX`. */
export const PREFIX_URI = 0x20140;

/** Open elements, with the fields of `FRAME` and these: the state, and counts by name. */
export const MODEL_FRAME = 0x21000;
export const MODEL_FRAME_STRIDE = 32;
export const FRAME_STATE = 16;
export const FRAME_COUNTS = 20;
export const MODEL_DEPTH_MAX = 254;
export const MODEL_NAME = 0x23000;
export const MODEL_NAMES_BYTES = 0x4000;
/** The children begun of each open element, by their names. */
export const MODEL_COUNTS = 0x28000;
export const MODEL_COUNTS_BYTES = 0x4000;

/** Events of selected content. */
export const EVENT = 0x240000;
export const EVENT_STRIDE = 16;
export const EVENTS_MAX = 1024;
/** The most that one tag adds. */
export const EVENTS_OF_TAG = 17;
/** The kind, as below; whether the text is other than plain ASCII; the place of the child. */
export const EVENT_IS_WRITTEN = 4;
export const EVENT_PLACE_SHIFT = 3;
/** A leaf: where its text begins and ends. */
export const KEPT_LEAF = 0;
/** A start tag: its `<`, and behind its `>`. */
export const KEPT_OPEN = 1;
/** An attribute of the start tag before: its value; the place is the length of its name. */
export const KEPT_ATTRIBUTE = 2;
/** An end tag: its `<`, and behind its `>`. */
export const KEPT_CLOSE = 3;
export const EVENT_START = 4;
export const EVENT_END = 8;
/** The beginning of the name of an attribute; the bytes of prefix and colon of a start tag. */
export const EVENT_NAME = 12;

/** A state of a content model: its first transition, whether the content may end, its number. */
export const STATE_FIRST = 0;
export const STATE_MAY_END = 4;
export const STATE_INDEX = 8;
/** The transition that was taken last. */
export const STATE_LAST = 12;
export const STATE_BYTES = 16;

/** A transition to an element, by its name. */
export const EDGE_NEXT = 0;
export const EDGE_URI = 4;
export const EDGE_LENGTH = 8;
export const EDGE_TO = 12;
/** The count of the element, from the counts of its parent on. */
export const EDGE_COUNT = 16;
export const EDGE_ELEMENT = 20;
/** The name as it was written last, in this scope of namespaces. */
export const EDGE_SCOPE = 24;
export const EDGE_WRITTEN_LENGTH = 28;
export const EDGE_WRITTEN = 32;
export const EDGE_WRITTEN_MAX = 32;
export const EDGE_NAME = 64;

/** A declared element or attribute: first of all the form of its text, with two numbers. */
export const TEXT_FORM = 0;
export const TEXT_FIRST = 4;
export const TEXT_SECOND = 8;
/** An element: its first attribute, those that are required, and of a model its start. */
export const ELEMENT_ATTRIBUTES = 12;
export const ELEMENT_REQUIRED = 16;
export const ELEMENT_START = 20;
/** The bytes of the counts of its children. */
export const ELEMENT_COUNTS = 24;
export const ELEMENT_IS_NILLABLE = 28;
export const ELEMENT_BYTES = 32;
/** An attribute: the next one, its bit, and its name. */
export const ATTRIBUTE_NEXT = 12;
export const ATTRIBUTE_BIT = 16;
export const ATTRIBUTE_LENGTH = 20;
export const ATTRIBUTE_LOCAL = 32;
/** A word of a list. */
export const WORD_NEXT = 0;
export const WORD_LENGTH = 4;
export const WORD_BYTES = 16;

/** The forms of texts. What is of another form is read by the scanners. */
export const FORM_OTHER = 0;
/** No text: a content model. */
export const FORM_MODEL = 1;
export const FORM_NONE = 2;
/** Any text. */
export const FORM_ANY = 3;
/** Digits: at most so many, and whether there may be a sign. */
export const FORM_INTEGER = 4;
/** Digits and a point: at most so many digits, and behind the point. */
export const FORM_DECIMAL = 5;
/** A word: the first of a list. */
export const FORM_WORDS = 6;
/** Plain characters: at least and at most so many. */
export const FORM_LENGTH = 7;
export const FORM_DATE = 8;
export const FORM_DATE_TIME = 9;

/**
 * Tags of empty elements in canonical content that was passed over: the address of the `/`, that of
 * the name, and its length.
 */
export const EMPTY_TAGS = 0x2c000;
export const EMPTY_TAG_STRIDE = 12;
export const EMPTY_TAGS_MAX = 1024;
export const EMPTY_TAG_NAME = 4;
export const EMPTY_TAG_LENGTH = 8;

/** Records are put here one behind the other. */
export const RECORDS = 0x30000;
export const RECORDS_END = 0x230000;

/** Selections, one behind the other: how many children, then these. */
export const SELECTIONS = 0x230000;
export const SELECTIONS_END = 0x240000;
export const SELECTED = 16;
export const SELECTED_BYTES = 64;
/** A child: the number of its namespace, what its content is, whether attributes are reported. */
export const SELECTED_URI = 0;
export const SELECTED_CONTENT = 4;
export const SELECTED_HAS_ATTRIBUTES = 8;
export const SELECTED_LENGTH = 12;
export const SELECTED_NAME = 16;
export const SELECTED_NAME_MAX = 48;
/** The content of a child that the scanners read, and of a leaf; others: a selection's address. */
export const CONTENT_OTHER = 0;
export const CONTENT_LEAF = 1;

export const MEMORY_END = 0x250000;
