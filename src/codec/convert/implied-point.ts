import { hold, isShort, TOO_LONG } from '../plan/lexical.js';
import { LexicalError } from '../plan/scalar.js';
import { digitsScalar } from '../values/numeric-scalars.js';

/**
 * Digits with a sign before or behind, as legacy backends write numbers. Returns whether the sign
 * is a minus, and where the digits that count begin and end; null for anything else.
 */
function digitsOf(
  text: string,
): { readonly isNegative: boolean; readonly start: number; readonly end: number } | null {
  if (!isShort(text)) return null;
  let start = 0;
  let end = text.length;
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(end - 1);
  let isNegative = false;
  if (first === MINUS || first === PLUS) {
    isNegative = first === MINUS;
    start = 1;
  } else if (last === MINUS || last === PLUS) {
    isNegative = last === MINUS;
    end -= 1;
  }
  if (start >= end) return null;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < ZERO || unit > NINE) return null;
  }
  while (start < end - 1 && text.charCodeAt(start) === ZERO) {
    start += 1;
  }
  return { isNegative, start, end };
}

/**
 * The number whose last `places` digits are behind a point: `0001990` is 19.90. Null where the text
 * is no such number.
 */
export function readImplied(text: string, places: number): string | null {
  const digits = digitsOf(text);
  if (digits === null) return null;
  const { start, end, isNegative } = digits;
  const isZero = end - start === 1 && text.charCodeAt(start) === ZERO;
  const sign = isNegative && !isZero ? '-' : '';
  if (places === 0) return sign + text.slice(start, end);
  const point = end - places;
  if (point > start) return `${sign}${text.slice(start, point)}.${text.slice(point, end)}`;
  return `${sign}0.${text.slice(start, end).padStart(places, '0')}`;
}

const DECIMAL = digitsScalar('Decimal', { min: null, max: null });

/**
 * A number without its point, padded to `digits`: 19.9 with two places is `1990`. Throws
 * `LexicalError` where digits of it would be lost.
 */
export function writeImplied(value: unknown, places: number, digits: number | null): string {
  const lexical = DECIMAL.encode(value);
  const isNegative = lexical.startsWith('-');
  const [whole = '', fraction = ''] = lexical.replace(/^[+-]/, '').split('.');
  const shown = fraction.slice(0, places).padEnd(places, '0');
  if (/[1-9]/.test(fraction.slice(places))) {
    throw new LexicalError(
      places === 0 ? 'must be a whole number' : `must have ${placesOf(places)} at most`,
    );
  }
  return padded(`${whole}${shown}`, isNegative, digits);
}

const placesOf = (places: number): string =>
  places === 1 ? 'one digit behind the point' : `${places} digits behind the point`;

/** The digits of a whole number, padded. Throws `LexicalError` where it has more. */
export function padded(digits: string, isNegative: boolean, width: number | null): string {
  const plain = digits.replace(/^0+(?=[0-9])/, '');
  if (width !== null && plain.length > width) {
    throw new LexicalError(`must have ${width} digits at most`);
  }
  const text = width === null ? plain : plain.padStart(width, '0');
  hold(isShort(text) ? null : TOO_LONG);
  return isNegative && plain !== '0' ? `-${text}` : text;
}

const ZERO = 0x30;
const NINE = 0x39;
const PLUS = 0x2b;
const MINUS = 0x2d;
