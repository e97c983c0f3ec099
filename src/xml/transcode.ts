import { Buffer } from 'node:buffer';
import type { Refusal } from '../core/index.js';
import { refuse } from './elements.js';
import { type CharacterTable, characterTable, type Encoding, isWide } from './encodings.js';

type Transcoded = Exclude<Encoding, 'utf-8'>;

/**
 * Turns the bytes of another encoding into UTF-8, and refuses bytes that the encoding does not
 * define. The refusal waits in `failure` until the bytes before it have been read, so that the
 * result does not depend on the chunks.
 */
export class Transcoder {
  readonly #encoding: Transcoded;
  /** Of an encoding of single bytes; null for UTF-16. */
  readonly #table: CharacterTable | null;
  failure: Refusal | null = null;
  /** Bytes decoded so far, for the place in a refusal. */
  #offset: number;
  /** UTF-16: the first byte of a code unit, or -1; the first unit of a surrogate pair, or 0. */
  #odd = -1;
  #high = 0;

  constructor(encoding: Transcoded, offset: number) {
    this.#encoding = encoding;
    this.#table = isWide(encoding) ? null : characterTable(encoding);
    this.#offset = offset;
  }

  /** Bytes of each character in this encoding, but those beyond 16 bits. */
  get unitBytes(): 1 | 2 {
    return this.#table === null ? 2 : 1;
  }

  /**
   * Bytes of the message whose characters have been returned, or come before the one that is
   * refused.
   */
  get decodedBytes(): number {
    const pair = this.#high === 0 ? 0 : 2;
    if (this.failure?.place != null) return this.failure.place.byte - pair;
    return this.#offset - pair - (this.#odd < 0 ? 0 : 1);
  }

  /** Decodes the next bytes; may keep back a part of a character. */
  decode(chunk: Buffer): Buffer {
    const output = Buffer.allocUnsafe(chunk.length * 3 + 4);
    const table = this.#table;
    const length =
      table === null ? this.#decodeUnits(chunk, output) : this.#decodeBytes(chunk, output, table);
    this.#offset += chunk.length;
    return output.subarray(0, length);
  }

  /** Throws a `Refusal` when the message ends inside a character. */
  finish(): void {
    if (this.failure !== null) throw this.failure;
    if (this.#odd >= 0 || this.#high !== 0) throw this.#broken(0);
  }

  #decodeBytes(chunk: Buffer, output: Buffer, table: CharacterTable): number {
    let length = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      const code = byte < 0x80 ? byte : table[byte - 0x80]!;
      if (code < 0) {
        this.failure = this.#broken(i);
        break;
      }
      length = append(output, length, code);
    }
    return length;
  }

  #broken(i: number): Refusal {
    return refuse('XML_ENCODING', `bytes that are not ${this.#encoding}`, this.#offset + i);
  }

  #decodeUnits(chunk: Buffer, output: Buffer): number {
    const little = this.#encoding === 'utf-16le';
    let length = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#odd < 0) {
        this.#odd = byte;
        continue;
      }
      const unit = little ? this.#odd | (byte << 8) : (this.#odd << 8) | byte;
      this.#odd = -1;
      const low = unit >= 0xdc00 && unit <= 0xdfff;
      if (low !== (this.#high !== 0)) {
        this.failure = this.#broken(i - 1);
        break;
      }
      if (low) {
        length = append(output, length, 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00));
        this.#high = 0;
      } else if (unit >= 0xd800 && unit <= 0xdbff) {
        this.#high = unit;
      } else {
        length = append(output, length, unit);
      }
    }
    return length;
  }
}

/** Appends a character as UTF-8; returns the new length. */
function append(output: Buffer, at: number, code: number): number {
  if (code < 0x80) {
    output[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    output[at] = 0xc0 | (code >> 6);
    output[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    output[at] = 0xe0 | (code >> 12);
    output[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    output[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  output[at] = 0xf0 | (code >> 18);
  output[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  output[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  output[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
}
