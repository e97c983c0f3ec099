import { type DateFields, dayOfYear, isMoment, setDayOfYear, twoDigits } from './date-fields.js';
import {
  type DatePatternKind,
  type FieldToken,
  isSigned,
  isVariable,
  readTokens,
  type Token,
} from './date-tokens.js';

/**
 * A pattern of a date or time by Unicode (UTS 35, Date Field Symbols): `yyyyMMdd`, `dd.MM.yyyy
 * HH:mm`. Fields are digits; names of months and days depend on a language and are no part of it.
 */
export interface DatePattern {
  /**
   * Fills the fields from a text; false where it is none of this pattern, or no moment of the
   * calendar.
   */
  read(text: string, fields: DateFields): boolean;
  /** The text of the fields; a rule where it would lose something of them. */
  write(fields: DateFields): string | LossRule;
  readonly hasOffset: boolean;
}

/** The rule that a value breaks which a pattern cannot hold. */
export class LossRule {
  readonly rule: string;

  constructor(rule: string) {
    this.rule = rule;
  }
}

/** The pattern that a text describes, or the sentence of an error in it. */
export function parseDatePattern(text: string, kind: DatePatternKind): DatePattern | string {
  const tokens = readTokens(text, kind);
  return typeof tokens === 'string' ? tokens : new TokenPattern(tokens);
}

class TokenPattern implements DatePattern {
  readonly hasOffset: boolean;
  readonly #tokens: readonly Token[];
  readonly #fractionDigits: number;
  readonly #letters: ReadonlySet<string>;
  readonly #isShortYear: boolean;
  readonly #layout: FixedLayout | null;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    const fields = tokens.filter((token): token is FieldToken => token.letter !== null);
    this.#letters = new Set(fields.map(({ letter }) => letter));
    this.#fractionDigits = fields.find(({ letter }) => letter === 'S')?.width ?? 0;
    this.#isShortYear = fields.some(({ letter, width }) => letter === 'y' && width === 2);
    this.hasOffset = fields.some(isSigned);
    this.#layout = layoutOf(tokens);
  }

  read(text: string, fields: DateFields): boolean {
    fields.fraction = '';
    fields.minute = 0;
    fields.second = 0;
    const layout = this.#layout;
    if (layout !== null) return readFixed(text, layout, fields) && isMoment(fields);
    return this.#readTokens(text, fields);
  }

  #readTokens(text: string, fields: DateFields): boolean {
    let at = 0;
    let dayNumber = -1;
    for (const token of this.#tokens) {
      if (token.letter === null) {
        if (!text.startsWith(token.text, at)) return false;
        at += token.text.length;
        continue;
      }
      if (isSigned(token)) {
        at = readOffset(text, at, token, fields);
        if (at < 0) return false;
        continue;
      }
      const end = isVariable(token) && isDigitAt(text, at + 1) ? at + 2 : at + token.width;
      const value = digitsIn(text, at, end);
      if (value < 0) return false;
      if (token.letter === 'D') {
        dayNumber = value;
      } else if (token.letter === 'S') {
        fields.fraction = text.slice(at, end);
      } else {
        setField(fields, token, value);
      }
      at = end;
    }
    if (at !== text.length) return false;
    if (dayNumber >= 0 && !setDayOfYear(fields, dayNumber)) return false;
    return isMoment(fields);
  }

  write(fields: DateFields): string | LossRule {
    const loss = this.#lossOf(fields);
    if (loss !== null) return new LossRule(loss);
    let text = '';
    for (const token of this.#tokens) {
      text += token.letter === null ? token.text : printField(fields, token);
    }
    return text;
  }

  /** The rule that the fields break: something of them has no place in the pattern. */
  #lossOf({ year, minute, second, fraction, offset }: DateFields): string | null {
    if (this.#letters.has('y') && (year < 1 || year > 9999)) {
      return 'must have a year of four digits';
    }
    if (this.#isShortYear && (year < PIVOT_YEAR || year >= PIVOT_YEAR + 100)) {
      return `must have a year from ${PIVOT_YEAR} to ${PIVOT_YEAR + 99}`;
    }
    if (this.#letters.has('H')) {
      if (minute !== 0 && !this.#letters.has('m')) return 'must be a full hour';
      if (second !== 0 && !this.#letters.has('s')) return 'must be a full minute';
    }
    if (fraction.slice(this.#fractionDigits).replaceAll('0', '') !== '') {
      return this.#fractionDigits === 0
        ? 'must be a full second'
        : `must have ${this.#fractionDigits} digits of a second at most`;
    }
    return this.hasOffset && offset === null ? 'must have an offset' : this.#offsetLoss(offset);
  }

  #offsetLoss(offset: number | null): string | null {
    const isHours = this.#tokens.some(
      (token) => token.letter !== null && isSigned(token) && token.width === 1,
    );
    return isHours && offset !== null && offset % 60 !== 0
      ? 'must have an offset of full hours'
      : null;
  }
}

/**
 * The positions of fields in a text, and the texts between them: the fast path of most patterns.
 */
interface FixedLayout {
  readonly width: number;
  readonly fields: readonly {
    readonly token: FieldToken;
    readonly start: number;
    readonly end: number;
  }[];
  readonly literals: readonly { readonly start: number; readonly text: string }[];
  /** The offset at its end; null without one. */
  readonly offset: FieldToken | null;
}

/** Null where a field has no fixed width, or is read otherwise. */
function layoutOf(tokens: readonly Token[]): FixedLayout | null {
  const fields: FixedLayout['fields'][number][] = [];
  const literals: FixedLayout['literals'][number][] = [];
  let start = 0;
  for (const token of tokens) {
    if (token.letter === null) {
      literals.push({ start, text: token.text });
      start += token.text.length;
      continue;
    }
    const { width } = token;
    if (isSigned(token)) {
      // What follows an offset begins at no fixed place: it may be `Z`.
      return token === tokens.at(-1) ? { width: start, fields, literals, offset: token } : null;
    }
    if (isVariable(token)) return null;
    fields.push({ token, start, end: start + width });
    start += width;
  }
  return { width: start, fields, literals, offset: null };
}

function readFixed(
  text: string,
  { width, fields, literals, offset }: FixedLayout,
  into: DateFields,
): boolean {
  if (offset === null ? text.length !== width : text.length < width) return false;
  let dayNumber = -1;
  for (let index = 0; index < literals.length; index++) {
    const literal = literals[index];
    if (literal !== undefined && !text.startsWith(literal.text, literal.start)) return false;
  }
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index];
    if (field === undefined) return false;
    let value = 0;
    for (let at = field.start; at < field.end; at++) {
      const digit = text.charCodeAt(at) - 0x30;
      if (digit < 0 || digit > 9) return false;
      value = value * 10 + digit;
    }
    const { letter } = field.token;
    if (letter === 'D') {
      dayNumber = value;
    } else if (letter === 'S') {
      into.fraction = text.slice(field.start, field.end);
    } else {
      setField(into, field.token, value);
    }
  }
  if (offset !== null && readOffset(text, width, offset, into) !== text.length) return false;
  return dayNumber < 0 || setDayOfYear(into, dayNumber);
}

function setField(fields: DateFields, { letter, width }: FieldToken, value: number): void {
  if (letter === 'y') {
    fields.year = width === 2 ? fullYear(value) : value;
  } else if (letter === 'M') {
    fields.month = value;
  } else if (letter === 'd') {
    fields.day = value;
  } else if (letter === 'H') {
    fields.hour = value;
  } else if (letter === 'm') {
    fields.minute = value;
  } else {
    fields.second = value;
  }
}

function printField(fields: DateFields, { letter, width }: FieldToken): string {
  switch (letter) {
    case 'y':
      return width === 2 ? twoDigits(fields.year % 100) : String(fields.year).padStart(4, '0');
    case 'M':
      return padded(fields.month, width);
    case 'd':
      return padded(fields.day, width);
    case 'D':
      return padded(dayOfYear(fields), width);
    case 'H':
      return padded(fields.hour, width);
    case 'm':
      return twoDigits(fields.minute);
    case 's':
      return twoDigits(fields.second);
    case 'S':
      return fields.fraction.slice(0, width).padEnd(width, '0');
    case 'X':
      return fields.offset === 0 ? 'Z' : printSigned(fields.offset ?? 0, width);
    case 'x':
      return printSigned(fields.offset ?? 0, width);
  }
}

const padded = (value: number, width: number): string => String(value).padStart(width, '0');

/** A year of two digits is one from 1969 to 2068, as `strptime` of POSIX reads it. */
const PIVOT_YEAR = 1969;

const fullYear = (value: number): number => (value < PIVOT_YEAR % 100 ? 2000 : 1900) + value;

/** One letter: `+01`, two: `+0130`, three: `+01:30`. */
function printSigned(minutes: number, width: number): string {
  const size = Math.abs(minutes);
  const hours = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.trunc(size / 60))}`;
  if (width === 1) return hours;
  return `${hours}${width === 3 ? ':' : ''}${twoDigits(size % 60)}`;
}

/** Sets the offset and returns its end; -1 where there is none. */
function readOffset(
  text: string,
  at: number,
  { letter, width }: FieldToken,
  fields: DateFields,
): number {
  if (letter === 'X' && text.charAt(at) === 'Z') {
    fields.offset = 0;
    return at + 1;
  }
  const sign = text.charAt(at);
  const hours = digitsIn(text, at + 1, at + 3);
  if ((sign !== '+' && sign !== '-') || hours < 0) return -1;
  const colon = width === 3 ? 1 : 0;
  if (colon === 1 && text.charAt(at + 3) !== ':') return -1;
  const minutes = width === 1 ? 0 : digitsIn(text, at + 3 + colon, at + 5 + colon);
  if (minutes < 0 || minutes > 59 || hours * 60 + minutes > OFFSET_MAX) return -1;
  fields.offset = (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
  return width === 1 ? at + 3 : at + 5 + colon;
}

/** Minutes; XML Schema has no larger offset. */
const OFFSET_MAX = 14 * 60;

const isDigitAt = (text: string, at: number): boolean => digitsIn(text, at, at + 1) >= 0;

/** The number of the digits from `at` to before `end`; -1 where these are not digits. */
function digitsIn(text: string, at: number, end: number): number {
  if (end > text.length) return -1;
  let value = 0;
  for (let index = at; index < end; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
