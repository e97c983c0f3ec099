import { hold, isShort, shortLexical, TOO_LONG } from '../plan/lexical.js';
import { LexicalError, type Scalar } from '../plan/scalar.js';
import { daysIn, isPlainDateText } from './plain-date.js';

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

// Lexical forms of XSD 1.0 part 2, sections 3.2.6 to 3.2.14. Applied to at most 128 characters, see
// `isShort`.
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
  if ((kind === 'dateTime' || kind === 'date') && isPlainDateText(text, kind)) return null;
  const match = FORMS[kind].exec(text);
  return match !== null && isCalendarDay(match.groups) ? null : `must be a valid xs:${kind}`;
}

/** The named parts of a valid lexical form; those it has not are absent. */
export const datePartsOf = (
  text: string,
  kind: DateKind,
): Readonly<Record<string, string | undefined>> => FORMS[kind].exec(text)?.groups ?? {};

function isCalendarDay(parts: Readonly<Record<string, string>> | undefined): boolean {
  const { year, month, day }: Readonly<Record<string, string | undefined>> = parts ?? {};
  // There is no year 0 in XSD 1.0.
  if (year !== undefined && /^-?0000$/.test(year)) return false;
  if (month === undefined || day === undefined) return true;
  // 400 divides 10,000: the last four digits decide, however long the year is.
  const lastDigits = year === undefined ? LEAP_YEAR : Number(year.slice(-4));
  return Number(day) <= daysIn(lastDigits, Number(month));
}

/** A day without a year may be one of it. */
const LEAP_YEAR = 2000;
