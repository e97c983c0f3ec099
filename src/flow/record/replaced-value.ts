import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { scalars } from '../../codec/index.js';
import type { TextShape } from '../compare/reply-types.js';
import { dateLike, gregorianLike, isGregorian, type RandomOf } from './replaced-date.js';

/**
 * Replaces values by others of the same class and length: a digit by a digit, a letter by a letter
 * of its case. A value is always replaced in the same way under one key, so that keys still join.
 */
export class ValueReplacer {
  readonly #key: Buffer;
  readonly #random: RandomOf = (parts, bytes) => this.#randomOf(parts, bytes);

  constructor(key: Buffer) {
    this.#key = key;
  }

  replace(text: string, shape: TextShape | null): string {
    // Booleans and listed values tell nothing of anybody; another one might not be valid.
    if (shape?.isEnumerated === true || KEPT_TYPES.has(shape?.builtIn ?? '')) return text;
    // Items of a list join with values that are alone.
    return shape?.isList === true
      ? text.replaceAll(/[^ \t\r\n]+/g, (item) => this.#replaceOne(item, shape))
      : this.#replaceOne(text, shape);
  }

  #replaceOne(text: string, shape: TextShape | null): string {
    const value = text.trim();
    if (value === '' || WORDS.has(value)) return text;
    const replaced = validLike(value, shape?.builtIn ?? '', this.#random);
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

const KEPT_TYPES: ReadonlySet<string> = new Set(['boolean', 'QName', 'NOTATION', 'language']);
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'NaN', 'INF', '-INF']);

/** Another try to find a valid value replaces the one before, which ends at the value itself. */
const TRIES_MAX = 1_000;

/** The other value of a built-in type is valid where the first one is, as far as tries find one. */
function validLike(value: string, builtIn: string, randomOf: RandomOf): string {
  let replaced = formLike(value, builtIn, randomOf);
  if (builtIn === '') return replaced;
  const { rule } = scalars.valueSpaceOf(builtIn);
  if (rule(value) !== null) return replaced;
  for (let tries = 0; tries < TRIES_MAX && rule(replaced) !== null; tries++) {
    replaced = formLike(replaced, builtIn, randomOf);
  }
  return replaced;
}

function formLike(value: string, builtIn: string, randomOf: RandomOf): string {
  if (builtIn === 'base64Binary') {
    return bytesLike(value, randomOf) ?? charactersLike(value, randomOf);
  }
  if (builtIn === 'hexBinary') return charactersLike(value, randomOf, hexClassOf);
  if (isGregorian(builtIn)) {
    return gregorianLike(value, builtIn, randomOf) ?? textLike(value, randomOf);
  }
  if (builtIn === 'duration' || NUMBERS.has(builtIn)) return numberLike(value, randomOf);
  return dateLike(value, randomOf) ?? textLike(value, randomOf);
}

/** Types whose letters are no values: the `E` of `1.5E10`. */
const NUMBERS: ReadonlySet<string> = new Set(['decimal', 'float', 'double']);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What says how the rest is to be read. */
const SCHEME = /^(?:urn:[a-z0-9][a-z0-9-]{1,31}:|[a-z][a-z0-9+.-]{1,31}:\/\/)/i;

/** A text without a type that says more: a UUID, an address, or any other. */
function textLike(value: string, randomOf: RandomOf): string {
  const [scheme = ''] = SCHEME.exec(value) ?? [];
  if (scheme !== '') return scheme + textLike(value.slice(scheme.length), randomOf);
  if (UUID.test(value)) return charactersLike(value, randomOf, hexClassOf);
  return numberLike(value, randomOf, classOf);
}

/** Digits by digits. A whole number stays within the most of its kind of integer. */
function numberLike(value: string, randomOf: RandomOf, classes: ClassOf = digitClassOf): string {
  const replace = (text: string): string => charactersLike(text, randomOf, classes);
  const size = /^[+-]?0*([1-9]\d*)$/.exec(value)?.[1] ?? '';
  const bounds = INTEGERS.get(size.length);
  if (bounds === undefined) return replace(value);
  const range = rangeOf(value, bounds);
  // It ends at the value itself, if at no other one.
  let replaced = replace(value);
  while (rangeOf(replaced, bounds) !== range) {
    replaced = replace(replaced);
  }
  return replaced;
}

/** The most of the integers of 16, 32 and 64 bits, by their digits. */
const INTEGERS: ReadonlyMap<number, readonly bigint[]> = new Map([
  [5, [32_767n, 65_535n]],
  [10, [2_147_483_647n, 4_294_967_295n]],
  [19, [9_223_372_036_854_775_807n]],
  [20, [18_446_744_073_709_551_615n]],
]);

/** The least of the integers is one further from zero than the most. */
function rangeOf(value: string, bounds: readonly bigint[]): number {
  const size = BigInt(value.replace(/^[+-]/, '')) - (value.startsWith('-') ? 1n : 0n);
  return bounds.filter((bound) => size > bound).length;
}

/** Binary content of the same length; null for what is none. */
function bytesLike(value: string, randomOf: RandomOf): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return null;
  const bytes = Buffer.from(value, 'base64').length;
  return randomOf([value], bytes).toString('base64');
}

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
function charactersLike(value: string, randomOf: RandomOf, classes: ClassOf = classOf): string {
  const chars = [...value];
  const found = chars.map((char, at) => classes(char, isDigit(chars[at - 1] ?? '')));
  const places = found.flatMap((each, at) => (each === null ? [] : [at]));
  const sizes = Uint8Array.from(places, (at) => found[at]?.length ?? 1);
  const offsets = Uint8Array.from(places, (at, index) =>
    offsetOf(chars[at] ?? '', found[at] ?? '', sizes[index] ?? 1),
  );
  shiftHalves(offsets, sizes, randomOf);
  for (const [index, at] of places.entries()) {
    const made = found[at]?.[offsets[index] ?? 0] ?? '';
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

function offsetOf(char: string, characters: string, size: number): number {
  const at = characters.indexOf(char);
  return at >= 0 ? at : (char.codePointAt(0) ?? 0) % size;
}

/** The characters that may take the place of this one; null for one that stays. */
type ClassOf = (char: string, isInNumber: boolean) => string | null;

const hexClassOf: ClassOf = (char) => {
  if (/[A-F]/.test(char)) return 'ABCDEF';
  if (/[a-f]/.test(char)) return 'abcdef';
  return isDigit(char) ? DIGITS : null;
};

const digitClassOf: ClassOf = (char, isInNumber) =>
  isDigit(char) ? classOf(char, isInNumber) : null;

function classOf(char: string, isInNumber: boolean): string | null {
  if (isDigit(char)) {
    if (isInNumber) return DIGITS;
    // A number keeps its zeros in front, and so its digits.
    return char === '0' ? null : FIRST_DIGITS;
  }
  if (!/\p{L}/u.test(char)) return null;
  return char === char.toUpperCase() && char !== char.toLowerCase() ? UPPER : LOWER;
}
