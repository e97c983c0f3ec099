import { Buffer } from 'node:buffer';
import { CLASS, type STOPS_CDATA, type STOPS_TEXT, utf8Length } from './chars.js';
import type { ReferenceReader } from './references.js';

const UNITS_MAX = 4096;
/** Longer stretches of plain text are reported from the chunk, without a copy by character. */
const PLAIN_BYTES_MAX = 64;
const LATIN_1_MAX = 0xff;
/** The characters of one run: each is made a text at once. */
const units = new Uint16Array(UNITS_MAX);
const unitBytes = Buffer.from(units.buffer);
const latin1 = Buffer.allocUnsafeSlow(UNITS_MAX);

export type Stops = typeof STOPS_TEXT | typeof STOPS_CDATA;

/**
 * References, line ends and the short texts between them, read as one text: 1 MiB of `&#60;` is 50
 * events, not 200,000.
 */
export class TextRun {
  readonly #reference: ReferenceReader;
  #length = 0;
  #all = 0;
  /** Bytes of the text that was read, in UTF-8. */
  bytes = 0;

  constructor(reference: ReferenceReader) {
    this.#reference = reference;
  }

  /**
   * Reads text that begins with a reference or a carriage return, at most `bytesMax` of it; returns
   * the offset behind. The end of the chunk, a mistake and a limit are left to be read one by one.
   * `stops`: the class of characters that end plain text; a CDATA section has no references.
   */
  read(chunk: Buffer, i: number, end: number, bytesMax: number, stops: Stops): number {
    this.#length = 0;
    this.#all = 0;
    this.bytes = 0;
    let plainStart = i;
    // A character may have two units and four bytes.
    while (i < end && this.#length < UNITS_MAX - 1 && this.bytes <= bytesMax - 4) {
      const byte = chunk[i]!;
      const isPlain = byte >= 0x80 || (CLASS[byte]! & stops) === 0;
      if (isPlain && i - plainStart >= PLAIN_BYTES_MAX) break;
      const next = isPlain ? this.#plain(chunk, i, end, byte) : this.#special(chunk, i, end, byte);
      if (next < 0) break;
      i = next;
      if (!isPlain) {
        plainStart = i;
      }
    }
    return i;
  }

  /** The text that was read. */
  toString(): string {
    return this.#all <= LATIN_1_MAX
      ? latin1.latin1Slice(0, this.#length)
      : unitBytes.toString('utf16le', 0, 2 * this.#length);
  }

  /** Reads one character; returns the offset behind, or -1. */
  #plain(chunk: Buffer, i: number, end: number, byte: number): number {
    if (byte < 0x80) {
      this.#add(byte, 1);
      return i + 1;
    }
    const length = utf8Length(chunk, i, end);
    if (length < 2) return -1;
    let code = byte & (0x7f >> length);
    for (let at = i + 1; at < i + length; at++) {
      code = (code << 6) | (chunk[at]! & 0x3f);
    }
    this.#addCode(code);
    return i + length;
  }

  /** Reads a reference or a line end; returns the offset behind, or -1. */
  #special(chunk: Buffer, i: number, end: number, byte: number): number {
    if (byte === 0x0d) {
      // A line feed may begin the next chunk.
      if (i + 1 === end) return -1;
      this.#add(0x0a, 1);
      return chunk[i + 1] === 0x0a ? i + 2 : i + 1;
    }
    if (byte !== 0x26) return -1;
    const reference = this.#reference;
    reference.begin();
    let isDone: boolean | null = false;
    for (i++; i < end && isDone === false; i++) {
      isDone = reference.take(chunk[i]!);
    }
    if (isDone !== true) return -1;
    this.#addCode(reference.code);
    return i;
  }

  #addCode(code: number): void {
    if (code > 0xffff) {
      this.#add(0xd800 + ((code - 0x10000) >> 10), 4);
      this.#add(0xdc00 + (code & 0x3ff), 0);
    } else {
      this.#add(code, code < 0x80 ? 1 : code < 0x800 ? 2 : 3);
    }
  }

  #add(unit: number, bytes: number): void {
    units[this.#length] = unit;
    latin1[this.#length++] = unit;
    this.#all |= unit;
    this.bytes += bytes;
  }
}
