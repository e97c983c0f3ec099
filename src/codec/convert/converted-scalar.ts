import { collections } from '../../core/index.js';
import type { SimpleType } from '../../wsdl/index.js';
import type { Conversion, ConversionTarget } from '../plan/conversion.js';
import { hold, textOf, treatWhiteSpace, trimXml, type WhiteSpace } from '../plan/lexical.js';
import { LexicalError, type Scalar, type ScalarValue } from '../plan/scalar.js';
import { datePartsOf, dateRule } from '../values/date.js';
import { digitsScalar, intScalar } from '../values/numeric-scalars.js';
import { listScalarOf } from '../values/scalars.js';
import { compileSimple, whiteSpaceOf } from '../values/simple-validity.js';
import {
  type DateFields,
  dayKey,
  millisOf,
  newDateFields,
  printDate,
  printOffset,
  printTimeOfDay,
  setMillis,
} from './date-fields.js';
import { type DatePattern, LossRule, parseDatePattern } from './date-pattern.js';
import { padded, readImplied, writeImplied } from './implied-point.js';
import { timeZone } from './time-zone.js';

/**
 * Reads and writes the texts of one target. `read` returns null for a text that it does not know.
 */
interface Codec {
  readonly name: string;
  /** Blanks around the text are no part of it. */
  readonly isTrimmed: boolean;
  /** A text that it knows. */
  readonly example: string;
  read(text: string): string | number | boolean | null;
  /** Throws `LexicalError` for a value that would lose something. */
  write(value: unknown): string;
}

/**
 * The scalar of a type whose texts are converted; of a list type, of each item. `own` is the scalar
 * without a conversion, `enumName` the name of the GraphQL enumeration where it is one. The
 * conversion was checked: its pattern and zone exist.
 */
export function convertedScalar(
  type: SimpleType,
  own: Scalar,
  conversion: Conversion,
  enumName: string,
): Scalar {
  if (type.variety === 'list' && type.item !== null && own.item !== undefined) {
    const item = convertedScalar(type.item, own.item, conversion, enumName);
    return { ...listScalarOf(type, item, false), wire: own.wire ?? own };
  }
  const { target } = conversion;
  const codec = target === null ? null : codecOf(target, own, enumName);
  const scalar = codec === null ? trimmed(own, conversion) : scalarOf(codec, type, conversion);
  const whole = conversion.nulls.length === 0 ? scalar : withNulls(scalar, conversion, codec);
  return { ...whole, converts: conversion, wire: own.wire ?? own };
}

/** One for all: a reply may hold many, and most of the time of an error is its stack. */
const UNKNOWN_TEXT = new LexicalError('a text that the mapping does not know', true);

function scalarOf(codec: Codec, type: SimpleType, { target, trims }: Conversion): Scalar {
  const isTrimmed = trims || codec.isTrimmed;
  const whiteSpace = type.variety === 'atomic' ? whiteSpaceOf(type) : 'preserve';
  const check = isHeld(type, target) ? compileSimple(type) : null;
  return {
    name: codec.name,
    example: codec.read(codec.example) ?? undefined,
    decode: (lexical) => {
      const value = codec.read(treated(lexical, whiteSpace, isTrimmed));
      if (value === null) throw UNKNOWN_TEXT;
      return value;
    },
    encode: (value) => {
      const text = codec.write(value);
      if (check !== null) {
        hold(check(text));
      }
      return text;
    },
  };
}

const treated = (text: string, whiteSpace: WhiteSpace, isTrimmed: boolean): string => {
  const plain = whiteSpace === 'preserve' ? text : treatWhiteSpace(text, whiteSpace);
  return isTrimmed ? trimXml(plain) : plain;
};

/**
 * Texts that the mapping itself has are written as they are; others are held to types that can hold
 * them.
 */
function isHeld({ builtIn }: SimpleType, target: ConversionTarget | null): boolean {
  if (target === null || target.kind === 'boolean' || target.kind === 'enum') return false;
  if (TEXTS.has(builtIn)) return true;
  return NUMBERS.has(builtIn) && (target.kind === 'decimal' || target.kind === 'integer');
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'normalizedString', 'token']);
const NUMBERS: ReadonlySet<string> = new Set(
  `byte decimal int integer long nonNegativeInteger positiveInteger short unsignedByte unsignedInt \
unsignedLong
  unsignedShort`.split(/\s+/),
);

/** The scalar of a type that keeps its own values, without white space around them. */
function trimmed(own: Scalar, { trims }: Conversion): Scalar {
  if (!trims) return own;
  return {
    ...own,
    decode: (lexical) => own.decode(trimXml(lexical)),
    encode: (value) => {
      const text = own.encode(value);
      if (trimXml(text) !== text) {
        throw new LexicalError('must not have white space at its ends: replies are trimmed');
      }
      return text;
    },
  };
}

/** The scalar with texts that stand for null. No other value is written as one of them. */
function withNulls(scalar: Scalar, { nulls, trims }: Conversion, codec: Codec | null): Scalar {
  const texts = new Set(nulls);
  const isTrimmed = trims || codec?.isTrimmed === true;
  const [first = ''] = nulls;
  return {
    ...scalar,
    nullText: first,
    decode: (lexical): ScalarValue | null =>
      texts.has(lexical) || (isTrimmed && texts.has(trimXml(lexical)))
        ? null
        : scalar.decode(lexical),
    encode: (value) => {
      if (value === null) return first;
      const text = scalar.encode(value);
      if (texts.has(text)) throw new LexicalError('is written as a text that stands for null');
      return text;
    },
  };
}

function codecOf(target: ConversionTarget, own: Scalar, enumName: string): Codec {
  switch (target.kind) {
    case 'boolean':
      return booleanCodec(target.texts);
    case 'enum':
      return enumCodec(enumName, target.texts);
    case 'decimal':
      return decimalCodec(target.places, target.digits);
    case 'integer':
      return integerCodec(own.name, target.digits);
    case 'date':
      return dateCodec(patternOf(target.pattern, 'date'));
    case 'time':
      return timeCodec(patternOf(target.pattern, 'time'));
    case 'dateTime':
      return dateTimeCodec(patternOf(target.pattern, 'dateTime'), target.zone);
  }
}

function booleanCodec(texts: { readonly true: string; readonly false: string }): Codec {
  return {
    name: 'Boolean',
    isTrimmed: false,
    example: texts.true,
    read: (text) => (text === texts.true ? true : text === texts.false ? false : null),
    write: (value) => {
      if (typeof value !== 'boolean') throw new LexicalError('must be true or false');
      return value ? texts.true : texts.false;
    },
  };
}

function enumCodec(name: string, texts: ReadonlyMap<string, string>): Codec {
  const names = new Map([...texts].map(([valueName, text]) => [text, valueName]));
  const [example = ''] = texts.values();
  return {
    name,
    isTrimmed: false,
    example,
    read: (text) => names.get(text) ?? null,
    write: (value) => {
      const text = typeof value === 'string' ? texts.get(value) : undefined;
      if (text === undefined) throw new LexicalError('must be one of the enumerated values');
      return text;
    },
  };
}

const decimalCodec = (places: number, digits: number | null): Codec => ({
  name: 'Decimal',
  isTrimmed: true,
  example: padded('1990', false, digits === null ? null : Math.max(digits, 4)).slice(
    -(digits ?? 4),
  ),
  read: (text) => readImplied(text, places),
  write: (value) => writeImplied(value, places, digits),
});

const INT = intScalar(-2_147_483_648, 2_147_483_647);
const LONG = digitsScalar('Long', { min: '-9223372036854775808', max: '9223372036854775807' });
const LONG_DIGITS = 18;
const BIG_INT = digitsScalar('BigInt', { min: null, max: null });

/**
 * The smallest type that holds numbers of so many digits; without a width that of the declared
 * type, or `Int`.
 */
function integerOf(ownName: string, digits: number | null): Scalar {
  if (digits === null) return ownName === 'Long' ? LONG : ownName === 'BigInt' ? BIG_INT : INT;
  return digits <= 9 ? INT : digits <= 18 ? LONG : BIG_INT;
}

function integerCodec(ownName: string, digits: number | null): Codec {
  const scalar = integerOf(ownName, digits);
  return {
    name: scalar.name,
    isTrimmed: true,
    example: padded('42', false, digits === null ? null : Math.max(digits, 2)).slice(
      -(digits ?? 2),
    ),
    read: (text) => {
      const number = readImplied(text, 0);
      if (number === null) return null;
      // So many digits are always a value of the type, as they are.
      if (scalar === LONG && number.length <= LONG_DIGITS) return number;
      try {
        const value = scalar.decode(number);
        return typeof value === 'object' ? null : value;
      } catch (caught) {
        if (caught instanceof LexicalError) return null;
        throw caught;
      }
    },
    write: (value) => {
      const lexical = scalar.encode(value);
      return padded(lexical.replace(/^[+-]/, ''), lexical.startsWith('-'), digits);
    },
  };
}

function patternOf(text: string, kind: 'date' | 'time' | 'dateTime'): DatePattern {
  const pattern = parseDatePattern(text, kind);
  if (typeof pattern === 'string') throw new TypeError(pattern);
  return pattern;
}

/** The text of a pattern; throws `LexicalError` where it cannot hold the fields. */
function written(pattern: DatePattern, fields: DateFields): string {
  const text = pattern.write(fields);
  if (text instanceof LossRule) throw new LexicalError(text.rule);
  return text;
}

const EXAMPLE: DateFields = {
  year: 2026,
  month: 1,
  day: 31,
  hour: 12,
  minute: 0,
  second: 0,
  fraction: '',
  offset: 0,
};

function dateCodec(pattern: DatePattern): Codec {
  const fields = newDateFields();
  return {
    name: 'Date',
    isTrimmed: true,
    example: written(pattern, EXAMPLE),
    read: (text) => (pattern.read(text, fields) ? printDate(fields) : null),
    write: (value) => {
      const given = fieldsOf(value, 'date');
      if (given.offset !== null) throw new LexicalError('must have no time zone');
      return written(pattern, given);
    },
  };
}

function timeCodec(pattern: DatePattern): Codec {
  const fields = newDateFields();
  return {
    name: 'Time',
    isTrimmed: true,
    example: written(pattern, EXAMPLE),
    read: (text) => (pattern.read(text, fields) ? printTimeOfDay(fields) : null),
    write: (value) => {
      const given = fieldsOf(value, 'time');
      if (given.offset !== null) throw new LexicalError('must have no time zone');
      return written(pattern, given);
    },
  };
}

/** The text of a local day and of its one offset. Days repeat in the records of a reply. */
interface KnownDay {
  readonly date: string;
  readonly offset: string;
}

/** Days that a conversion remembers: eleven years. */
const DAYS_MAX = 4096;

function dateTimeCodec(pattern: DatePattern, zoneName: string | null): Codec {
  const fields = newDateFields();
  const zone = zoneName === null ? null : timeZone(zoneName);
  if (zone === null && !pattern.hasOffset) throw new TypeError('a date and time without an offset');
  const days = new Map<number, KnownDay>();
  const read = (text: string): string | null => {
    if (!pattern.read(text, fields)) return null;
    const known = days.get(dayKey(fields));
    if (known !== undefined) return known.date + printTimeOfDay(fields) + known.offset;
    const ofDay = zone?.offsetOfDay(fields) ?? null;
    if (ofDay !== null) {
      const day = { date: `${printDate(fields)}T`, offset: printOffset(ofDay) };
      collections.setAndEvictOldest(days, dayKey(fields), day, DAYS_MAX);
    }
    const offset = zone === null ? fields.offset : zone.offsetOfLocal(fields);
    return offset === null
      ? null
      : `${printDate(fields)}T${printTimeOfDay(fields)}${printOffset(offset)}`;
  };
  return {
    name: 'DateTime',
    isTrimmed: true,
    example: written(pattern, EXAMPLE),
    read,
    write: (value) => {
      const given = fieldsOf(value, 'dateTime');
      if (zone === null) return written(pattern, given);
      const local = given.offset === null ? null : zone.offsetAt(instantOf(given));
      if (given.offset !== null) {
        if (local === null) throw new LexicalError('has no local time in its zone');
        setMillis(given, instantOf(given) + local * MINUTE);
      }
      const offset = zone.offsetOfLocal(given);
      if (offset === null) throw new LexicalError(`does not exist in ${zoneName}`);
      if (local !== null && offset !== local) {
        throw new LexicalError(`is the later of two such times in ${zoneName}, which has no text`);
      }
      return written(pattern, given);
    },
  };
}

const MINUTE = 60_000;

const instantOf = (fields: DateFields): number => millisOf(fields) - (fields.offset ?? 0) * MINUTE;

const FOUR_DIGITS = /^[0-9]{4}$/;

/**
 * The fields of a value of a client. Throws `LexicalError`; the value must be valid by XML Schema,
 * of a year of four digits.
 */
function fieldsOf(value: unknown, kind: 'date' | 'time' | 'dateTime'): DateFields {
  const rule = `must be an xs:${kind}, as a string`;
  if (typeof value !== 'string') throw new LexicalError(rule);
  const text = trimXml(textOf(value));
  hold(dateRule(text, kind));
  const { year, month, day, time, zone } = datePartsOf(text, kind);
  const fields = newDateFields();
  if (year !== undefined && !FOUR_DIGITS.test(year)) {
    throw new LexicalError('must have a year of four digits');
  }
  if (year !== undefined) {
    fields.year = Number(year);
  }
  if (month !== undefined) {
    fields.month = Number(month);
  }
  if (day !== undefined) {
    fields.day = Number(day);
  }
  if (time !== undefined) {
    setTime(fields, time);
  }
  fields.offset = zone === undefined ? null : offsetOf(zone);
  return fields;
}

function setTime(fields: DateFields, time: string): void {
  fields.hour = Number(time.slice(0, 2));
  // It is the first moment of the next day, which a pattern writes otherwise.
  if (fields.hour === 24) throw new LexicalError('must have an hour from 00 to 23');
  fields.minute = Number(time.slice(3, 5));
  fields.second = Number(time.slice(6, 8));
  fields.fraction = time.slice(9);
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}
