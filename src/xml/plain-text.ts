/**
 * SIMD within a register: runs of plain characters, passed over four bytes at a time. A word is
 * tested as a whole with the arithmetic of "has a byte that is zero" (Warren, Hacker's Delight,
 * section 6-1), which may take a plain word for one that is not, and never the other way round. A
 * DataView, because it reads words that are not aligned, and because V8 checks every access to a
 * typed array once any buffer of the process has been detached, which is soon the case: fewer,
 * wider reads cost less.
 */

const ONES = 0x01010101;
const HIGHS = 0x80808080 | 0;
/** Below it are control characters. */
const SPACES = 0x20202020;
/** A line feed and three spaces, as they stand in memory. */
const LINE_AND_SPACES = 0x2020200a;

/** The view of no chunk. */
export const NO_VIEW: DataView = new DataView(new ArrayBuffer(0));

/**
 * Passes over text up to a `<`, `>`, `&`, a control character other than line feed and tab, or a
 * byte beyond ASCII; stops early near `end`. Words of white space are passed over at once: indented
 * messages are full of them.
 */
export function skipPlainText(view: DataView, i: number, end: number): number {
  const last = end - 4;
  while (i <= last) {
    const word = view.getInt32(i, true);
    if (word === SPACES || word === LINE_AND_SPACES) {
      i += 4;
      continue;
    }
    // `<` and `>` differ in one bit.
    const angles = (word | 0x02020202) ^ 0x3e3e3e3e;
    const ampersands = word ^ 0x26262626;
    const stops =
      (word |
        ((word - SPACES) & ~word) |
        ((angles - ONES) & ~angles) |
        ((ampersands - ONES) & ~ampersands)) &
      HIGHS;
    if (stops === 0) {
      i += 4;
      continue;
    }
    const shift = firstShift(stops);
    const byte = (word >>> shift) & 0xff;
    i += shift >> 3;
    if (byte !== 0x0a && byte !== 0x09) return i;
    i++;
  }
  return i;
}

/**
 * Skips plain characters of an attribute value, up to a `<`, `&`, quote, control character or byte
 * beyond ASCII.
 */
export function skipPlainValue(view: DataView, i: number, end: number): number {
  const last = end - 4;
  while (i <= last) {
    const word = view.getInt32(i, true);
    const angles = word ^ 0x3c3c3c3c;
    // `&` and `'` differ in one bit.
    const marks = (word | ONES) ^ 0x27272727;
    const quotes = word ^ 0x22222222;
    const stops =
      (word |
        ((word - SPACES) & ~word) |
        ((angles - ONES) & ~angles) |
        ((marks - ONES) & ~marks) |
        ((quotes - ONES) & ~quotes)) &
      HIGHS;
    if (stops !== 0) return i + (firstShift(stops) >> 3);
    i += 4;
  }
  return i;
}

/**
 * How far to shift for the first byte of a word that has its flag, the highest bit. Borrows of the
 * subtractions above run towards higher bytes, so the first flag is never a false one.
 */
const firstShift = (stops: number): number => (31 - Math.clz32(stops & -stops)) & 24;
