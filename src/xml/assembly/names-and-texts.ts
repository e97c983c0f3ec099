// AssemblyScript, as `skim.ts`.
import { characterEnd, referenceEnd } from './characters';
import * as at from './layout';

/*
 * Sixteen bytes of each that are compared with. They lie in memory because the compiler of the
 * machine makes a constant of this size anew, by three instructions, wherever it stands.
 */
const COLONS = memory.data<u8>(
  [58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58, 58],
  16,
);
const TABS = memory.data<u8>([9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9], 16);
export const LINE_FEEDS = memory.data<u8>(
  [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
  16,
);
export const SPACES = memory.data<u8>(
  [32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32],
  16,
);
const TWOS = memory.data<u8>([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 16);
export const LESS = memory.data<u8>(
  [60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60],
  16,
);
export const GREATERS = memory.data<u8>(
  [62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62, 62],
  16,
);
export const AMPERSANDS = memory.data<u8>(
  [38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38, 38],
  16,
);
export const QUOTES = memory.data<u8>(
  [34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34, 34],
  16,
);
const LOW_HALVES = memory.data<u8>(
  [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15],
  16,
);
/** Characters of names, and the colon: a bit for each half of the byte. */
const BY_LOW = memory.data<u8>(
  [168, 248, 248, 248, 248, 248, 248, 248, 248, 248, 248, 80, 80, 84, 84, 112],
  16,
);
const BY_HIGH = memory.data<u8>([1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0], 16);

/** Bytes of the prefix of the name read last, the colon included. */
export let prefixed: u32 = 0;
/** The place of that prefix among those that are held. */
export let found: u32 = 0;

/**
 * Length of the qualified name at `i`, in ASCII, its prefix bound, with a byte behind it that
 * belongs to no name; else 0.
 */
export function nameLength(i: u32, end: u32): u32 {
  const bytes = v128.load(i);
  const length: u32 = ctz(~namesOf(bytes) | 0x10000);
  if (length === 16) return longNameLength(i, end);
  if (i + length >= end || length > load<u32>(at.MOST_NAME) || !isNameStart(load<u8>(i))) return 0;
  const colons = colonsOf(bytes) & ((1 << length) - 1);
  prefixed = 0;
  if (colons === 0) return length;
  const colon: u32 = ctz(colons);
  prefixed = colon + 1;
  // A colon is no first letter, so that one at the end shows here. Behind the end stands no letter.
  if ((colons & (colons - 1)) !== 0 || !isNameStart(load<u8>(i + prefixed))) return 0;
  return isBound(bytes, colon) ? length : 0;
}

function longNameLength(i: u32, end: u32): u32 {
  let length: u32 = 0;
  let colon: i32 = -1;
  for (;;) {
    const bytes = v128.load(i + length);
    const count: u32 = ctz(~namesOf(bytes) | 0x10000);
    const colons = colonsOf(bytes) & ((1 << count) - 1);
    if (colons !== 0) {
      if (colon >= 0 || (colons & (colons - 1)) !== 0) return 0;
      colon = length + ctz(colons);
    }
    length += count;
    if (count < 16) break;
    if (i + length >= end) return 0;
  }
  prefixed = colon + 1;
  if (i + length >= end || length > load<u32>(at.MOST_NAME) || !isNameStart(load<u8>(i))) return 0;
  if (colon < 0) return length;
  return colon < 16 && isNameStart(load<u8>(i + prefixed)) && isBound(v128.load(i), colon)
    ? length
    : 0;
}

/** A bit for each byte that may stand in a name, or is a colon. */
function namesOf(bytes: v128): i32 {
  const halves = v128.load(LOW_HALVES);
  const low = v128.swizzle(v128.load(BY_LOW), v128.and(bytes, halves));
  const high = v128.swizzle(v128.load(BY_HIGH), v128.and(v128.shr<u16>(bytes, 4), halves));
  return i8x16.bitmask(v128.ne<u8>(v128.and(low, high), i8x16.splat(0)));
}

function colonsOf(bytes: v128): i32 {
  return i8x16.bitmask(v128.eq<u8>(bytes, v128.load(COLONS)));
}

/** A letter or `_`. */
function isNameStart(byte: u32): bool {
  return (byte | 0x20) - 0x61 < 26 || byte === 0x5f;
}

/** Whether the prefix before the colon is bound. */
function isBound(bytes: v128, colon: u32): bool {
  const mask = (2 << colon) - 1;
  const last: u32 = at.PREFIX + load<u32>(at.PREFIXES) * at.PREFIX_STRIDE;
  for (let prefix: u32 = at.PREFIX; prefix < last; prefix += at.PREFIX_STRIDE) {
    if ((i8x16.bitmask(v128.ne<u8>(v128.load(prefix), bytes)) & mask) === 0) {
      found = (prefix - at.PREFIX) / at.PREFIX_STRIDE;
      return true;
    }
  }
  return false;
}

export function isSame(one: u32, other: u32, length: u32): bool {
  for (let k: u32 = 0; k < length; k += 16) {
    const differ = i8x16.bitmask(v128.ne<u8>(v128.load(one + k), v128.load(other + k)));
    const left = length - k;
    if ((left < 16 ? differ & ((1 << left) - 1) : differ) !== 0) return false;
  }
  return true;
}

/**
 * Returns the end of valid text: a `<`, or a character that the scanners must read. May lie beyond
 * `end`.
 */
export function textEnd(from: u32, end: u32): u32 {
  let base = from;
  while (base < end) {
    let stops = textStops(v128.load(base));
    let next = base + 16;
    while (stops !== 0) {
      const i = base + ctz(stops);
      if (i >= end) return end;
      const byte = load<u8>(i);
      if (byte === 0x3c) return i;
      let behind: u32 = i + 1;
      if (byte === 0x3e) {
        // XML 1.0 section 2.4: `]]>` ends a CDATA section and nothing else.
        if (i >= from + 2 && load<u16>(i - 2) === 0x5d5d) return i;
      } else if (byte !== 0x0d) {
        behind = byte === 0x26 ? referenceEnd(i, end) : characterEnd(i, end);
        if (behind === 0) return i;
        if (behind >= next) {
          next = behind;
          break;
        }
      }
      stops &= -1 << (behind - base);
    }
    base = next;
  }
  return base;
}

/** Returns the end of plain ASCII text without references; may lie beyond `end`. */
export function plainEnd(from: u32, end: u32): u32 {
  let i = from;
  while (i < end) {
    const stops = textStops(v128.load(i));
    if (stops !== 0) return i + ctz(stops);
    i += 16;
  }
  return i;
}

function textStops(bytes: v128): i32 {
  const white = v128.or(
    v128.eq<u8>(bytes, v128.load(TABS)),
    v128.eq<u8>(bytes, v128.load(LINE_FEEDS)),
  );
  // As numbers with a sign, bytes beyond ASCII are less than a space too.
  const control = v128.andnot(v128.lt<i8>(bytes, v128.load(SPACES)), white);
  // `<` and `>` differ in one bit.
  const angle = v128.eq<u8>(v128.or(bytes, v128.load(TWOS)), v128.load(GREATERS));
  return i8x16.bitmask(v128.or(control, v128.or(angle, v128.eq<u8>(bytes, v128.load(AMPERSANDS)))));
}

/** Returns the end of a plain value in double quotes; 0 when it is not plain. */
export function valueEnd(from: u32, end: u32): u32 {
  let i = from;
  while (i < end) {
    const bytes = v128.load(i);
    const control = v128.lt<i8>(bytes, v128.load(SPACES));
    const angle = v128.eq<u8>(bytes, v128.load(LESS));
    const mark = v128.or(
      v128.eq<u8>(bytes, v128.load(QUOTES)),
      v128.eq<u8>(bytes, v128.load(AMPERSANDS)),
    );
    const stops = i8x16.bitmask(v128.or(control, v128.or(angle, mark)));
    if (stops === 0) {
      i += 16;
      continue;
    }
    i += ctz(stops);
    if (i >= end) return 0;
    const byte = load<u8>(i);
    if (byte === 0x22) return i;
    i = byte === 0x26 ? referenceEnd(i, end) : characterEnd(i, end);
    if (i === 0) return 0;
  }
  return 0;
}
