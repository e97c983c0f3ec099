import { Buffer } from 'node:buffer';
import type { refusals } from '../core/index.js';
import { COPIED_BYTES_MIN, skimMemory } from './skim-memory.js';
import type { Transcoder } from './transcode.js';

/**
 * Offsets that a refusal may be about when their chunk is gone: of the last event, and of the last
 * start tag.
 */
export interface LastOffsets {
  readonly eventBytes: number;
  readonly tag: { readonly offsetBytes: number };
}

/** A `Transcoder`, which knows the bytes that a chunk was decoded from. */
type Source = Pick<Transcoder, 'unitBytes' | 'decodedBytes'>;

/**
 * Finds the line and the byte of a refusal in the message as its sender wrote it. The lines of a
 * chunk are counted when the next one comes: a message of one chunk costs nothing unless it is
 * refused.
 */
export class Locator {
  /**
   * The chunk that is being read, in UTF-8, from `#start` to before `#end`; it stays as it is until
   * the next one comes.
   */
  #chunk: Buffer = NOTHING;
  #start = 0;
  #end = 0;
  /** Offset of the first byte of the chunk. */
  #base = 0;
  /** Lines that end before the chunk. */
  #lines = 0;
  /**
   * Bytes of the message up to the end of the chunk, and of each character: 0 for UTF-8, whose
   * offsets count bytes.
   */
  #sourceEnd = 0;
  #unitBytes = 0;
  readonly #event: Mark = { offset: -1, line: 0, byte: 0 };
  readonly #tag: Mark = { offset: -1, line: 0, byte: 0 };

  /** Begins a message, and lets go of the last one. */
  reset(): void {
    this.#chunk = NOTHING;
    this.#start = 0;
    this.#end = 0;
    this.#base = 0;
    this.#lines = 0;
    this.#unitBytes = 0;
    this.#event.offset = -1;
    this.#tag.offset = -1;
  }

  /** Adds lines of the message that no chunk has. */
  addLines(count: number): void {
    this.#lines += count;
  }

  /**
   * The next chunk, from `start` to before `end`; `base` is the offset of its first byte, `last`
   * has those of the chunk before. `transcoder` made the chunk; null where it is as its sender
   * wrote it.
   */
  next(
    chunk: Buffer,
    start: number,
    end: number,
    base: number,
    last: LastOffsets,
    transcoder: Source | null,
  ): void {
    if (this.#chunk !== NOTHING) {
      this.#leave(last);
    }
    this.#chunk = chunk;
    this.#start = start;
    this.#end = end;
    this.#base = base;
    if (transcoder === null) return;
    this.#unitBytes = transcoder.unitBytes;
    this.#sourceEnd = transcoder.decodedBytes;
  }

  /**
   * The place of an offset, which lies in the chunk, or is that of a tag or of the name that goes
   * on in the chunk.
   */
  place(offset: number): refusals.Place {
    if (offset < this.#base + this.#start) {
      for (const mark of [this.#event, this.#tag]) {
        if (mark.offset === offset) return { byte: mark.byte, line: mark.line + 1 };
      }
    }
    return { byte: this.#byteOf(offset), line: this.#linesBefore(offset) + 1 };
  }

  /** The place of the end of what has been read; `byte` is known. */
  placeAtEnd(byte: number): refusals.Place {
    return { byte, line: this.#lines + countLines(this.#chunk, this.#start, this.#end) + 1 };
  }

  #leave({ eventBytes, tag: { offsetBytes } }: LastOffsets): void {
    // The `<` of a tag may be the last byte of the chunk before: a tag begins with its name.
    if (offsetBytes > this.#tag.offset) {
      this.#set(this.#tag, offsetBytes);
    }
    if (eventBytes === this.#tag.offset) {
      Object.assign(this.#event, this.#tag);
    } else if (eventBytes > this.#event.offset) {
      this.#set(this.#event, eventBytes);
    }
    this.#lines += countLines(this.#chunk, this.#start, this.#end);
  }

  #set(mark: Mark, offset: number): void {
    mark.line = this.#linesBefore(offset);
    mark.byte = this.#byteOf(offset);
    mark.offset = offset;
  }

  #linesBefore(offset: number): number {
    const end = Math.min(offset - this.#base, this.#end);
    return this.#lines + countLines(this.#chunk, this.#start, end);
  }

  #byteOf(offset: number): number {
    const unitBytes = this.#unitBytes;
    if (unitBytes === 0) return offset;
    const at = offset - this.#base;
    // A name that began before the chunk: its characters are not there any more, and nearly always
    // ASCII.
    let behind = at < this.#start ? (this.#start - at) * unitBytes : 0;
    for (let i = Math.max(at, this.#start); i < this.#end; i++) {
      behind += sourceBytes(this.#chunk[i]!, unitBytes);
    }
    return this.#sourceEnd - behind;
  }
}

interface Mark {
  /** -1 for none. */
  offset: number;
  /** Lines that end before it. */
  line: number;
  byte: number;
}

/** Bytes that a byte of UTF-8 stands for in an encoding of one byte a character, or in UTF-16. */
function sourceBytes(byte: number, unitBytes: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 * unitBytes : unitBytes;
}

/** Ends of lines from `start` to before `end`. */
function countLines(chunk: Buffer, start: number, end: number): number {
  if (end - start > COPIED_BYTES_MIN) return skimMemory.countLines(chunk, start, end);
  let count = 0;
  for (let i = start; i < end; i++) {
    if (chunk[i] === LINE_FEED) {
      count++;
    }
  }
  return count;
}

const LINE_FEED = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);
