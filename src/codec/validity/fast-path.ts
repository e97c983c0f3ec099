import { Buffer } from 'node:buffer';
import type { SimpleType, xsd } from '../../wsdl/index.js';
import type { contentModels, XmlHandler } from '../../xml/index.js';
import { isDigit, isPlainDate, PLAIN_CHARS } from '../values/plain-date.js';

/** A test of the bytes from `start` to before `end`. They are lent. */
export type TextTest = NonNullable<XmlHandler['asciiText']>;

/** An element as the skimmer has it. */
export type ElementRecord = Parameters<typeof contentModels.modelMemory.addElement>[0];

/** A form of text that is seen by its bytes. */
export type PlainForm = Exclude<ElementRecord['form'], string>;

/**
 * The form that most valid texts of a type have: simple digits, simple dates, a listed word. It is
 * seen by bytes of ASCII, so that no string has to be made. Of other texts the full check decides.
 * Null for types without such a form.
 */
export function plainFormOf(
  type: SimpleType,
  check: (text: string) => string | null,
): PlainForm | null {
  const { variety, builtIn, enumeration, facets } = type;
  if (variety !== 'atomic') return null;
  if (enumeration !== null) {
    return wordsForm(
      enumeration.map(({ value }) => value).filter((value) => check(value) === null),
    );
  }
  const only = namesOf(facets);
  const digits = DIGITS.get(builtIn);
  if (digits !== undefined) {
    const isSigned = digits > 0;
    return only.length === 0 ? { kind: 'integer', digits: Math.abs(digits), isSigned } : null;
  }
  if (builtIn === 'string') return lengthForm(facets, only);
  if (builtIn === 'decimal') return decimalForm(facets, only);
  if (only.length > 0) return null;
  if (builtIn === 'double' || builtIn === 'float') {
    return { kind: 'decimal', total: PLAIN_CHARS, fraction: PLAIN_CHARS };
  }
  if (builtIn === 'boolean') return wordsForm(['true', 'false', '0', '1']);
  return builtIn === 'dateTime' || builtIn === 'date' ? { kind: builtIn } : null;
}

/** Makes a test that is true for the bytes of texts of a form. */
export function fastTestOf(form: PlainForm): TextTest {
  switch (form.kind) {
    case 'integer':
      return (bytes, start, end) => isInteger(bytes, start, end, form);
    case 'decimal':
      return (bytes, start, end) => isDecimal(bytes, start, end, form);
    case 'length':
      return (_bytes, start, end) => end - start >= form.min && end - start <= form.max;
    case 'words':
      return testWords(form.words);
    default:
      return (bytes, start, end) => isPlainDate(bytes, start, end, form.kind);
  }
}

/** Facets that are there. */
export const namesOf = (facets: xsd.Facets): readonly string[] =>
  Object.entries(facets)
    .filter(
      ([name, value]) =>
        name !== 'whiteSpace' && value !== null && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name]) => name);

/** Digits of which any number is of the type; negative: without a sign. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ['byte', 2],
  ['short', 4],
  ['int', 9],
  ['long', 18],
  ['integer', 18],
  ['unsignedByte', -2],
  ['unsignedShort', -4],
  ['unsignedInt', -9],
  ['unsignedLong', -19],
  ['nonNegativeInteger', -18],
]);

function isInteger(
  bytes: Uint8Array,
  start: number,
  end: number,
  { digits, isSigned }: FormOf<'integer'>,
): boolean {
  const first = isSigned && bytes[start] === MINUS ? start + 1 : start;
  return end > first && end - first <= digits && areDigits(bytes, first, end);
}

type FormOf<K extends string> = Extract<PlainForm, { readonly kind: K }>;

function areDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at])) return false;
  }
  return true;
}

function isDecimal(
  bytes: Uint8Array,
  start: number,
  end: number,
  { total, fraction }: FormOf<'decimal'>,
): boolean {
  const first = bytes[start] === MINUS ? start + 1 : start;
  if (end === first || end - start > PLAIN_CHARS) return false;
  let point = -1;
  for (let at = first; at < end; at++) {
    if (isDigit(bytes[at])) continue;
    if (bytes[at] !== POINT || point >= 0 || at === first || at === end - 1) return false;
    point = at;
  }
  return end - first <= total && (point < 0 || end - 1 - point <= fraction);
}

function decimalForm(
  { totalDigits, fractionDigits }: xsd.Facets,
  only: readonly string[],
): PlainForm | null {
  if (only.some((name) => name !== 'totalDigits' && name !== 'fractionDigits')) return null;
  const total = totalDigits ?? PLAIN_CHARS;
  return { kind: 'decimal', total, fraction: fractionDigits ?? PLAIN_CHARS };
}

function lengthForm(
  { minLength, maxLength, whiteSpace }: xsd.Facets,
  only: readonly string[],
): PlainForm | null {
  const isKept = whiteSpace === null || whiteSpace === 'preserve';
  if (!isKept || only.some((name) => name !== 'minLength' && name !== 'maxLength')) return null;
  return { kind: 'length', min: minLength ?? 0, max: maxLength ?? Number.POSITIVE_INFINITY };
}

/** Longer lists are left to the full check. */
const WORDS_MAX = 32;

/** Characters that a text or a value does not have as they are: markup, replaced white space. */
const NOT_PLAIN = /[<&"'\t\n\r]|\]\]>/;

const wordsForm = (words: readonly string[]): PlainForm | null =>
  words.length > WORDS_MAX
    ? null
    : {
        kind: 'words',
        words: words.filter((word) => !NOT_PLAIN.test(word)).map((word) => Buffer.from(word)),
      };

function testWords(words: readonly Uint8Array[]): TextTest {
  return (bytes, start, end) => {
    for (const word of words) {
      if (word.length === end - start && isSame(word, bytes, start)) return true;
    }
    return false;
  };
}

function isSame(word: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < word.length; at++) {
    if (word[at] !== bytes[start + at]) return false;
  }
  return true;
}

const MINUS = 0x2d;
const POINT = 0x2e;
