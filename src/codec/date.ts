import { shortLexical } from './lexical.js';
import { LexicalError, type Scalar } from './plan.js';

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

// Lexical forms of XSD 1.0 part 2, sections 3.2.6 to 3.2.14. Applied to at most 128 characters, see `shortLexical`.
const YEAR = '(?<year>-?(?:[1-9][0-9]{4,}|[0-9]{4}))';
const MONTH = '(?<month>0[1-9]|1[0-2])';
const DAY = '(?<day>0[1-9]|[12][0-9]|3[01])';
const TIME = '(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?|24:00:00(?:\\.0+)?)';
const ZONE = '(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?';

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
    /^-?P(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?$/,
};

/** A date or time as it is written: no `Date`, no invented time zone, nothing rounded. */
export function dateScalar(kind: DateKind, name: string): Scalar {
  const form = FORMS[kind];
  const check = (lexical: string): string => {
    const text = shortLexical(lexical);
    const match = form.exec(text);
    if (match === null || !isCalendarDay(match.groups)) throw new LexicalError(`must be a valid xs:${kind}`);
    return text;
  };
  return {
    name,
    decode: check,
    encode: (value) => {
      if (typeof value !== 'string') throw new LexicalError(`must be an xs:${kind}, given as a string`);
      return check(value);
    },
  };
}

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
