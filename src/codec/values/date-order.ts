import { type DateKind, datePartsOf } from './date.js';

/**
 * How values stand to `bound`, both valid: negative, zero or positive, or NaN where it is not
 * determined. The order is partial: a time without a zone may be any of 28 hours (XSD 1.0 part 2,
 * section 3.2.7.3), and a month may have 28 to 31 days (section 3.2.6.2).
 */
export function dateOrder(kind: DateKind, bound: string): (lexical: string) => number {
  if (kind === 'duration') {
    const right = durationOf(bound);
    return (lexical) => compareDurations(durationOf(lexical), right);
  }
  const right = instantOf(bound, kind);
  return (lexical) => compareInstants(instantOf(lexical, kind), right);
}

/** Equal for equal values. */
export function dateKey(kind: DateKind, lexical: string): string {
  if (kind === 'duration') {
    const { months, ticks } = durationOf(lexical);
    return `${months} ${ticks}`;
  }
  const { ticks, hasZone } = instantOf(lexical, kind);
  return hasZone ? `${ticks}Z` : `${ticks}`;
}

/**
 * A second may be written with as many digits as a value may be long: a tick is the last of them.
 */
const DIGITS = 128;
const SECOND = 10n ** BigInt(DIGITS);
const DAY = 86_400n * SECOND;
/** The largest offset there is. */
const LARGEST_OFFSET = 14n * 3600n * SECOND;

interface Instant {
  /** Since the first of March of the year 0; of UTC for a value with a zone. */
  readonly ticks: bigint;
  readonly hasZone: boolean;
}

/** Parts that a type leaves out are taken from a leap year and a month of 31 days. */
function instantOf(lexical: string, kind: DateKind): Instant {
  const {
    year = '1972',
    month = '12',
    day = '01',
    time = '00:00:00',
    zone,
  } = datePartsOf(lexical, kind);
  const [hours = '0', minutes = '0', seconds = '0'] = time.split(':');
  // Midnight at the end of a day is the next one of a dateTime, and the same time of day.
  const ofDay = ticksOf(kind === 'time' && hours === '24' ? '0' : hours, minutes, seconds);
  const days = daysBefore(BigInt(year), Number(month), Number(day));
  return { ticks: days * DAY + ofDay - offsetOf(zone), hasZone: zone !== undefined };
}

function ticksOf(hours: string, minutes: string, seconds: string): bigint {
  const [whole = '0', fraction = ''] = seconds.split('.');
  return (
    ((BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(whole)) * SECOND +
    BigInt(fraction.padEnd(DIGITS, '0'))
  );
}

function offsetOf(zone: string | undefined): bigint {
  if (zone === undefined || zone === 'Z') return 0n;
  const [hours = '0', minutes = '0'] = zone.slice(1).split(':');
  const ticks = ticksOf(hours, minutes, '0');
  return zone.startsWith('-') ? -ticks : ticks;
}

/**
 * Days from the first of March of the year 0 of the Gregorian calendar, which is taken to go back
 * for ever.
 */
function daysBefore(year: bigint, month: number, day: number): bigint {
  // Years begin in March, so that the leap day is the last of its year.
  const fromMarch = (month + 9) % 12;
  const years = month <= 2 ? year - 1n : year;
  const leapDays = floorDivide(years, 4n) - floorDivide(years, 100n) + floorDivide(years, 400n);
  return years * 365n + leapDays + BigInt(Math.floor((fromMarch * 153 + 2) / 5) + day - 1);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

function compareInstants(left: Instant, right: Instant): number {
  if (left.hasZone === right.hasZone) return sign(left.ticks - right.ticks);
  // The one without a zone may be 14 hours earlier or later than it looks.
  const earliest = sign(left.ticks - right.ticks + LARGEST_OFFSET);
  const latest = sign(left.ticks - right.ticks - LARGEST_OFFSET);
  return earliest < 0 ? -1 : latest > 0 ? 1 : Number.NaN;
}

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

interface Duration {
  readonly months: bigint;
  readonly ticks: bigint;
}

function durationOf(lexical: string): Duration {
  const parts = datePartsOf(lexical, 'duration');
  const {
    years = '0',
    months = '0',
    days = '0',
    hours = '0',
    minutes = '0',
    seconds = '0',
    fraction = '',
  } = parts;
  const allMonths = BigInt(years) * 12n + BigInt(months);
  const ticks = BigInt(days) * DAY + ticksOf(hours, minutes, `${seconds}.${fraction}`);
  return parts['sign'] === undefined
    ? { months: allMonths, ticks }
    : { months: -allMonths, ticks: -ticks };
}

/**
 * Year and month of the four moments that durations are compared at: before months of any length.
 */
const REFERENCES: readonly (readonly [bigint, number])[] = [
  [1696n, 9],
  [1697n, 2],
  [1903n, 3],
  [1903n, 7],
];

function compareDurations(left: Duration, right: Duration): number {
  let order: number | null = null;
  for (const [year, month] of REFERENCES) {
    const here = sign(endOf(left, year, month) - endOf(right, year, month));
    if (order !== null && order !== here) return Number.NaN;
    order = here;
  }
  return order ?? Number.NaN;
}

/** The moment that lies a duration after the first of this month. */
function endOf({ months, ticks }: Duration, year: bigint, month: number): bigint {
  const all = year * 12n + BigInt(month - 1) + months;
  const years = floorDivide(all, 12n);
  return daysBefore(years, Number(all - years * 12n) + 1, 1) * DAY + ticks;
}
