import type { Facets, SimpleType } from '../../wsdl/model.js';

/**
 * Tells at a glance of most texts that they are valid: plain digits, plain dates, a listed word. False says nothing, and
 * the whole check has to. Null for types of which nothing can be told so.
 */
export function quickCheck(
  type: SimpleType,
  check: (text: string) => string | null,
): ((text: string) => boolean) | null {
  const { variety, builtIn, enumeration, facets } = type;
  if (variety !== 'atomic') return null;
  if (enumeration !== null) {
    const words = new Set(enumeration.map(({ value }) => value).filter((value) => check(value) === null));
    return (text) => words.has(text);
  }
  const only = namesOf(facets);
  const digits = DIGITS.get(builtIn);
  if (digits !== undefined) return only.length === 0 ? (text) => isInteger(text, digits) : null;
  if (builtIn === 'string') return quickLength(facets, only);
  if (builtIn === 'decimal') return quickDecimal(facets, only);
  if (only.length > 0) return null;
  if (builtIn === 'double' || builtIn === 'float') return (text) => isDecimal(text, NUMBER_CHARS, NUMBER_CHARS);
  if (builtIn === 'boolean') return (text) => text === 'true' || text === 'false' || text === '0' || text === '1';
  if (builtIn === 'dateTime') return (text) => isDate(text) && text.length >= 19 && isTime(text);
  if (builtIn === 'date') return (text) => text.length === 10 && isDate(text);
  return null;
}

/** Facets that are there. */
export const namesOf = (facets: Facets): readonly string[] =>
  Object.entries(facets)
    .filter(([name, value]) => name !== 'whiteSpace' && value !== null && !(Array.isArray(value) && value.length === 0))
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

/** No longer than a number may be. */
const NUMBER_CHARS = 100;

function isInteger(text: string, digits: number): boolean {
  const start = digits > 0 && text.charCodeAt(0) === MINUS ? 1 : 0;
  const { length } = text;
  return length > start && length - start <= Math.abs(digits) && areDigits(text, start, length);
}

function areDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return false;
  }
  return true;
}

function isDecimal(text: string, total: number, fraction: number): boolean {
  const { length } = text;
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length === start || length > NUMBER_CHARS) return false;
  let point = -1;
  for (let at = start; at < length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === POINT && point < 0 && at > start && at < length - 1) point = at;
    else if (unit < ZERO || unit > NINE) return false;
  }
  return length - start <= total && (point < 0 || length - 1 - point <= fraction);
}

function quickDecimal({ totalDigits, fractionDigits }: Facets, only: readonly string[]): ReturnType<typeof quickCheck> {
  if (only.some((name) => name !== 'totalDigits' && name !== 'fractionDigits')) return null;
  const total = totalDigits ?? NUMBER_CHARS;
  const fraction = fractionDigits ?? NUMBER_CHARS;
  return (text) => isDecimal(text, total, fraction);
}

/** Characters are at most as many as UTF-16 units, and at least half as many. */
function quickLength(
  { minLength, maxLength, whiteSpace }: Facets,
  only: readonly string[],
): ReturnType<typeof quickCheck> {
  const isKept = whiteSpace === null || whiteSpace === 'preserve';
  if (!isKept || only.some((name) => name !== 'minLength' && name !== 'maxLength')) return null;
  const least = 2 * (minLength ?? 0);
  const most = maxLength ?? Number.POSITIVE_INFINITY;
  return ({ length }) => length >= least && length <= most;
}

/** `2024-03-11`, up to the 28th: those are days of every month. */
function isDate(text: string): boolean {
  if (text.charCodeAt(4) !== MINUS || text.charCodeAt(7) !== MINUS || !areDigits(text, 0, 4)) return false;
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  // There is no year 0.
  return month >= 1 && month <= 12 && day >= 1 && day <= 28 && text.charCodeAt(0) !== ZERO;
}

/** `T08:15:00`, digits behind a point, and `Z` or an offset of less than 14 hours. */
function isTime(text: string): boolean {
  if (text.charCodeAt(10) !== LETTER_T || text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return false;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  let at = 19;
  if (text.charCodeAt(at) === POINT) {
    const start = at + 1;
    do at++;
    while (at < NUMBER_CHARS && isDigit(text.charCodeAt(at)));
    if (at === start) return false;
  }
  const { length } = text;
  if (at === length || (at === length - 1 && text.charCodeAt(at) === LETTER_Z)) return true;
  const sign = text.charCodeAt(at);
  if (at !== length - 6 || (sign !== MINUS && sign !== PLUS) || text.charCodeAt(at + 3) !== COLON) return false;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  return hours >= 0 && hours <= 13 && minutes >= 0 && minutes <= 59;
}

/** -1 where it is not two digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
