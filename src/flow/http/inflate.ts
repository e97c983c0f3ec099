import { Buffer } from 'node:buffer';
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';

import { Refusal, refuseByLimit, Stages } from '../../core/index.js';
import type { InflateLimits } from '../../soap/index.js';
import { GzipHeader } from './gzip-header.js';

/**
 * Receives the output of a gzip stream: any number of `data`, then `end` or `failed`, once. None of
 * them may throw.
 */
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
 * What comes next of the stream: compressed data, or the trailer. `drained`: besides, everything
 * decoded was handed out.
 */
type Stage = 'data' | 'trailer' | 'drained' | 'over';

/**
 * The stage that a step leads to, by the stage before it. A step that is not listed there changes
 * nothing.
 */
const STEPS = {
  deflated: { data: 'trailer', drained: 'drained' },
  drain: { data: 'drained', trailer: 'drained' },
  begin: { drained: 'data' },
  end: { data: 'over', trailer: 'over', drained: 'over' },
} as const satisfies Record<string, { readonly [before in Stage]?: Stage }>;

/**
 * Decodes one gzip stream (RFC 1952) as it comes in: `members` at most, whole, nothing behind them.
 * Bytes that another reader would leave away or add are refused as `ENCODING_CORRUPT`, too many as
 * `DECOMPRESSION_LIMIT`. At most a few chunks wait on either side.
 */
export class Inflater {
  readonly #limits: InflateLimits;
  readonly #output: InflateOutput;
  /** Members that may still begin. */
  #membersLeft: number;
  #raw: InflateRaw;
  #header = new GzipHeader();
  /** Another member is there; it begins when everything decoded of this one was handed out. */
  #isNextDue = false;
  #isPaused = false;
  readonly #waiting: Buffer[] = [];
  readonly #trailer: Buffer = Buffer.alloc(TRAILER_BYTES);
  #trailerBytes = 0;
  #taken = 0;
  #decoded = 0;
  /** Bytes that members before this one had, decoded and as they came. */
  #decodedBefore = 0;
  #compressedBefore = 0;
  #sum = 0;
  readonly #stages = new Stages<Stage>('data');
  /** `full`: the source waits for `more`. */
  #source: 'flowing' | 'full' | 'ended' = 'flowing';
  /** A chunk is being decoded. */
  #isBusy = false;

  constructor(limits: InflateLimits, output: InflateOutput, members = 1) {
    this.#limits = limits;
    this.#output = output;
    this.#membersLeft = members - 1;
    this.#raw = this.#beginRaw();
  }

  #beginRaw(): InflateRaw {
    const raw = createInflateRaw();
    raw.on('data', (chunk: Buffer) => this.#give(chunk));
    raw.once('end', () => {
      this.#stages.move(STEPS.drain);
      this.#beginNext();
      this.#endIfDone();
    });
    raw.on('error', (error: Error) => this.#corrupt('data', error));
    return raw;
  }

  /** The next bytes of the stream. */
  write(chunk: Buffer): void {
    if (this.#isOver || chunk.length === 0) return;
    this.#taken += chunk.length;
    // A stream may go on without anything coming of it.
    if (this.#taken > this.#limits.messageBytes) {
      this.#beyond('limits.xml.messageBytes', this.#limits.messageBytes);
      return;
    }
    this.#waiting.push(chunk);
    this.#next();
    if (this.#waiting.length > 0 && this.#source === 'flowing') {
      this.#source = 'full';
      this.#output.enough();
    }
  }

  /** There are no more bytes. */
  end(): void {
    this.#source = 'ended';
    this.#endIfDone();
  }

  /** Stops the output for now. */
  pause(): void {
    this.#isPaused = true;
    this.#raw.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#raw.resume();
  }

  /** Drops the rest of it. */
  destroy(): void {
    this.#stages.move(STEPS.end);
    this.#waiting.length = 0;
    this.#raw.destroy();
  }

  get #isOver(): boolean {
    return this.#stages.at === 'over';
  }

  #next(): void {
    while (!this.#isBusy && !this.#isNextDue && !this.#isOver) {
      const chunk = this.#waiting.shift();
      if (chunk === undefined) break;
      this.#take(chunk);
    }
    if (this.#source === 'full' && this.#waiting.length === 0 && !this.#isOver) {
      this.#source = 'flowing';
      this.#output.more();
    }
    this.#endIfDone();
  }

  #take(chunk: Buffer): void {
    const behindHeader = this.#header.take(chunk);
    if (behindHeader < 0) {
      this.#corrupt('header');
    }
    const data = chunk.subarray(Math.max(0, behindHeader));
    if (data.length === 0 || this.#isOver) return;
    if (this.#stages.at === 'data') {
      this.#decode(data);
    } else {
      this.#takeTrailer(data);
    }
  }

  #decode(data: Buffer): void {
    this.#isBusy = true;
    const before = this.#raw.bytesWritten;
    this.#raw.write(data, () => {
      this.#isBusy = false;
      const consumed = this.#raw.bytesWritten - before;
      // It takes everything but what stands behind its own end.
      if (consumed < data.length && this.#stages.move(STEPS.deflated)) {
        this.#takeTrailer(data.subarray(consumed));
      }
      this.#next();
    });
  }

  #takeTrailer(data: Buffer): void {
    const own = data.subarray(0, TRAILER_BYTES - this.#trailerBytes);
    own.copy(this.#trailer, this.#trailerBytes);
    this.#trailerBytes += own.length;
    if (own.length === data.length) return;
    if (this.#membersLeft === 0) {
      this.#corrupt('bytes behind the end');
      return;
    }
    this.#waiting.unshift(data.subarray(own.length));
    this.#isNextDue = true;
    this.#beginNext();
  }

  /** Begins the next member, once everything of this one was handed out and its trailer fits. */
  #beginNext(): void {
    if (!this.#isNextDue || this.#stages.at !== 'drained') return;
    if (!this.#isTrailerRight) {
      this.#corrupt('checksum');
      return;
    }
    this.#isNextDue = false;
    this.#membersLeft--;
    this.#decodedBefore = this.#decoded;
    this.#compressedBefore += this.#raw.bytesWritten;
    this.#sum = 0;
    this.#trailerBytes = 0;
    this.#header = new GzipHeader();
    this.#raw.destroy();
    this.#raw = this.#beginRaw();
    if (this.#isPaused) {
      this.#raw.pause();
    }
    this.#stages.move(STEPS.begin);
    this.#next();
  }

  get #isTrailerRight(): boolean {
    const decoded = this.#decoded - this.#decodedBefore;
    return (
      this.#trailer.readUInt32LE(0) === this.#sum &&
      this.#trailer.readUInt32LE(4) === decoded % 2 ** 32
    );
  }

  #give(chunk: Buffer): void {
    if (this.#isOver) return;
    const { messageBytes, inflateRatio, inflateFreeBytes } = this.#limits;
    this.#decoded += chunk.length;
    if (this.#decoded > messageBytes) {
      this.#beyond('limits.xml.messageBytes', messageBytes);
    } else if (
      this.#decoded > inflateFreeBytes &&
      this.#decoded > inflateRatio * (this.#compressedBefore + this.#raw.bytesWritten)
    ) {
      this.#beyond('limits.soap.inflateRatio', inflateRatio);
    } else {
      this.#sum = crc32(chunk, this.#sum);
      this.#output.data(chunk);
    }
  }

  /** Reports the end when all input was decoded, all output was taken, and the trailer fits. */
  #endIfDone(): void {
    if (this.#isOver || this.#source !== 'ended' || this.#isBusy || this.#waiting.length > 0) {
      return;
    }
    if (this.#stages.at === 'data' || this.#trailerBytes < TRAILER_BYTES) {
      this.#corrupt('cut off');
    } else if (this.#stages.at === 'drained') {
      this.#finish();
    }
  }

  #finish(): void {
    if (!this.#isTrailerRight) {
      this.#corrupt('checksum');
      return;
    }
    this.destroy();
    this.#output.end();
  }

  #corrupt(rule: string, cause?: Error): void {
    this.#fail(new Refusal('ENCODING_CORRUPT', rule, cause === undefined ? undefined : { cause }));
  }

  #beyond(key: string, limit: number): void {
    this.#fail(refuseByLimit('DECOMPRESSION_LIMIT', key, limit));
  }

  #fail(refusal: Refusal): void {
    if (this.#isOver) return;
    this.destroy();
    this.#output.failed(refusal);
  }
}
