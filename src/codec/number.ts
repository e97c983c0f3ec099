import { shortLexical } from './lexical.js';
import { LexicalError, type Scalar } from './plan.js';

/** Bounds of a built-in type, lexical and inclusive; null where open. */
export interface Bounds {
  readonly min: string | null;
  readonly max: string | null;
}

// Applied to at most 128 characters, see `shortLexical`.
const INTEGER = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/;
const FLOAT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** An integer that fits GraphQL's `Int`. */
export function intScalar(min: number, max: number): Scalar {
  const range = `must be an integer from ${min} to ${max}`;
  return {
    name: 'Int',
    decode: (lexical) => {
      const text = shortLexical(lexical);
      const value = INTEGER.test(text) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) throw new LexicalError(range);
      return value === 0 ? 0 : value;
    },
    encode: (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
        throw new LexicalError(range);
      }
      return String(value);
    },
  };
}

/** A number of any size as a string that keeps every digit: `Long` and `BigInt` (integers) and `Decimal`. */
export function digitsScalar(name: 'Long' | 'BigInt' | 'Decimal', bounds: Bounds): Scalar {
  const pattern = name === 'Decimal' ? DECIMAL : INTEGER;
  const form = name === 'Decimal' ? 'must be a decimal number' : 'must be an integer';
  const check = (lexical: string): string => {
    const text = shortLexical(lexical);
    if (!pattern.test(text)) throw new LexicalError(form);
    checkBounds(text, bounds);
    return text;
  };
  return {
    name,
    decode: check,
    encode: (value) => {
      if (typeof value === 'string') return check(value);
      if (typeof value === 'bigint') return check(String(value));
      if (typeof value !== 'number') throw new LexicalError(`${form}, given as a string`);
      if (name !== 'Decimal' || Number.isInteger(value)) {
        if (!Number.isSafeInteger(value)) throw new LexicalError(`${form}, given as a string when it is large`);
        return check(String(value));
      }
      return check(plainDecimal(value));
    },
  };
}

function checkBounds(lexical: string, bounds: Bounds): void {
  if (bounds.min !== null && compareDecimals(lexical, bounds.min) < 0)
    throw new LexicalError(`must be at least ${bounds.min}`);
  if (bounds.max !== null && compareDecimals(lexical, bounds.max) > 0)
    throw new LexicalError(`must be at most ${bounds.max}`);
}

/** `xs:float` and `xs:double`. INF and NaN are values of XML Schema but not of JSON. */
export const FLOAT_SCALAR: Scalar = {
  name: 'Float',
  decode: (lexical) => {
    const text = shortLexical(lexical);
    if (text === 'INF' || text === '-INF' || text === 'NaN') throw new LexicalError('is not a finite number');
    if (!FLOAT.test(text)) throw new LexicalError('must be a number');
    const value = Number(text);
    if (!Number.isFinite(value)) throw new LexicalError('is not a finite number');
    return value;
  },
  encode: (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new LexicalError('must be a finite number');
    // Negative zero is a value of its own in XML Schema; JavaScript would write it without its sign.
    return Object.is(value, -0) ? '-0' : String(value).replace('+', '');
  },
};

/** The shortest decimal form of a finite number, without an exponent. */
function plainDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new LexicalError('must be a finite number');
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Compares two lexical decimals exactly: negative, zero or positive, as `a` is less, equal or greater. */
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

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The significant digits of a lexical decimal: no sign, no leading zeros, no trailing zeros after the point. */
export function partsOf(lexical: string): {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
} {
  const digits = lexical.startsWith('+') || lexical.startsWith('-') ? lexical.slice(1) : lexical;
  const [before = '', after = ''] = digits.split('.');
  const whole = before.replace(/^0+/, '');
  let end = after.length;
  while (end > 0 && after.charCodeAt(end - 1) === 0x30) end -= 1;
  const fraction = after.slice(0, end);
  return { negative: lexical.startsWith('-') && (whole !== '' || fraction !== ''), whole, fraction };
}
