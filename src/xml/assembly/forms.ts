// AssemblyScript, as `skim.ts`.
import * as at from './layout';
import { AMPERSANDS, GREATERS, isSame, LESS, SPACES } from './names-and-texts';

/**
 * Returns the end of a text that is surely of the form of an element or attribute, and ends at
 * this byte; else 0. Texts of other forms may be valid too.
 */
export function formEnd(record: u32, from: u32, end: u32, behind: u32): u32 {
  const first = load<u32>(record + at.TEXT_FIRST);
  const second = load<u32>(record + at.TEXT_SECOND);
  let stop: u32 = 0;
  switch (load<u32>(record + at.TEXT_FORM)) {
    case at.FORM_INTEGER:
      stop = integerEnd(from, end, first, second);
      break;
    case at.FORM_DECIMAL:
      stop = decimalEnd(from, end, first, second);
      break;
    case at.FORM_WORDS:
      return wordEnd(first, from, end, behind);
    case at.FORM_LENGTH:
      stop = plainEnd(from, end, behind);
      if (stop - from < first || stop - from > second) return 0;
      break;
    case at.FORM_DATE:
      stop = dayEnd(from, end);
      if (stop !== 0) stop = zoneEnd(stop, end);
      break;
    case at.FORM_DATE_TIME:
      stop = dayEnd(from, end);
      if (stop !== 0) stop = timeEnd(stop, end);
      if (stop !== 0) stop = zoneEnd(stop, end);
      break;
  }
  return stop !== 0 && stop < end && load<u8>(stop) === behind ? stop : 0;
}

function isDigit(i: u32): bool {
  return <u32>load<u8>(i) - 0x30 < 10;
}

function digitsEnd(from: u32, end: u32): u32 {
  let i = from;
  while (i < end && isDigit(i)) i++;
  return i;
}

function integerEnd(from: u32, end: u32, most: u32, isSigned: u32): u32 {
  const first = isSigned !== 0 && load<u8>(from) === 0x2d ? from + 1 : from;
  const stop = digitsEnd(first, end);
  return stop > first && stop - first <= most ? stop : 0;
}

/** Less than a number may be long. */
const PLAIN_CHARS: u32 = 100;

function decimalEnd(from: u32, end: u32, total: u32, fraction: u32): u32 {
  const first = load<u8>(from) === 0x2d ? from + 1 : from;
  const point = digitsEnd(first, end);
  if (point === first) return 0;
  let stop = point;
  if (point < end && load<u8>(point) === 0x2e) {
    stop = digitsEnd(point + 1, end);
    if (stop === point + 1 || stop - 1 - point > fraction) return 0;
  }
  // The point is counted, too: what is nearly too long is left to the full check.
  return stop - first <= total && stop - from <= PLAIN_CHARS ? stop : 0;
}

function wordEnd(first: u32, from: u32, end: u32, behind: u32): u32 {
  for (let word = first; word !== 0; word = load<u32>(word + at.WORD_NEXT)) {
    const length = load<u32>(word + at.WORD_LENGTH);
    const stop = from + length;
    if (stop < end && load<u8>(stop) === behind && isSame(word + at.WORD_BYTES, from, length))
      return stop;
  }
  return 0;
}

/** The end of plain ASCII without references: at most `end`. */
function plainEnd(from: u32, end: u32, behind: u32): u32 {
  const stopAt = i8x16.splat(<i8>behind);
  for (let i = from; i < end; i += 16) {
    const bytes = v128.load(i);
    const control = v128.lt<i8>(bytes, v128.load(SPACES));
    const angles = v128.or(
      v128.eq<u8>(bytes, v128.load(LESS)),
      v128.eq<u8>(bytes, v128.load(GREATERS)),
    );
    const marks = v128.or(v128.eq<u8>(bytes, v128.load(AMPERSANDS)), v128.eq<u8>(bytes, stopAt));
    const stops = i8x16.bitmask(v128.or(control, v128.or(angles, marks)));
    if (stops !== 0) return i + ctz(stops);
  }
  return end;
}

/** Behind `2024-03-11`, a day of the calendar; else 0. There is no year 0. */
function dayEnd(i: u32, end: u32): u32 {
  if (i + 10 >= end || load<u8>(i + 4) !== 0x2d || load<u8>(i + 7) !== 0x2d) return 0;
  const century = twoDigits(i);
  const years = twoDigits(i + 2);
  const month = twoDigits(i + 5);
  const day = twoDigits(i + 8);
  if (century < 0 || years < 0 || century + years === 0) return 0;
  if (month < 1 || month > 12 || day < 1 || day > 31) return 0;
  return day <= 28 || day <= daysIn(100 * century + years, month) ? i + 10 : 0;
}

function daysIn(year: i32, month: i32): i32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Behind `T08:15:00`, with a fraction or without; else 0. */
function timeEnd(i: u32, end: u32): u32 {
  if (i + 9 >= end || load<u8>(i) !== 0x54) return 0;
  if (load<u8>(i + 3) !== 0x3a || load<u8>(i + 6) !== 0x3a) return 0;
  const hour = twoDigits(i + 1);
  const minute = twoDigits(i + 4);
  const second = twoDigits(i + 7);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0;
  const behind = i + 9;
  if (load<u8>(behind) !== 0x2e) return behind;
  const stop = digitsEnd(behind + 1, end);
  return stop === behind + 1 || stop - i > PLAIN_CHARS - 20 ? 0 : stop;
}

/** Behind a time zone, or here where there is none; 0 where something else is. */
function zoneEnd(i: u32, end: u32): u32 {
  const byte = load<u8>(i);
  if (byte === 0x5a) return i + 1;
  if (byte !== 0x2b && byte !== 0x2d) return i;
  if (i + 6 >= end || load<u8>(i + 3) !== 0x3a) return 0;
  const hours = twoDigits(i + 1);
  const minutes = twoDigits(i + 4);
  return hours >= 0 && hours <= 13 && minutes >= 0 && minutes <= 59 ? i + 6 : 0;
}

/** -1 where it is not two digits. */
function twoDigits(i: u32): i32 {
  const tens: u32 = <u32>load<u8>(i) - 0x30;
  const ones: u32 = <u32>load<u8>(i + 1) - 0x30;
  return tens < 10 && ones < 10 ? <i32>(tens * 10 + ones) : -1;
}
