import { Buffer } from 'node:buffer';
import { bareBoundary, type ContentSink, type DelimiterScanner } from './boundary.js';

const CR = 13;

/**
 * Finds the delimiter lines of a package whose lines end with LF alone, cut anywhere, in linear
 * time. Its first boundary line says so, and then all lines do: a delimiter behind CR LF or CR is
 * refused, for a reader of other line ends would find other parts. A reader that wants CR LF finds
 * no part in such a package at all.
 */
export class LineFeedScanner implements DelimiterScanner {
  readonly #dashes: Buffer;
  readonly #delimiter: Buffer;
  readonly #afterReturn: Buffer;
  /** The last bytes of the chunk before, in which a delimiter may begin, and the one before it. */
  #held: Buffer = EMPTY;
  #hasBegun = false;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
    this.#dashes = this.#delimiter.subarray(1);
    this.#afterReturn = Buffer.from(`\r--${boundary}`, 'latin1');
  }

  /** Content begins here, at the beginning of a line. */
  begin(): void {
    this.#held = EMPTY;
    this.#hasBegun = false;
  }

  /** As `BoundaryScanner.scan`. */
  scan(chunk: Buffer, start: number, sink: ContentSink): number {
    const held = this.#held.length;
    const rest = chunk.subarray(start);
    const bytes = held === 0 ? rest : Buffer.concat([this.#held, rest]);
    this.#held = EMPTY;
    const behind = start - held + this.#delimiter.length;
    if (!this.#hasBegun && bytes.subarray(0, this.#dashes.length).equals(this.#dashes)) {
      return behind - 1;
    }
    const found = bytes.indexOf(this.#delimiter);
    const before = found < 0 ? bytes : bytes.subarray(0, found);
    const bare = before.indexOf(this.#afterReturn);
    if (bare >= 0 || (found > 0 && bytes[found - 1] === CR)) {
      this.#pass(bytes.subarray(0, bare >= 0 ? bare : found - 1), sink);
      throw bareBoundary();
    }
    if (found >= 0) {
      this.#pass(before, sink);
      return behind + found;
    }
    const kept = Math.max(0, bytes.length - this.#delimiter.length);
    this.#pass(bytes.subarray(0, kept), sink);
    this.#held = Buffer.from(bytes.subarray(kept));
    return -1;
  }

  #pass(content: Buffer, sink: ContentSink): void {
    if (content.length === 0) return;
    this.#hasBegun = true;
    sink.content(content);
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
