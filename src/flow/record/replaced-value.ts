import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
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
    const random = this.#randomFor(value, value.length);
    const replaced =
      (shape?.builtIn === 'base64Binary' ? bytesLike(value, random) : null) ??
      dateLike(value, random) ??
      charactersLike(value, random);
    return text.replace(value, () => replaced);
  }

  /** At least so many bytes, the same for the same value. */
  #randomFor(value: string, length: number): Buffer {
    const blocks: Buffer[] = [];
    for (let at = 0; at * BLOCK < length + EXTRA; at++) {
      blocks.push(createHmac('sha256', this.#key).update(`${at} ${value}`).digest());
    }
    return Buffer.concat(blocks);
  }
}

const BLOCK = 32;
/** Bytes for the parts of a date. */
const EXTRA = 8;

const KEPT_TYPES: ReadonlySet<string> = new Set(['boolean', 'QName', 'NOTATION', 'language']);
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'NaN', 'INF', '-INF']);

/** Binary content of the same length; null for what is none. */
function bytesLike(value: string, random: Buffer): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return null;
  const bytes = Buffer.from(value, 'base64').length;
  return random.subarray(0, bytes).toString('base64');
}

/** A day, a time, or both: each part within its range. The year stays in its century. */
function dateLike(value: string, random: Buffer): string | null {
  const found = DATE.exec(value);
  if (found === null || value.length < 'hh:mm:ss'.length) return null;
  const [, century = '', year, time, fraction = '', zone = ''] = found;
  const two = (at: number, from: number, range: number): string =>
    String(from + ((random[at] ?? 0) % range)).padStart(2, '0');
  const day =
    year === undefined ? '' : `${century}${two(0, 0, 100)}-${two(1, 1, 12)}-${two(2, 1, 28)}`;
  const ofDay =
    time === undefined
      ? ''
      : `${time.startsWith('T') ? 'T' : ''}${two(3, 0, 24)}:${two(4, 0, 60)}:${two(5, 0, 60)}`;
  return `${day}${ofDay}${charactersLike(fraction, random.subarray(EXTRA))}${zone}`;
}

const DATE = /^(?:(\d\d)(\d\d)-\d\d-\d\d)?(T?\d\d:\d\d:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Each character by one of its class; others stay. */
function charactersLike(value: string, random: Buffer): string {
  let replaced = '';
  let at = 0;
  let isInNumber = false;
  for (const char of value) {
    const byte = random[at++ % random.length] ?? 0;
    const isDigit = char >= '0' && char <= '9';
    if (isDigit) {
      // A number keeps its zeros in front, and so its digits.
      const isLeading = !isInNumber;
      replaced += isLeading && char === '0' ? '0' : String(isLeading ? 1 + (byte % 9) : byte % 10);
    } else {
      replaced += letterLike(char, byte);
    }
    isInNumber = isDigit;
  }
  return replaced;
}

function letterLike(char: string, byte: number): string {
  const isLetter = /\p{L}/u.test(char);
  if (!isLetter) return char;
  const letter = String.fromCharCode(0x61 + (byte % 26));
  const made =
    char === char.toUpperCase() && char !== char.toLowerCase() ? letter.toUpperCase() : letter;
  // A letter of two UTF-16 units becomes two letters: the length is kept.
  return made.repeat(char.length);
}
