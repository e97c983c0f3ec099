import type { Buffer } from 'node:buffer';

/** So many bytes that only the key tells, the same for the same parts. */
export type RandomOf = (parts: readonly (string | Uint8Array)[], bytes: number) => Buffer;

/** Bytes for the parts of a date. */
const DATE_BYTES = 6;

/** A number of two digits from one byte. */
type TwoDigits = (at: number, from: number, range: number) => string;

function twoDigits(value: string, randomOf: RandomOf): TwoDigits {
  const random = randomOf([value], DATE_BYTES);
  return (at, from, range) => String(from + ((random[at] ?? 0) % range)).padStart(2, '0');
}

/** A day, a time, or both: each part within its range. The year stays in its century. */
export function dateLike(value: string, randomOf: RandomOf): string | null {
  const found = DATE.exec(value);
  if (found === null || value.length < 'hh:mm:ss'.length) return null;
  const [, century = '', year, time, fraction = '', zone = ''] = found;
  const two = twoDigits(value, randomOf);
  const day =
    year === undefined ? '' : `${century}${two(0, 0, 100)}-${two(1, 1, 12)}-${two(2, 1, 28)}`;
  const ofDay =
    time === undefined
      ? ''
      : `${time.startsWith('T') ? 'T' : ''}${two(3, 0, 24)}:${two(4, 0, 60)}:${two(5, 0, 60)}`;
  return `${day}${ofDay}${fractionLike(fraction, randomOf)}${zone}`;
}

const DATE = /^(?:(\d\d)(\d\d)-\d\d-\d\d)?(T?\d\d:\d\d:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

function fractionLike(fraction: string, randomOf: RandomOf): string {
  const random = randomOf([fraction], fraction.length);
  return fraction.replaceAll(/\d/g, (_digit, at: number) => String((random[at] ?? 0) % 10));
}

/** Parts of dates by their types: the year, `MM`, `DD`, and what is written between. */
const GREGORIAN: Readonly<Record<string, RegExp>> = {
  gYear: /^(-?\d+)(\d\d)()()()()(Z|[+-]\d\d:\d\d)?$/,
  gYearMonth: /^(-?\d+)(\d\d)(-)(\d\d)()()(Z|[+-]\d\d:\d\d)?$/,
  gMonthDay: /^()()(--)(\d\d)(-)(\d\d)(Z|[+-]\d\d:\d\d)?$/,
  gMonth: /^()()(--)(\d\d)()()(Z|[+-]\d\d:\d\d)?$/,
  gDay: /^()()()()(---)(\d\d)(Z|[+-]\d\d:\d\d)?$/,
};

export const isGregorian = (builtIn: string): boolean => Object.hasOwn(GREGORIAN, builtIn);

/** A part of a date, such as a month; null for what is none. */
export function gregorianLike(value: string, builtIn: string, randomOf: RandomOf): string | null {
  const found = GREGORIAN[builtIn]?.exec(value);
  if (found === null || found === undefined) return null;
  const [, century = '', year, dash = '', month, dashes = '', day, zone = ''] = found;
  const two = twoDigits(value, randomOf);
  return [
    century,
    year === '' ? '' : two(0, 0, 100),
    dash,
    month === '' ? '' : two(1, 1, 12),
    dashes,
    day === '' ? '' : two(2, 1, 28),
    zone,
  ].join('');
}
