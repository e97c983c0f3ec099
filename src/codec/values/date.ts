import { hold, isShort, shortLexical, TOO_LONG } from '../plan/lexical.js';
import { LexicalError, type Scalar } from '../plan/scalar.js';

/** The date and time types of XML Schema, by built-in name. */
export type DateKind =
  | 'dateTime'
  | 'date'
  | 'time'
  | 'gYear'
  | 'gYearMonth'
  | 'gMonthDay'
  | 'gDay'
  | 'gMonth'
  | 'duration';

// Lexical forms of XSD 1.0 part 2, sections 3.2.6 to 3.2.14. Applied to at most 128 characters, see `isShort`.
const YEAR = '(?<year>-?(?:[1-9][0-9]{4,}|[0-9]{4}))';
const MONTH = '(?<month>0[1-9]|1[0-2])';
const DAY = '(?<day>0[1-9]|[12][0-9]|3[01])';
const TIME = '(?<time>(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?|24:00:00(?:\\.0+)?)';
const ZONE = '(?<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?';

const FORMS: Readonly<Record<DateKind, RegExp>> = {
  dateTime: new RegExp(`^${YEAR}-${MONTH}-${DAY}T${TIME}${ZONE}$`),
  date: new RegExp(`^${YEAR}-${MONTH}-${DAY}${ZONE}$`),
  time: new RegExp(`^${TIME}${ZONE}$`),
  gYear: new RegExp(`^${YEAR}${ZONE}$`),
  gYearMonth: new RegExp(`^${YEAR}-${MONTH}${ZONE}$`),
  gMonthDay: new RegExp(`^--${MONTH}-${DAY}${ZONE}$`),
  gDay: new RegExp(`^---${DAY}${ZONE}$`),
  gMonth: new RegExp(`^--${MONTH}${ZONE}$`),
  duration:
    /^(?<sign>-)?P(?=[0-9T])(?:(?<years>[0-9]+)Y)?(?:(?<months>[0-9]+)M)?(?:(?<days>[0-9]+)D)?(?:T(?=[0-9])(?:(?<hours>[0-9]+)H)?(?:(?<minutes>[0-9]+)M)?(?:(?<seconds>[0-9]+)(?:\.(?<fraction>[0-9]+))?S)?)?$/,
};

/** A date or time as it is written: no `Date`, no invented time zone, nothing rounded. */
export function dateScalar(kind: DateKind, name: string): Scalar {
  const check = (lexical: string): string => {
    const text = shortLexical(lexical);
    hold(dateRule(text, kind));
    return text;
  };
  return {
    name,
    decode: check,
    encode: (value) => {
      if (typeof value !== 'string') throw new LexicalError(`must be an xs:${kind}, as a string`);
      return check(value);
    },
  };
}

/** The rule that a trimmed text breaks as a value of this type, or null. */
export function dateRule(text: string, kind: DateKind): string | null {
  if (!isShort(text)) return TOO_LONG;
  if ((kind === 'dateTime' || kind === 'date') && isPlainDate(text, kind)) return null;
  const match = FORMS[kind].exec(text);
  return match !== null && isCalendarDay(match.groups) ? null : `must be a valid xs:${kind}`;
}

/**
 * Whether a text is a valid date of a year with four digits, as nearly every one is: faster than a pattern, which
 * decides about any other.
 */
function isPlainDate(text: string, kind: 'dateTime' | 'date'): boolean {
  const century = twoDigits(text, 0);
  const year = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (century < 0 || year < 0 || century + year === 0 || month < 1 || month > 12 || day < 1) return false;
  if (text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) return false;
  const isLeapYear = (year === 0 ? century : year) % 4 === 0;
  if (day > 28 && day > (month === 2 && !isLeapYear ? 28 : (DAYS_OF_MONTH[month - 1] ?? 0))) return false;
  return isPlainZone(text, kind === 'date' ? 10 : plainTimeEnd(text, 10));
}

/** The end of a time of day from its `T` on; -1 where it is written in another way. */
function plainTimeEnd(text: string, at: number): number {
  const hour = twoDigits(text, at + 1);
  const minute = twoDigits(text, at + 4);
  const second = twoDigits(text, at + 7);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
  if (text.charCodeAt(at) !== 0x54 || text.charCodeAt(at + 3) !== COLON || text.charCodeAt(at + 6) !== COLON) return -1;
  if (text.charCodeAt(at + 9) !== 0x2e) return at + 9;
  let end = at + 10;
  while (isDigit(text.charCodeAt(end))) end++;
  return end === at + 10 ? -1 : end;
}

/** Whether a text ends at `at`, or with a time zone there. */
function isPlainZone(text: string, at: number): boolean {
  if (at < 0) return false;
  if (at === text.length) return true;
  const sign = text.charCodeAt(at);
  if (sign === 0x5a) return at + 1 === text.length;
  if ((sign !== 0x2b && sign !== HYPHEN) || at + 6 !== text.length || text.charCodeAt(at + 3) !== COLON) return false;
  const hour = twoDigits(text, at + 1);
  const minute = twoDigits(text, at + 4);
  return hour >= 0 && hour <= 13 && minute >= 0 && minute <= 59;
}

const HYPHEN = 0x2d;
const COLON = 0x3a;
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** The number in two digits; -1 where one is none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const units = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(units) ? (tens - 0x30) * 10 + units - 0x30 : -1;
}

/** The named parts of a valid lexical form; those it has not are absent. */
export const datePartsOf = (text: string, kind: DateKind): Readonly<Record<string, string | undefined>> =>
  FORMS[kind].exec(text)?.groups ?? {};

const DAYS_OF_MONTH: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDay(parts: Readonly<Record<string, string>> | undefined): boolean {
  const { year, month, day } = { year: undefined, month: undefined, day: undefined, ...parts };
  // There is no year 0 in XSD 1.0.
  if (year !== undefined && /^-?0000$/.test(year)) return false;
  if (month === undefined || day === undefined) return true;
  const last = month === '02' && year !== undefined && !isLeap(year) ? 28 : DAYS_OF_MONTH[Number(month) - 1];
  return last !== undefined && Number(day) <= last;
}

/** 400 divides 10,000: the last four digits decide, however long the year is. */
function isLeap(year: string): boolean {
  const value = Number(year.slice(-4));
  return value % 4 === 0 && (value % 100 !== 0 || value % 400 === 0);
}
