/*
 * Dates and times as nearly all are written: a year of four digits, digits behind the second, `Z`
 * or an offset of less than 14 hours. Read from bytes of ASCII, which takes no string and no
 * pattern; the patterns decide about any other form.
 */

/** Less than a number or date may be long. */
export const PLAIN_CHARS = 100;

/**
 * Whether the bytes from `start` to before `end` are such a value, of the calendar too. There is no
 * year 0.
 */
export function isPlainDate(
  bytes: Uint8Array,
  start: number,
  end: number,
  kind: 'dateTime' | 'date',
): boolean {
  if (end - start < DATE_CHARS || end - start > PLAIN_CHARS || !isDay(bytes, start)) return false;
  return isZone(
    bytes,
    kind === 'date' ? start + DATE_CHARS : timeEnd(bytes, start + DATE_CHARS, end),
    end,
  );
}

const SCRATCH = new Uint8Array(PLAIN_CHARS);

/** Reads a text as `isPlainDate` reads bytes. */
export function isPlainDateText(text: string, kind: 'dateTime' | 'date'): boolean {
  if (text.length > PLAIN_CHARS) return false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return false;
    SCRATCH[at] = unit;
  }
  return isPlainDate(SCRATCH, 0, text.length, kind);
}

const DAYS_OF_MONTH: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The days of a month, which is from 1 to 12; 0 for any other. */
export const daysIn = (year: number, month: number): number =>
  month === 2 && !isLeapYear(year) ? 28 : (DAYS_OF_MONTH[month - 1] ?? 0);

const isLeapYear = (year: number): boolean =>
  year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const DATE_CHARS = 10;
const TIME_CHARS = 9;

/** `2024-03-11`. */
function isDay(bytes: Uint8Array, at: number): boolean {
  const century = twoDigits(bytes, at);
  const year = twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  if (century < 0 || year < 0 || century + year === 0 || month < 1 || month > 12 || day < 1) {
    return false;
  }
  if (bytes[at + 4] !== MINUS || bytes[at + 7] !== MINUS) return false;
  return day <= 28 || day <= daysIn(100 * century + year, month);
}

/**
 * The end of a time of day from its `T` on, `T08:15:00` and digits behind a point; -1 where it is
 * no such time.
 */
function timeEnd(bytes: Uint8Array, at: number, end: number): number {
  if (end - at < TIME_CHARS) return -1;
  const hour = twoDigits(bytes, at + 1);
  const minute = twoDigits(bytes, at + 4);
  const second = twoDigits(bytes, at + 7);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
  if (bytes[at] !== LETTER_T || bytes[at + 3] !== COLON || bytes[at + 6] !== COLON) return -1;
  let behind = at + TIME_CHARS;
  if (behind === end || bytes[behind] !== POINT) return behind;
  const first = ++behind;
  while (behind < end && isDigit(bytes[behind])) {
    behind++;
  }
  return behind === first ? -1 : behind;
}

/** Whether `at` is the end, or a time zone leads to it. */
function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (at < 0) return false;
  if (at === end) return true;
  if (bytes[at] === LETTER_Z) return at + 1 === end;
  if (at + 6 !== end || (bytes[at] !== MINUS && bytes[at] !== PLUS) || bytes[at + 3] !== COLON) {
    return false;
  }
  const hours = twoDigits(bytes, at + 1);
  const minutes = twoDigits(bytes, at + 4);
  return hours >= 0 && hours <= 13 && minutes >= 0 && minutes <= 59;
}

/** -1 where it is not two digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] ?? 0;
  const ones = bytes[at + 1] ?? 0;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
