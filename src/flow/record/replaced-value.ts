import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { TextShape } from '../compare/reply-types.js';

/**
 * Replaces values by others of the same class and length: a digit by a digit, a letter by a letter
 * of its case. A value is always replaced in the same way under one key, so that keys still join.
 */
export class ValueReplacer {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  replace(text: string, shape: TextShape | null): string {
    // Booleans and listed values tell nothing of anybody; another one might not be valid.
    if (shape?.isEnumerated === true || KEPT_TYPES.has(shape?.builtIn ?? '')) return text;
    const value = text.trim();
    if (value === '' || WORDS.has(value)) return text;
    const randomOf: RandomOf = (parts, bytes) => this.#randomOf(parts, bytes);
    const replaced =
      (shape?.builtIn === 'base64Binary' ? bytesLike(value, randomOf) : null) ??
      dateLike(value, randomOf) ??
      charactersLike(value, randomOf);
    return text.replace(value, () => replaced);
  }

  #randomOf(parts: readonly (string | Uint8Array)[], bytes: number): Buffer {
    if (bytes === 0) return Buffer.alloc(0);
    const hash = createHash('shake256', { outputLength: bytes }).update(this.#key);
    for (const part of parts) {
      hash.update(part);
    }
    return hash.digest();
  }
}

/** So many bytes that only the key tells, the same for the same parts. */
type RandomOf = (parts: readonly (string | Uint8Array)[], bytes: number) => Buffer;

/** Bytes for the parts of a date. */
const DATE_BYTES = 6;

const KEPT_TYPES: ReadonlySet<string> = new Set(['boolean', 'QName', 'NOTATION', 'language']);
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'NaN', 'INF', '-INF']);

/** Binary content of the same length; null for what is none. */
function bytesLike(value: string, randomOf: RandomOf): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return null;
  const bytes = Buffer.from(value, 'base64').length;
  return randomOf([value], bytes).toString('base64');
}

/** A day, a time, or both: each part within its range. The year stays in its century. */
function dateLike(value: string, randomOf: RandomOf): string | null {
  const found = DATE.exec(value);
  if (found === null || value.length < 'hh:mm:ss'.length) return null;
  const [, century = '', year, time, fraction = '', zone = ''] = found;
  const random = randomOf([value], DATE_BYTES);
  const two = (at: number, from: number, range: number): string =>
    String(from + ((random[at] ?? 0) % range)).padStart(2, '0');
  const day =
    year === undefined ? '' : `${century}${two(0, 0, 100)}-${two(1, 1, 12)}-${two(2, 1, 28)}`;
  const ofDay =
    time === undefined
      ? ''
      : `${time.startsWith('T') ? 'T' : ''}${two(3, 0, 24)}:${two(4, 0, 60)}:${two(5, 0, 60)}`;
  return `${day}${ofDay}${charactersLike(fraction, randomOf)}${zone}`;
}

const DATE = /^(?:(\d\d)(\d\d)-\d\d-\d\d)?(T?\d\d:\d\d:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Rounds of a Feistel network after which its outcome tells nothing of the value. */
const ROUNDS = 4;

const DIGITS = '0123456789';
const FIRST_DIGITS = '123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

/**
 * Each character by one of its class; others stay. Values that differ stay different while their
 * letters are of ASCII: a Feistel network shifts each half of the characters within their classes
 * by a hash of the other half.
 */
function charactersLike(value: string, randomOf: RandomOf): string {
  const chars = [...value];
  const classes = chars.map((char, at) => classOf(char, isDigit(chars[at - 1] ?? '')));
  const places = classes.flatMap((each, at) => (each === null ? [] : [at]));
  const sizes = Uint8Array.from(places, (at) => classes[at]?.length ?? 1);
  const offsets = Uint8Array.from(
    places,
    (at, index) => (chars[at]?.codePointAt(0) ?? 0) % (sizes[index] ?? 1),
  );
  shiftHalves(offsets, sizes, randomOf);
  for (const [index, at] of places.entries()) {
    const made = classes[at]?.[offsets[index] ?? 0] ?? '';
    // A letter of two UTF-16 units becomes two letters: the length is kept.
    chars[at] = made.repeat(chars[at]?.length ?? 1);
  }
  return chars.join('');
}

function shiftHalves(offsets: Uint8Array, sizes: Uint8Array, randomOf: RandomOf): void {
  const middle = offsets.length >> 1;
  for (let round = 0; round < ROUNDS; round++) {
    const [from, to] = round % 2 === 0 ? [middle, offsets.length] : [0, middle];
    const other = round % 2 === 0 ? offsets.subarray(0, middle) : offsets.subarray(middle);
    const random = randomOf([`${round} `, sizes, other], to - from);
    for (let at = from; at < to; at++) {
      offsets[at] = ((offsets[at] ?? 0) + (random[at - from] ?? 0)) % (sizes[at] ?? 1);
    }
  }
}

const isDigit = (char: string): boolean => char >= '0' && char <= '9' && char.length === 1;

/** The characters that may take the place of this one; null for one that stays. */
function classOf(char: string, isInNumber: boolean): string | null {
  if (isDigit(char)) {
    if (isInNumber) return DIGITS;
    // A number keeps its zeros in front, and so its digits.
    return char === '0' ? null : FIRST_DIGITS;
  }
  if (!/\p{L}/u.test(char)) return null;
  return char === char.toUpperCase() && char !== char.toLowerCase() ? UPPER : LOWER;
}
