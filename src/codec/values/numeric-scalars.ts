import { hold, shortLexical, trimXml } from '../plan/lexical.js';
import { LexicalError, type Scalar } from '../plan/scalar.js';
import { type Bounds, digitsRule, floatRule, integerRule, smallInteger } from './decimal.js';

/** An integer that fits GraphQL's `Int`. */
export function intScalar(min: number, max: number): Scalar {
  return {
    name: 'Int',
    decode: (lexical) => {
      const small = smallInteger(lexical);
      if (small >= min && small >= 0 && small <= max) return small;
      const text = trimXml(lexical);
      hold(integerRule(text, min, max));
      // Zero has no sign in XML Schema's integers.
      return Number(text) || 0;
    },
    encode: (value) => {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
        throw new LexicalError(`must be an integer from ${min} to ${max}`);
      }
      return String(value);
    },
  };
}

/**
 * A number of any size as a string that keeps every digit: `Long` and `BigInt` (integers) and
 * `Decimal`.
 */
export function digitsScalar(name: 'Long' | 'BigInt' | 'Decimal', bounds: Bounds): Scalar {
  const kind = name === 'Decimal' ? 'decimal' : 'integer';
  const form = name === 'Decimal' ? 'must be a decimal number' : 'must be an integer';
  const check = (lexical: string): string => {
    const text = trimXml(lexical);
    hold(digitsRule(text, kind, bounds));
    return text;
  };
  return {
    name,
    decode: check,
    encode: (value) => {
      if (typeof value === 'string') return check(value);
      if (typeof value === 'bigint') return check(String(value));
      if (typeof value !== 'number') throw new LexicalError(`${form}, as a string`);
      if (name !== 'Decimal' || Number.isInteger(value)) {
        if (!Number.isSafeInteger(value)) {
          throw new LexicalError(`${form}, as a string when it is large`);
        }
        return check(String(value));
      }
      return check(plainDecimal(value));
    },
  };
}

/** `xs:float` and `xs:double`. INF and NaN are values of XML Schema but not of JSON. */
export const FLOAT_SCALAR: Scalar = {
  name: 'Float',
  decode: (lexical) => {
    const text = shortLexical(lexical);
    hold(floatRule(text));
    const value = Number(text);
    if (!Number.isFinite(value)) throw new LexicalError(NOT_FINITE, true);
    return value;
  },
  encode: (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new LexicalError('must be a finite number');
    }
    // Negative zero is a value of its own in XML Schema; JavaScript would write it without its
    // sign.
    return Object.is(value, -0) ? '-0' : String(value).replace('+', '');
  },
};

const NOT_FINITE =
  'INF and NaN are no Float; `type: String` in the mapping of the field keeps them';

/** Beyond those of JavaScript's numbers. */
const EXPONENT_MAX = 400;

/** The shortest decimal form of a finite number, without an exponent. */
function plainDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new LexicalError('must be a finite number');
  return withoutExponent(String(value));
}

/**
 * A literal of a number without its exponent, every digit kept; as it is where that would be longer
 * than any value.
 */
export function withoutExponent(literal: string): string {
  const [mantissa = '', exponent] = literal.split(/[eE]/);
  if (exponent === undefined || Math.abs(Number(exponent)) > EXPONENT_MAX) return literal;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
