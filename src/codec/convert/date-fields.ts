import { collections } from '../../core/index.js';
import { daysIn } from '../values/plain-date.js';

/** A date and a time of day, as a pattern reads and writes them. */
export interface DateFields {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** The digits behind the second; '' for none. */
  fraction: string;
  /** Minutes that local time is ahead of UTC; null: not known. */
  offset: number | null;
}

export const newDateFields = (): DateFields => ({
  year: 1,
  month: 1,
  day: 1,
  hour: 0,
  minute: 0,
  second: 0,
  fraction: '',
  offset: null,
});

/**
 * Whether the fields are a day of the calendar and a time of day. There is no year 0, and no hour
 * 24.
 */
export const isMoment = ({ year, month, day, hour, minute, second }: DateFields): boolean =>
  year >= 1 &&
  month >= 1 &&
  day >= 1 &&
  hour <= 23 &&
  minute <= 59 &&
  second <= 59 &&
  month <= 12 &&
  day <= daysIn(year, month);

/** The number of a day in its year, from 1. */
export function dayOfYear({ year, month, day }: DateFields): number {
  let count = day;
  for (let before = 1; before < month; before++) {
    count += daysIn(year, before);
  }
  return count;
}

/**
 * Sets month and day from the number of the day in the year; false where the year has no such day.
 */
export function setDayOfYear(fields: DateFields, number: number): boolean {
  let day = number;
  for (let month = 1; month <= 12; month++) {
    const days = daysIn(fields.year, month);
    if (day <= days) {
      fields.month = month;
      fields.day = day;
      return day >= 1;
    }
    day -= days;
  }
  return false;
}

/** Milliseconds of the fields as if they were UTC, without their fraction. */
export const millisOf = ({ year, month, day, hour, minute, second }: DateFields): number =>
  ((dayNumber(year, month, day) * 24 + hour) * 60 + minute) * 60_000 + second * 1000;

/**
 * Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that a leap day is
 * the last one; 400 of them have 146,097 days.
 */
function dayNumber(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const cycles = Math.floor(years / 400);
  const inCycle = years - cycles * 400;
  const months = month > 2 ? month - 3 : month + 9;
  const inYear = Math.floor((153 * months + 2) / 5) + day - 1;
  const leapDays = Math.floor(inCycle / 4) - Math.floor(inCycle / 100);
  return cycles * 146_097 + inCycle * 365 + leapDays + inYear - 719_468;
}

/** Sets the fields, but for the fraction and the offset, from milliseconds of UTC. */
export function setMillis(fields: DateFields, millis: number): void {
  const date = new Date(millis);
  fields.year = date.getUTCFullYear();
  fields.month = date.getUTCMonth() + 1;
  fields.day = date.getUTCDate();
  fields.hour = date.getUTCHours();
  fields.minute = date.getUTCMinutes();
  fields.second = date.getUTCSeconds();
}

/** Tells days apart. */
export const dayKey = ({ year, month, day }: DateFields): number => (year * 12 + month) * 32 + day;

/** `2026-01-31`. */
export function printDate(fields: DateFields): string {
  const key = dayKey(fields);
  const known = DATES.get(key);
  if (known !== undefined) return known;
  const { year, month, day } = fields;
  const text = `${fourDigits(year)}-${TWO[month]}-${TWO[day]}`;
  collections.setAndEvictOldest(DATES, key, text, DATES_MAX);
  return text;
}

/** Days repeat in the records of a reply: to find a text takes half of what making one does. */
const DATES = new Map<number, string>();
/** Eleven years. */
const DATES_MAX = 4096;

/** `09:30:00`, with the fraction that it has. */
export function printTimeOfDay({ hour, minute, second, fraction }: DateFields): string {
  const text = `${MINUTES[hour * 60 + minute]}${TWO[second]}`;
  return fraction === '' ? text : `${text}.${fraction}`;
}

/** `Z`, or `+01:00`. */
export function printOffset(minutes: number): string {
  const known = OFFSETS.get(minutes);
  if (known !== undefined) return known;
  const size = Math.abs(minutes);
  const sign = minutes < 0 ? '-' : '+';
  const text = minutes === 0 ? 'Z' : `${sign}${TWO[Math.trunc(size / 60)]}:${TWO[size % 60]}`;
  if (OFFSETS.size < OFFSETS_MAX) {
    OFFSETS.set(minutes, text);
  }
  return text;
}

/** The few that occur: a text is made once for each. */
const OFFSETS = new Map<number, string>();
const OFFSETS_MAX = 256;

export const twoDigits = (value: number): string => TWO[value] ?? '';

const fourDigits = (value: number): string =>
  value >= 1000 && value < 10_000
    ? `${TWO[Math.trunc(value / 100)]}${TWO[value % 100]}`
    : String(value).padStart(4, '0');

const TWO: readonly string[] = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, '0'));

/** `09:30:` for each minute of a day. */
const MINUTES: readonly string[] = Array.from(
  { length: 24 * 60 },
  (_, at) => `${TWO[Math.trunc(at / 60)]}:${TWO[at % 60]}:`,
);
