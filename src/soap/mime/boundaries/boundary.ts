import { Buffer } from 'node:buffer';
import { Refusal } from '../../../core/index.js';

/** Receives the content between two boundaries, in chunks that are lent for the call. */
export interface ContentSink {
  content(piece: Buffer): void;
}

/** Finds the delimiters of a package in its bytes. */
export interface DelimiterScanner {
  begin(): void;
  scan(chunk: Buffer, start: number, sink: ContentSink): number;
}

const CR = 13;
const LF = 10;
const DASH = 45;

/**
 * How the match in hand began: with CR LF, with one of them alone, or where a line begins anyway.
 */
type Beginning = 'line end' | 'line feed' | 'return' | 'line start';

/**
 * Finds the delimiter lines of a multipart message (RFC 2046 section 5.1.1), cut anywhere, in
 * linear time. A delimiter is the boundary at the beginning of a line; a line ends with CR LF. One
 * after a CR or LF alone is refused: some readers take it for a delimiter and others do not, and
 * the parts would not be the same for both.
 */
export class BoundaryScanner implements DelimiterScanner {
  /**
   * CR LF and the boundary with its dashes. Nothing but its beginning is a CR or LF, so no match
   * begins within another.
   */
  readonly #delimiter: Buffer;
  readonly #afterLineFeed: Buffer;
  readonly #afterReturn: Buffer;
  #beginning: Beginning = 'line start';
  /**
   * How much of `#delimiter` is matched up to here, also where its CR or LF is not there; 0 for
   * nothing.
   */
  #matched = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#afterLineFeed = this.#delimiter.subarray(1);
    this.#afterReturn = Buffer.from(`\r--${boundary}`, 'latin1');
  }

  /** Content begins here, at the beginning of a line. */
  begin(): void {
    this.#beginning = 'line start';
    this.#matched = 2;
  }

  /**
   * Reads on from `start` and gives what is content to the sink. Returns the offset behind the next
   * delimiter, or -1 when it is not in this chunk. Throws `MTOM_STRUCTURE`.
   */
  scan(chunk: Buffer, start: number, sink: ContentSink): number {
    let at = start;
    if (this.#matched > 0) {
      at = this.#resume(chunk, at, sink);
      if (this.#matched === this.#delimiter.length) return this.#found(at);
      if (this.#matched > 0) return -1;
    }
    const found = chunk.indexOf(this.#afterLineFeed, at);
    const before = found < 0 ? chunk : chunk.subarray(0, found);
    const half = before.indexOf(this.#afterReturn, at);
    if (half >= 0) throw this.#bare(chunk, at, half, sink);
    if (found < 0) {
      const end = this.#hold(chunk, at);
      if (end > at) {
        sink.content(chunk.subarray(at, end));
      }
      return -1;
    }
    if (found === at || chunk[found - 1] !== CR) throw this.#bare(chunk, at, found, sink);
    if (found - 1 > at) {
      sink.content(chunk.subarray(at, found - 1));
    }
    this.#matched = 0;
    return found + this.#afterLineFeed.length;
  }

  /** Passes on the content before it first: the result is the same wherever the chunks end. */
  #bare(chunk: Buffer, start: number, end: number, sink: ContentSink): Refusal {
    if (end > start) {
      sink.content(chunk.subarray(start, end));
    }
    return bareBoundary();
  }

  #found(at: number): number {
    this.#matched = 0;
    if (this.#beginning === 'line feed' || this.#beginning === 'return') throw bareBoundary();
    return at;
  }

  /** Goes on with the match in hand. When it fails, its bytes are content after all. */
  #resume(chunk: Buffer, start: number, sink: ContentSink): number {
    let at = start;
    while (at < chunk.length && this.#matched < this.#delimiter.length) {
      if (this.#matched === 1 && chunk[at] === DASH) {
        this.#beginning = 'return';
        this.#matched = 2;
      }
      if (chunk[at] !== this.#delimiter[this.#matched]) {
        const content = this.#content();
        this.#matched = 0;
        if (content.length > 0) {
          sink.content(content);
        }
        return at;
      }
      at++;
      this.#matched++;
    }
    return at;
  }

  /** The bytes of the match in hand. */
  #content(): Buffer {
    switch (this.#beginning) {
      case 'line end':
        return this.#delimiter.subarray(0, this.#matched);
      case 'line feed':
        return this.#delimiter.subarray(1, this.#matched);
      case 'return':
        return this.#afterReturn.subarray(0, this.#matched - 1);
      case 'line start':
        return this.#delimiter.subarray(2, this.#matched);
    }
  }

  /**
   * Holds back what may be the beginning of a delimiter at the end of the chunk; returns where that
   * begins.
   */
  #hold(chunk: Buffer, start: number): number {
    const end = chunk.length;
    const first = Math.max(start, end - this.#afterLineFeed.length + 1);
    let last = end - 1;
    while (last >= first && chunk[last] !== LF && chunk[last] !== CR) {
      last--;
    }
    if (last < first) return end;
    const isReturn = chunk[last] === CR;
    if (isReturn && last === end - 1) {
      this.#beginning = 'line end';
      this.#matched = 1;
      return last;
    }
    const pattern = isReturn ? this.#afterReturn : this.#afterLineFeed;
    if (chunk.compare(pattern, 0, end - last, last, end) !== 0) return end;
    this.#matched = 1 + end - last;
    if (!isReturn && last > start && chunk[last - 1] === CR) {
      this.#beginning = 'line end';
      return last - 1;
    }
    this.#beginning = isReturn ? 'return' : 'line feed';
    return last;
  }
}

/** The refusal of a boundary that only some readers find. */
export const bareBoundary = (): Refusal =>
  new Refusal('MTOM_STRUCTURE', 'a boundary after half a line end');
