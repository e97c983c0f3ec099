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

/**
 * The attributes of the tag being read: where the local part of each name begins, and its length.
 */
export const ATTRIBUTES = 0x500;
export const ATTRIBUTES_MAX = 16;

/** Prefixes that are bound, each with its colon. */
export const PREFIX = 0x600;
export const PREFIX_STRIDE = 16;
export const PREFIX_BYTES_MAX = 15;
export const PREFIXES_MAX = 16;

/**
 * Open elements by their depth: where the name begins, its length, children begun, whether the
 * skimmer may not close it.
 */
export const FRAME = 0x1000;
export const FRAME_STRIDE = 16;
export const FRAME_LENGTH = 4;
export const FRAME_CHILDREN = 8;
export const FRAME_IS_BARRED = 12;
export const DEPTH_MAX = 1023;

/** Their names, one behind the other. */
export const NAME = 0x6000;
export const NAMES_BYTES = 0x9000;

/** The part of the message that is read. */
export const CHUNK = 0x10000;
export const CHUNK_BYTES = 0x10000;
