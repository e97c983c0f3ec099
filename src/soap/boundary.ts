import { Refusal } from '../base/refusal.js';

/** Is given what stands between two boundaries, in pieces that are lent for the call. */
export interface ContentSink {
  content(piece: Buffer): void;
}

const CR = 13;
const LF = 10;

/**
 * Finds the delimiter lines of a multipart message (RFC 2046 section 5.1.1), cut anywhere, in linear time. A delimiter
 * is the boundary at the beginning of a line; a line ends with CR LF. One after a bare LF is refused: some readers take
 * it for a delimiter and others do not, and the parts would not be the same for both.
 */
export class BoundaryScanner {
  /** CR LF and the boundary with its dashes. Only its first byte is a CR, so a match that fails begins nowhere else. */
  readonly #delimiter: Buffer;
  /** The same without the CR. */
  readonly #line: Buffer;
  /** Where in `#delimiter` the match in hand begins: 0 at its CR, 1 at its LF, 2 where a line begins anyway. */
  #from = 0;
  /** How much of `#delimiter` is matched up to here; 0 for nothing. */
  #matched = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#line = this.#delimiter.subarray(1);
  }

  /** Content begins here, at the beginning of a line. */
  begin(): void {
    this.#from = 2;
    this.#matched = 2;
  }

  /**
   * Reads on from `start` and gives what is content to the sink. Returns the offset behind the next delimiter, or -1
   * when it is not in this chunk. Throws `MTOM_STRUCTURE`.
   */
  scan(chunk: Buffer, start: number, sink: ContentSink): number {
    let at = start;
    if (this.#matched > 0) {
      at = this.#resume(chunk, at, sink);
      if (this.#matched === this.#delimiter.length) return this.#found(at);
      if (this.#matched > 0) return -1;
    }
    const found = chunk.indexOf(this.#line, at);
    if (found < 0) {
      const end = this.#hold(chunk, at);
      if (end > at) sink.content(chunk.subarray(at, end));
      return -1;
    }
    this.#from = found > at && chunk[found - 1] === CR ? 0 : 1;
    const end = found - (1 - this.#from);
    if (end > at) sink.content(chunk.subarray(at, end));
    return this.#found(found + this.#line.length);
  }

  #found(at: number): number {
    this.#matched = 0;
    if (this.#from === 1) throw new Refusal('MTOM_STRUCTURE', 'boundary after a bare line feed');
    return at;
  }

  /** Goes on with the match in hand. When it fails, its bytes are content after all. */
  #resume(chunk: Buffer, start: number, sink: ContentSink): number {
    let at = start;
    while (at < chunk.length && this.#matched < this.#delimiter.length) {
      if (chunk[at] !== this.#delimiter[this.#matched]) {
        if (this.#matched > this.#from) sink.content(this.#delimiter.subarray(this.#from, this.#matched));
        this.#matched = 0;
        return at;
      }
      at++;
      this.#matched++;
    }
    return at;
  }

  /** Holds back what may be the beginning of a delimiter at the end of the chunk; returns where that begins. */
  #hold(chunk: Buffer, start: number): number {
    const end = chunk.length;
    if (end > start && chunk[end - 1] === CR) {
      this.#from = 0;
      this.#matched = 1;
      return end - 1;
    }
    const first = Math.max(start, end - this.#line.length + 1);
    let feed = end - 1;
    while (feed >= first && chunk[feed] !== LF) feed--;
    if (feed < first || chunk.compare(this.#line, 0, end - feed, feed, end) !== 0) return end;
    this.#from = feed > start && chunk[feed - 1] === CR ? 0 : 1;
    this.#matched = 1 + end - feed;
    return feed - (1 - this.#from);
  }
}
