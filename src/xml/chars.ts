/**
 * A byte a name may be made of; bytes from 0x80 on are checked as characters when the name is
 * complete.
 */
export const IN_NAME = 1;
/** A byte that ends a plain run of character data. */
export const STOPS_TEXT = 2;
/** A byte that ends a plain run of an attribute value. */
export const STOPS_VALUE = 4;
/** A byte that ends a plain run of a CDATA section. */
export const STOPS_CDATA = 16;
/** White space: production S. */
export const SPACE = 32;
/** A control character that XML 1.0 does not know. */
export const CONTROL = 64;

/** The classes of each byte, one bit per class, so that a hot loop needs one look-up. */
export const CLASS = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) {
    const character = String.fromCharCode(byte);
    const space = '\t\n\r '.includes(character);
    const control = byte < 0x20 && !space;
    const always = control || byte >= 0x80;
    table[byte] =
      (/[A-Za-z0-9_:.-]/.test(character) || byte >= 0x80 ? IN_NAME : 0) |
      (always || '<&>\r'.includes(character) ? STOPS_TEXT : 0) |
      (always || '<&"\'\t\n\r'.includes(character) ? STOPS_VALUE : 0) |
      (always || ']\r'.includes(character) ? STOPS_CDATA : 0) |
      (space ? SPACE : 0) |
      (control ? CONTROL : 0);
  }
  return table;
}

/**
 * Length of the UTF-8 sequence at `at`: 2 to 4, or 0 when it is malformed (overlong, a surrogate,
 * beyond U+10FFFF, cut off), or -1 when it is well-formed but no XML character (U+FFFE, U+FFFF).
 * For bytes from 0x80 on only.
 */
export function utf8Length(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4 || at + 1 >= end) return 0;
  const second = bytes[at + 1]!;
  if ((second & 0xc0) !== 0x80) return 0;
  if (first < 0xe0) return 2;
  if (at + 2 >= end || (bytes[at + 2]! & 0xc0) !== 0x80) return 0;
  if (first < 0xf0) {
    if (first === 0xe0 && second < 0xa0) return 0;
    if (first === 0xed && second >= 0xa0) return 0;
    return first === 0xef && second === 0xbf && bytes[at + 2]! >= 0xbe ? -1 : 3;
  }
  if (at + 3 >= end || (bytes[at + 3]! & 0xc0) !== 0x80) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  return first === 0xf4 && second >= 0x90 ? 0 : 4;
}

/**
 * How many bytes at the end, from `start` on, are the beginning of a sequence that the next chunk
 * may complete: 0 to 3.
 */
export function unfinishedBytes(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end - start; back++) {
    const byte = bytes[end - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceBytes(byte) > back ? back : 0;
  }
  return 0;
}

/**
 * How many bytes a sequence with this first byte has; 1 for a byte that cannot be the first of a
 * longer one.
 */
export function sequenceBytes(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** Production Char of XML 1.0. */
export function isXmlChar(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return (
    code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
  );
}

/**
 * Production NCName of Namespaces in XML 1.0, with the name characters of XML 1.0 fifth edition.
 */
export function isNcName(name: string): boolean {
  // ASCII names, at a tenth of the cost.
  if (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) return true;
  let first = true;
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x3a || !(isNameStart(code) || (!first && isNameRest(code)))) return false;
    first = false;
  }
  return !first;
}

const START_RANGES = [
  0x3a, 0x3a, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x2ff, 0x370, 0x37d,
  0x37f, 0x1fff, 0x200c, 0x200d, 0x2070, 0x218f, 0x2c00, 0x2fef, 0x3001, 0xd7ff, 0xf900, 0xfdcf,
  0xfdf0, 0xfffd, 0x10000, 0xeffff,
];
const REST_RANGES = [0x2d, 0x2e, 0x30, 0x39, 0xb7, 0xb7, 0x300, 0x36f, 0x203f, 0x2040];

const isNameStart = (code: number): boolean => within(START_RANGES, code);
const isNameRest = (code: number): boolean => within(REST_RANGES, code);

function within(ranges: readonly number[], code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (code >= ranges[i]! && code <= ranges[i + 1]!) return true;
  }
  return false;
}
