import { Buffer } from 'node:buffer';
import { Envelope, type OtlpOptions } from './envelope.js';
import { ProtoWriter } from './proto-writer.js';
import { OtlpSender, type SenderHooks } from './sender.js';

/** A batch is sent when it has as many items, or bytes, or is a second old. */
export const BATCH_ITEMS = 2048;
const BATCH_BYTES = 1024 * 1024;
const BATCH_MILLIS = 1000;
/** Batches that wait, the one being sent among them. Items beyond are dropped. */
export const BATCHES_MAX = 3;

/** An export request that is written. */
interface Batch {
  readonly writer: ProtoWriter;
  items: number;
}

/**
 * Sends spans, or records of the log, in batches by OTLP over HTTP. Nothing waits for it, and its
 * memory is bounded.
 */
export class OtlpBatches {
  readonly #sender: OtlpSender;
  readonly #envelope: Envelope;
  readonly #free: Buffer[] = [];
  readonly #waiting: Batch[] = [];
  #open: Batch | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;

  constructor(options: OtlpOptions, hooks: SenderHooks) {
    this.#sender = new OtlpSender(options, hooks);
    this.#envelope = new Envelope(options.attributes);
  }

  /**
   * The writer for the next item, with at least `bytesMax` free. Null where too many batches wait:
   * the item is dropped.
   */
  next(bytesMax: number): ProtoWriter | null {
    if (this.#open !== null && this.#open.writer.free < bytesMax) {
      this.#close();
    }
    const batch = this.#open ?? this.#begin();
    if (batch === null) return null;
    batch.items++;
    return batch.writer;
  }

  /** Items were written: a batch that is full is sent. */
  written(): void {
    if (this.#open !== null && this.#open.items >= BATCH_ITEMS) {
      this.#close();
    }
  }

  /** Sends what is collected, for a second at most. */
  async close(): Promise<void> {
    this.#close();
    await this.#sender.close(this.#sending);
  }

  /** Null where too many batches wait. */
  #begin(): Batch | null {
    if (this.#waiting.length >= BATCHES_MAX || this.#sender.isClosed) return null;
    const writer = new ProtoWriter(this.#free.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES));
    this.#envelope.begin(writer);
    this.#open = { writer, items: 0 };
    this.#timer = setTimeout(() => this.#close(), BATCH_MILLIS).unref();
    return this.#open;
  }

  #close(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    const batch = this.#open;
    this.#open = null;
    if (batch === null) return;
    this.#envelope.end(batch.writer);
    this.#waiting.push(batch);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
      const { writer, items } = batch;
      await this.#sender.send(writer.bytes.subarray(0, writer.length), items);
      this.#waiting.shift();
      this.#free.push(writer.bytes);
    }
  }
}
