import { Buffer } from 'node:buffer';
import { mime, type SlicedContent } from '../soap/index.js';
import type { canonical, StartTag } from '../xml/index.js';

/** Bytes of a part that are written as base64 at once: a multiple of three. */
const SLICE_BYTES = 48 * 1024;
/** The letters of one slice, until they are written. */
let letters: Buffer | null = null;

export const isXopInclude = ({ local, uri }: StartTag): boolean =>
  local === 'Include' && uri === mime.XOP_URI;

/** The base64 of a part, written in place of its Include (XOP 1.0 section 3.2). */
export class IncludedContent implements SlicedContent {
  readonly #bytes: Buffer;
  readonly #writers: readonly canonical.CanonicalWriter[];
  #at = 0;

  constructor(bytes: Buffer, writers: readonly canonical.CanonicalWriter[]) {
    this.#bytes = bytes;
    this.#writers = writers;
  }

  /** Writes the next slice, which takes some tenths of a millisecond. False: it was the last. */
  writeSlice(): boolean {
    letters ??= Buffer.allocUnsafeSlow((SLICE_BYTES / 3) * 4);
    const text = this.#bytes.toString('base64', this.#at, this.#at + SLICE_BYTES);
    const length = letters.write(text, 'latin1');
    for (const writer of this.#writers) {
      writer.asciiText(letters, 0, length);
    }
    this.#at += SLICE_BYTES;
    return this.#at < this.#bytes.length;
  }
}

/** The base64 of a part, added to a header block that is kept. */
export class KeptContent implements SlicedContent {
  readonly #bytes: Buffer;
  readonly #block: canonical.TreeBuilder;
  #at = 0;

  constructor(bytes: Buffer, block: canonical.TreeBuilder) {
    this.#bytes = bytes;
    this.#block = block;
  }

  writeSlice(): boolean {
    this.#block.text(this.#bytes.toString('base64', this.#at, this.#at + SLICE_BYTES));
    this.#at += SLICE_BYTES;
    return this.#at < this.#bytes.length;
  }
}
