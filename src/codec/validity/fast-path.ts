import { Buffer } from 'node:buffer';
import type { SimpleType, xsd } from '../../wsdl/index.js';
import type { BytesTest } from '../../xml/index.js';
import { isDigit, isPlainDate, PLAIN_CHARS } from '../values/plain-date.js';

/**
 * Makes a fast test for most valid texts of a type: simple digits, simple dates, a listed word. It
 * looks at bytes of ASCII, so that no string has to be made. After false the full check decides.
 * Null for types without such a test.
 */
export function fastTestOf(
  type: SimpleType,
  check: (text: string) => string | null,
): BytesTest | null {
  const { variety, builtIn, enumeration, facets } = type;
  if (variety !== 'atomic') return null;
  if (enumeration !== null) {
    return testWords(
      enumeration.map(({ value }) => value).filter((value) => check(value) === null),
    );
  }
  const only = namesOf(facets);
  const digits = DIGITS.get(builtIn);
  if (digits !== undefined) {
    return only.length === 0 ? (bytes, start, end) => isInteger(bytes, start, end, digits) : null;
  }
  if (builtIn === 'string') return testLength(facets, only);
  if (builtIn === 'decimal') return testDecimal(facets, only);
  if (only.length > 0) return null;
  if (builtIn === 'double' || builtIn === 'float') {
    return (bytes, start, end) => isDecimal(bytes, start, end, PLAIN_CHARS, PLAIN_CHARS);
  }
  if (builtIn === 'boolean') return testWords(['true', 'false', '0', '1']);
  if (builtIn === 'dateTime' || builtIn === 'date') {
    return (bytes, start, end) => isPlainDate(bytes, start, end, builtIn);
  }
  return null;
}

/** Facets that are there. */
export const namesOf = (facets: xsd.Facets): readonly string[] =>
  Object.entries(facets)
    .filter(
      ([name, value]) =>
        name !== 'whiteSpace' && value !== null && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name]) => name);

/** Digits of which any number is of the type; negative: without a sign. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ['byte', 2],
  ['short', 4],
  ['int', 9],
  ['long', 18],
  ['integer', 18],
  ['unsignedByte', -2],
  ['unsignedShort', -4],
  ['unsignedInt', -9],
  ['unsignedLong', -19],
  ['nonNegativeInteger', -18],
]);

function isInteger(bytes: Uint8Array, start: number, end: number, digits: number): boolean {
  const first = digits > 0 && bytes[start] === MINUS ? start + 1 : start;
  return end > first && end - first <= Math.abs(digits) && areDigits(bytes, first, end);
}

function areDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at])) return false;
  }
  return true;
}

function isDecimal(
  bytes: Uint8Array,
  start: number,
  end: number,
  total: number,
  fraction: number,
): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (end === first || end - start > PLAIN_CHARS) return false;
  let point = -1;
  for (let at = first; at < end; at++) {
    if (isDigit(bytes[at])) continue;
    if (bytes[at] !== POINT || point >= 0 || at === first || at === end - 1) return false;
    point = at;
  }
  return end - first <= total && (point < 0 || end - 1 - point <= fraction);
}

function testDecimal(
  { totalDigits, fractionDigits }: xsd.Facets,
  only: readonly string[],
): BytesTest | null {
  if (only.some((name) => name !== 'totalDigits' && name !== 'fractionDigits')) return null;
  const total = totalDigits ?? PLAIN_CHARS;
  const fraction = fractionDigits ?? PLAIN_CHARS;
  return (bytes, start, end) => isDecimal(bytes, start, end, total, fraction);
}

function testLength(
  { minLength, maxLength, whiteSpace }: xsd.Facets,
  only: readonly string[],
): BytesTest | null {
  const isKept = whiteSpace === null || whiteSpace === 'preserve';
  if (!isKept || only.some((name) => name !== 'minLength' && name !== 'maxLength')) return null;
  const least = minLength ?? 0;
  const most = maxLength ?? Number.POSITIVE_INFINITY;
  return (_bytes, start, end) => end - start >= least && end - start <= most;
}

/** Longer lists are left to the full check. */
const WORDS_MAX = 32;

function testWords(words: readonly string[]): BytesTest | null {
  if (words.length > WORDS_MAX) return null;
  const all = words.map((word) => Buffer.from(word));
  return (bytes, start, end) => {
    for (const word of all) {
      if (word.length === end - start && isSame(word, bytes, start)) return true;
    }
    return false;
  };
}

function isSame(word: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    if (word[at] !== bytes[start + at]) return false;
  }
  return true;
}

const MINUS = 0x2d;
const POINT = 0x2e;
