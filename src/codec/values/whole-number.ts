import type { SimpleType, xsd } from '../../wsdl/index.js';
import type { Scalar } from '../plan/scalar.js';
import { digitsScalar, intScalar } from './numeric-scalars.js';
import { scalarOf } from './scalars.js';
import { prescribesForm } from './written-form.js';

const INT = { min: -2_147_483_648n, max: 2_147_483_647n };
const LONG = { min: -9_223_372_036_854_775_808n, max: 9_223_372_036_854_775_807n };
const INT_SCALAR = intScalar(Number(INT.min), Number(INT.max));
const LONG_SCALAR = digitsScalar('Long', { min: String(LONG.min), max: String(LONG.max) });

/**
 * The scalar of a simple type, the smallest where facets say how large whole numbers are: `Int`,
 * else `Long`.
 */
export function wholeNumberOf(type: SimpleType): Scalar {
  const own = scalarOf(type);
  if (type.variety !== 'atomic' || !NUMBERS.has(own.name) || prescribesForm(type)) return own;
  const { isWhole, min, max } = rangeOf(type);
  if (!isWhole || min === null || max === null) return own;
  const fits = (range: { readonly min: bigint; readonly max: bigint }): boolean =>
    min >= range.min && max <= range.max;
  const scalar = fits(INT) ? INT_SCALAR : fits(LONG) ? LONG_SCALAR : null;
  if (scalar === null || scalar.name === own.name) return own;
  const isDecimal = type.builtIn === 'decimal';
  return {
    name: scalar.name,
    type,
    decode: (lexical) => scalar.decode(isDecimal ? withoutFraction(lexical) : lexical),
    encode: (value) => own.encode(scalar.encode(value)),
  };
}

const NUMBERS: ReadonlySet<string> = new Set(['Decimal', 'BigInt', 'Long']);

interface Range {
  isWhole: boolean;
  /** Null: there is no bound. */
  min: bigint | null;
  max: bigint | null;
}

function rangeOf(type: SimpleType): Range {
  const range: Range = {
    isWhole: type.builtIn !== 'decimal',
    ...(BUILT_INS.get(type.builtIn) ?? NO_BOUNDS),
  };
  for (let at: SimpleType | null = type; at !== null; at = at.base) {
    narrow(range, at.facets);
  }
  return range;
}

function narrow(range: Range, facets: xsd.Facets): void {
  if (facets.fractionDigits === 0) {
    range.isWhole = true;
  }
  const { totalDigits } = facets;
  const digits =
    totalDigits !== null && totalDigits <= DIGITS_MAX ? 10n ** BigInt(totalDigits) - 1n : null;
  for (const max of [digits, wholeIn(facets.maxInclusive), wholeIn(facets.maxExclusive)]) {
    if (max !== null && (range.max === null || max < range.max)) {
      range.max = max;
    }
  }
  const least = digits === null ? null : -digits;
  for (const min of [least, wholeIn(facets.minInclusive), wholeIn(facets.minExclusive)]) {
    if (min !== null && (range.min === null || min > range.min)) {
      range.min = min;
    }
  }
}

const DIGITS_MAX = 18;

/** A bound without its fraction, if it has no more digits than a number of 64 bits. */
function wholeIn(lexical: string | null): bigint | null {
  const digits =
    lexical === null ? null : /^\s*([+-]?)0*([0-9]{1,19})(?:\.[0-9]*)?\s*$/.exec(lexical);
  return digits === null ? null : BigInt(`${digits[1] === '-' ? '-' : ''}${digits[2]}`);
}

/** A whole number as decimal numbers may be written: `5.00`. */
const withoutFraction = (lexical: string): string =>
  /^(\s*[+-]?[0-9]+)\.0*\s*$/.exec(lexical)?.[1] ?? lexical;

type Bounds = Pick<Range, 'min' | 'max'>;

const NO_BOUNDS: Bounds = { min: null, max: null };

const BUILT_INS: ReadonlyMap<string, Bounds> = new Map<string, Bounds>([
  ['long', LONG],
  ['unsignedInt', { min: 0n, max: 4_294_967_295n }],
  ['unsignedLong', { min: 0n, max: 18_446_744_073_709_551_615n }],
  ['nonNegativeInteger', { min: 0n, max: null }],
  ['positiveInteger', { min: 1n, max: null }],
  ['nonPositiveInteger', { min: null, max: 0n }],
  ['negativeInteger', { min: null, max: -1n }],
]);

/** Whether a type can count. Workday counts in decimals. */
export const isWholeScalar = ({ name }: Scalar): boolean => name === 'Int' || NUMBERS.has(name);
