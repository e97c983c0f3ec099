import { isShort, TOO_LONG } from '../plan/lexical.js';

/** Bounds of a built-in type, lexical and inclusive; null where open. */
export interface Bounds {
  readonly min: string | null;
  readonly max: string | null;
}

// Applied to at most 128 characters, see `isShort`.
const INTEGER = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/;
const FLOAT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** The rule that a trimmed text breaks as an integer within these bounds, or null. */
export function integerRule(text: string, min: number, max: number): string | null {
  const small = smallInteger(text);
  const value =
    small >= 0 ? small : isShort(text) && INTEGER.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? null : `must be an integer from ${min} to ${max}`;
}

/** The value of up to nine digits; -1 for anything else. The fast path for nearly every integer. */
export function smallInteger(text: string): number {
  if (text.length === 0 || text.length > 9) return -1;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Whether a text is digits with a point in them, as nearly every number is: faster than a pattern.
 */
function isPlain(text: string, kind: 'integer' | 'decimal'): boolean {
  let points = kind === 'integer' ? 1 : 0;
  const last = text.length - 1;
  for (let at = 0; at <= last; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) continue;
    if (unit !== 0x2e || at === 0 || ++points > 1) return false;
  }
  return last >= 0;
}

/** Whether so many digits without a sign are within the bounds, whatever they are. */
const isWithin = (digits: number, { min, max }: Bounds): boolean =>
  (min === null || min === '0' || min.startsWith('-')) &&
  (max === null || (digits < max.length && !max.startsWith('-')));

/** The rule that a trimmed text breaks as a number of any size, or null. */
export function digitsRule(
  text: string,
  kind: 'integer' | 'decimal',
  bounds: Bounds,
): string | null {
  if (!isShort(text)) return TOO_LONG;
  if (isPlain(text, kind)) {
    if (isWithin(text.length, bounds)) return null;
  } else if (kind === 'integer' ? !INTEGER.test(text) : !DECIMAL.test(text)) {
    return kind === 'integer' ? 'must be an integer' : 'must be a decimal number';
  }
  if (bounds.min !== null && compareDecimals(text, bounds.min) < 0) {
    return `must be at least ${bounds.min}`;
  }
  if (bounds.max !== null && compareDecimals(text, bounds.max) > 0) {
    return `must be at most ${bounds.max}`;
  }
  return null;
}

/**
 * The rule that a trimmed text breaks as `xs:float` or `xs:double`, or null. INF and NaN are values
 * of theirs.
 */
export function floatRule(text: string): string | null {
  if (text === 'INF' || text === '-INF' || text === 'NaN') return null;
  if (!isShort(text)) return TOO_LONG;
  return FLOAT.test(text) ? null : 'must be a number';
}

/** The value of a lexical `xs:double`; with `single`, rounded to that of an `xs:float`. */
export function floatOf(lexical: string, single: boolean): number {
  if (lexical === 'INF') return Number.POSITIVE_INFINITY;
  if (lexical === '-INF') return Number.NEGATIVE_INFINITY;
  const value = Number(lexical);
  return single ? Math.fround(value) : value;
}

/**
 * Compares two lexical decimals exactly: negative, zero or positive, as `a` is less, equal or
 * greater.
 */
export function compareDecimals(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const order =
    left.whole.length - right.whole.length ||
    compareText(left.whole, right.whole) ||
    compareText(left.fraction, right.fraction);
  return left.negative ? -order : order;
}

/** Compares by code unit, which is by value for digit strings of equal length and for fractions. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Equal for equal decimals. */
export function decimalKey(lexical: string): string {
  const { negative, whole, fraction } = partsOf(lexical);
  return `${negative ? '-' : ''}${whole}.${fraction}`;
}

/**
 * The significant digits of a lexical decimal: no sign, no leading zeros, no trailing zeros after
 * the point.
 */
export function partsOf(lexical: string): {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
} {
  const digits = lexical.startsWith('+') || lexical.startsWith('-') ? lexical.slice(1) : lexical;
  const [before = '', after = ''] = digits.split('.');
  const whole = before.replace(/^0+/, '');
  const fraction = withoutTrailingZeros(after);
  return {
    negative: lexical.startsWith('-') && (whole !== '' || fraction !== ''),
    whole,
    fraction,
  };
}

/** The digits behind a point that count. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) {
    end -= 1;
  }
  return digits.slice(0, end);
}
