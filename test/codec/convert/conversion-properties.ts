import fc from 'fast-check';
import { convertedScalar } from '../../../src/codec/convert/converted-scalar.js';
import type { Conversion, ConversionTarget } from '../../../src/codec/plan/conversion.js';
import { LexicalError, type Scalar } from '../../../src/codec/plan/scalar.js';
import { scalarOf } from '../../../src/codec/values/scalars.js';
import { STRING } from '../../../src/wsdl/xsd/builtin.js';
import { DAY, digitsOf, IntlTimes, utcOf } from './intl-times.js';

/** There and back: what holds for each value of a conversion. */

export interface ConversionProperty {
  readonly name: string;
  /** Throws with the value for which it does not hold. Without a seed: that of all tests. */
  check(runs: number, seed?: number): void;
}

const property = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => boolean,
): ConversionProperty => ({
  name,
  check: (numRuns, seed) =>
    fc.assert(fc.property(values, holds), seed === undefined ? { numRuns } : { numRuns, seed }),
});

export const converted = (
  target: ConversionTarget | null,
  more: Partial<Conversion> = {},
): Scalar =>
  convertedScalar(STRING, scalarOf(STRING), { target, trims: false, nulls: [], ...more }, 'Values');

/** What is read of a text; 'unknown' where the mapping does not know it. */
export function readOf(scalar: Scalar, text: string): unknown {
  try {
    return scalar.decode(text);
  } catch (caught) {
    if (caught instanceof LexicalError && caught.isValid) return 'unknown';
    throw caught;
  }
}

const two = (value: number): string => String(value).padStart(2, '0');

const dates = fc
  .tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`);
const times = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
  )
  .map((parts) => parts.map(two).join(':'));
/** The days of a century as two digits of the year have it. */
const recent = fc
  .integer({ min: Date.UTC(1969, 0) / DAY, max: Date.UTC(2068, 11, 31) / DAY })
  .map((day) => new Date(day * DAY).toISOString().slice(0, 10));
const decimals = (places: number): fc.Arbitrary<string> =>
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((value) => {
    const digits = String(value < 0n ? -value : value).padStart(places + 1, '0');
    const sign = value < 0n ? '-' : '';
    if (places === 0) return `${sign}${digits}`;
    return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
  });

export const ENUMERATION = new Map([
  ['OPEN', '1'],
  ['SHIPPED', '2'],
  ['LOST', ' '],
]);

const exact = (name: string, scalar: Scalar, values: fc.Arbitrary<unknown>): ConversionProperty =>
  property(
    `${name}: each value comes back from its text`,
    values,
    (value) => scalar.decode(scalar.encode(value)) === value,
  );

/** Values that come back as they were. */
const EXACT: readonly ConversionProperty[] = [
  exact('boolean', converted({ kind: 'boolean', texts: { true: 'J', false: 'N' } }), fc.boolean()),
  exact(
    'enum',
    converted({ kind: 'enum', texts: ENUMERATION }),
    fc.constantFrom(...ENUMERATION.keys()),
  ),
  exact('date', converted({ kind: 'date', pattern: 'yyyyMMdd' }), dates),
  exact('date by its day of the year', converted({ kind: 'date', pattern: 'yyyyDDD' }), dates),
  exact('date of variable width', converted({ kind: 'date', pattern: 'd.M.yyyy' }), dates),
  exact('date of a short year', converted({ kind: 'date', pattern: 'ddMMyy' }), recent),
  exact(
    'date that may be null',
    converted({ kind: 'date', pattern: 'yyyyMMdd' }, { nulls: ['00000000', ''] }),
    fc.oneof({ weight: 9, arbitrary: dates }, fc.constant(null)),
  ),
  exact('time', converted({ kind: 'time', pattern: 'HHmmss' }), times),
  exact('decimal', converted({ kind: 'decimal', places: 2, digits: null }), decimals(2)),
  exact(
    'decimal without places',
    converted({ kind: 'decimal', places: 0, digits: 31 }),
    decimals(0),
  ),
  exact(
    'decimal of many places',
    converted({ kind: 'decimal', places: 18, digits: 38 }),
    decimals(18),
  ),
  exact(
    'integer',
    converted({ kind: 'integer', digits: 9 }),
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
  ),
  exact(
    'integer that may be null',
    converted({ kind: 'integer', digits: 4 }, { nulls: ['0000', '9999'] }),
    fc.integer({ min: 1, max: 9998 }),
  ),
  exact(
    'long integer',
    converted({ kind: 'integer', digits: 18 }),
    fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map(String),
  ),
  exact(
    'trimmed text',
    converted(null, { trims: true, nulls: ['', '*'] }),
    fc
      .string()
      .map((text) => text.replaceAll(/[^ -~]/g, '').trim())
      .filter((text) => text !== '' && text !== '*'),
  ),
  ...['+00:00', '+05:30', '-11:00', 'UTC'].map((zone) =>
    exact(
      `dateTime in ${zone}`,
      converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmssSSS', zone }),
      fc
        .tuple(dates, times, fc.integer({ min: 0, max: 999 }))
        .map(
          ([date, time, millis]) =>
            `${date}T${time}.${String(millis).padStart(3, '0')}` +
            `${/^UTC$|00:00$/.test(zone) && !zone.startsWith('-') ? 'Z' : zone}`,
        ),
    ),
  ),
  exact(
    'dateTime with its offset',
    converted({ kind: 'dateTime', pattern: "yyyyMMdd'T'HHmmssxxx", zone: null }),
    fc
      .tuple(dates, times, fc.constantFrom('+01:00', '-09:30', 'Z'))
      .map(([date, time, offset]) => `${date}T${time}${offset}`),
  ),
];

const inZone = (zone: string): Scalar =>
  converted({ kind: 'dateTime', pattern: 'yyyyMMddHHmmss', zone });

/** Half hours, quarters, changes by half an hour, at midnight, by a day, and often. */
const ZONES = [
  'Europe/Zurich',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Asia/Gaza',
  'Africa/Cairo',
  'Pacific/Apia',
];

function instantProperty(zone: string): ConversionProperty {
  const scalar = inZone(zone);
  const intl = new IntlTimes(zone);
  const name = `${zone}: an instant comes back from its local time, or is the later of two`;
  const values = fc.integer({ min: 0, max: Date.UTC(2037, 0) / 1000 });
  return property(name, values, (seconds) => {
    const instant = seconds * 1000;
    try {
      const back = scalar.decode(scalar.encode(new Date(instant).toISOString()));
      return typeof back === 'string' && Date.parse(back) === instant;
    } catch (caught) {
      if (!(caught instanceof LexicalError)) throw caught;
      return intl.instantsOf(instant + intl.offsetAt(instant)).indexOf(instant) === 1;
    }
  });
}

function localTimeProperty(zone: string): ConversionProperty {
  const scalar = inZone(zone);
  const intl = new IntlTimes(zone);
  const changes = intl.changes(Date.UTC(1980, 0), Date.UTC(2037, 0));
  const name = `${zone}: local times are those of Intl: of two the earlier, in a gap none`;
  const values = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -7200, max: 2 * 86_400 }))
    .map(([change, seconds]) => digitsOf(change + seconds * 1000));
  return property(name, values, (text) => {
    const value = readOf(scalar, text);
    const [earlier] = intl.instantsOf(utcOf(text));
    if (value === 'unknown') return earlier === undefined;
    return typeof value === 'string' && Date.parse(value) === earlier;
  });
}

/** Decimals by their places. */
const DECIMALS = Array.from({ length: 7 }, (_, places) =>
  converted({ kind: 'decimal', places, digits: null }),
);
const INTEGER = converted({ kind: 'integer', digits: 18 });

const blanks = fc.constantFrom('', ' ', '   ', '\t', '\n  ');

const NUMBERS = property(
  'numbers are read with a sign before or behind, blanks around and zeros before',
  fc.tuple(
    blanks,
    fc.constantFrom('', '-', '+'),
    fc.boolean(),
    fc.integer({ min: 0, max: 12 }),
    fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }),
    blanks,
    fc.nat(DECIMALS.length - 1),
  ),
  ([before, sign, isBehind, zeros, number, after, places]) => {
    const digits = '0'.repeat(zeros) + String(number);
    const text = before + (isBehind ? digits + sign : sign + digits) + after;
    const minus = sign === '-' && number !== 0n ? '-' : '';
    const scale = 10n ** BigInt(places);
    const fraction = String(number % scale).padStart(places, '0');
    const value = `${minus}${number / scale}${places === 0 ? '' : `.${fraction}`}`;
    const decimal = DECIMALS[places];
    return (
      decimal !== undefined &&
      readOf(decimal, text) === value &&
      readOf(INTEGER, text) === `${minus}${String(number)}`
    );
  },
);

const PADDED = converted({ kind: 'integer', digits: 9 });

const PADDING = property(
  'numbers that are written have their digits, and are read from any blanks about them',
  fc.tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), blanks, blanks),
  ([value, before, after]) => {
    const text = PADDED.encode(value);
    return /^-?\d{9}$/.test(text) && readOf(PADDED, before + text + after) === value;
  },
);

export const CONVERSION_PROPERTIES: readonly ConversionProperty[] = [
  ...EXACT,
  NUMBERS,
  PADDING,
  ...ZONES.map(instantProperty),
  ...ZONES.filter((zone) => zone !== 'Asia/Kathmandu').map(localTimeProperty),
];
