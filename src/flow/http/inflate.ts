import { Buffer } from 'node:buffer';
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';

import { Refusal, refuseByLimit } from '../../base/refusals/refusal.js';
import type { InflateLimits } from '../../soap/limits.js';
import { GzipHeader } from './gzip-header.js';

/** Receives the output of a gzip stream: any number of `data`, then `end` or `failed`, once. None of them may throw. */
export interface InflateOutput {
  data(chunk: Buffer): void;
  /** The stream was complete and in order. */
  end(): void;
  failed(refusal: Refusal): void;
  /** Enough is waiting to be decoded: `write` again after `more`. */
  enough(): void;
  more(): void;
}

/** CRC and length of what was compressed: RFC 1952 section 2.3.1. */
const TRAILER_BYTES = 8;

/**
 * Decodes one gzip stream (RFC 1952) as it comes in. One member, complete, with nothing behind it: bytes that another
 * reader would leave away or add are refused as `ENCODING_CORRUPT`, too many as `DECOMPRESSION_LIMIT`. At most a few
 * chunks wait on either side.
 */
export class Inflater {
  readonly #limits: InflateLimits;
  readonly #output: InflateOutput;
  readonly #raw: InflateRaw = createInflateRaw();
  readonly #header = new GzipHeader();
  readonly #waiting: Buffer[] = [];
  readonly #trailer: Buffer = Buffer.alloc(TRAILER_BYTES);
  #trailerBytes = 0;
  #taken = 0;
  #decoded = 0;
  #sum = 0;
  /** A chunk is being decoded. */
  #busy = false;
  /** The source waits for `more`. */
  #full = false;
  /** The compressed data are over, and what follows is the trailer. */
  #deflated = false;
  /** Everything decoded was handed out. */
  #drained = false;
  #sourceEnded = false;
  #over = false;

  constructor(limits: InflateLimits, output: InflateOutput) {
    this.#limits = limits;
    this.#output = output;
    this.#raw.on('data', (chunk: Buffer) => this.#give(chunk));
    this.#raw.once('end', () => {
      this.#drained = true;
      this.#endIfDone();
    });
    this.#raw.on('error', (error: Error) => this.#corrupt('data', error));
  }

  /** The next bytes of the stream. */
  write(chunk: Buffer): void {
    if (this.#over || chunk.length === 0) return;
    this.#taken += chunk.length;
    // A stream may go on without anything coming of it.
    if (this.#taken > this.#limits.messageBytes) {
      this.#beyond('limits.xml.messageBytes', this.#limits.messageBytes);
      return;
    }
    this.#waiting.push(chunk);
    this.#next();
    if (this.#waiting.length > 0 && !this.#full) {
      this.#full = true;
      this.#output.enough();
    }
  }

  /** There are no more bytes. */
  end(): void {
    this.#sourceEnded = true;
    this.#endIfDone();
  }

  /** Stops the output for now. */
  pause(): void {
    this.#raw.pause();
  }

  resume(): void {
    this.#raw.resume();
  }

  /** Drops the rest of it. */
  destroy(): void {
    this.#over = true;
    this.#waiting.length = 0;
    this.#raw.destroy();
  }

  #next(): void {
    while (!this.#busy && !this.#over) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      this.#take(chunk);
    }
    if (this.#full && this.#waiting.length === 0 && !this.#over) {
      this.#full = false;
      this.#output.more();
    }
    this.#endIfDone();
  }

  #take(chunk: Buffer): void {
    const behindHeader = this.#header.take(chunk);
    if (behindHeader < 0) this.#corrupt('header');
    const data = chunk.subarray(Math.max(0, behindHeader));
    if (data.length === 0 || this.#over) return;
    if (this.#deflated) this.#takeTrailer(data);
    else this.#decode(data);
  }

  #decode(data: Buffer): void {
    this.#busy = true;
    const before = this.#raw.bytesWritten;
    this.#raw.write(data, () => {
      this.#busy = false;
      const consumed = this.#raw.bytesWritten - before;
      // It takes everything but what stands behind its own end.
      if (!this.#over && consumed < data.length) {
        this.#deflated = true;
        this.#takeTrailer(data.subarray(consumed));
      }
      this.#next();
    });
  }

  #takeTrailer(data: Buffer): void {
    if (this.#trailerBytes + data.length > TRAILER_BYTES) this.#corrupt('bytes behind the end');
    data.copy(this.#trailer, this.#trailerBytes);
    this.#trailerBytes += data.length;
  }

  #give(chunk: Buffer): void {
    if (this.#over) return;
    const { messageBytes, inflateRatio, inflateFreeBytes } = this.#limits;
    this.#decoded += chunk.length;
    if (this.#decoded > messageBytes) this.#beyond('limits.xml.messageBytes', messageBytes);
    else if (this.#decoded > inflateFreeBytes && this.#decoded > inflateRatio * this.#raw.bytesWritten) {
      this.#beyond('limits.soap.inflateRatio', inflateRatio);
    } else {
      this.#sum = crc32(chunk, this.#sum);
      this.#output.data(chunk);
    }
  }

  /** Reports the end when all input was decoded, all output was taken, and the trailer fits. */
  #endIfDone(): void {
    if (this.#over || !this.#sourceEnded || this.#busy || this.#waiting.length > 0) return;
    if (!this.#deflated || this.#trailerBytes < TRAILER_BYTES) this.#corrupt('cut off');
    else if (this.#drained) this.#finish();
  }

  #finish(): void {
    if (this.#trailer.readUInt32LE(0) !== this.#sum || this.#trailer.readUInt32LE(4) !== this.#decoded % 2 ** 32) {
      this.#corrupt('checksum');
      return;
    }
    this.#over = true;
    this.#raw.destroy();
    this.#output.end();
  }

  #corrupt(rule: string, cause?: Error): void {
    this.#fail(new Refusal('ENCODING_CORRUPT', rule, cause === undefined ? undefined : { cause }));
  }

  #beyond(key: string, limit: number): void {
    this.#fail(refuseByLimit('DECOMPRESSION_LIMIT', key, limit));
  }

  #fail(refusal: Refusal): void {
    if (this.#over) return;
    this.destroy();
    this.#output.failed(refusal);
  }
}
