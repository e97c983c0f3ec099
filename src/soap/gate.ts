import { Buffer } from 'node:buffer';
import { byteBuffers, Refusal, refuseByLimit } from '../core/index.js';
import type { Encoding } from '../xml/index.js';
import { mergeEdits } from './bridge/merge-edits.js';
import type { Dialect } from './dialect.js';
import { applyEdits, type Edit } from './edit.js';
import type { EnvelopeValidator } from './envelope.js';

/**
 * Reads a message for the gate: an XML reader, or a reader of a package of parts with an envelope
 * in it.
 */
export interface MessageReader {
  /** The encoding of the envelope, or null while unknown. */
  readonly encoding: Encoding | null;
  /** Offset of the envelope in the message; 0 by default. */
  readonly sourceStart?: number;
  /**
   * The bytes before the envelope, where that is put into another dialect. Absent: there are none.
   */
  bridgedHead?(message: Buffer, to: Dialect): Buffer;
  /**
   * Whether it collects bytes before it reads them, within a limit of its own. Absent: it does not.
   */
  readonly isCollecting?: boolean;
  /** Whether it has collected bytes that it can read now. Absent: it does not collect any. */
  readonly hasWork?: boolean;
  /** Reads some of them, within about a time slice. Throws as `write` does. */
  work?(): void;
  /** Throws the `Refusal` of the first violation. */
  write(chunk: Buffer): void;
  /** The message is over. Throws when it is not complete. */
  end(): void;
}

/**
 * Receives the messages that pass the gate. Either `whole` once, or `begin`, any number of `data`,
 * and `end`. Never more after a throw.
 */
export interface GateOutput {
  /** The message ended inside the window and is valid. */
  whole(message: Buffer): void;
  /**
   * The message is longer than the window and its head is valid: it streams from here on,
   * `growthBytes` longer than it came (less than 0: shorter), because its head was edited.
   */
  begin(growthBytes: number): void;
  data(chunk: Buffer): void;
  /** The last byte was valid: only now is the message complete on the other side. */
  end(): void;
}

/**
 * The state of the gate. While it streams it holds the newest chunk back, so that the other side
 * never has a complete message before its end is validated.
 */
type State =
  | { readonly at: 'beginning' }
  | { readonly at: 'holding'; readonly chunks: Buffer[]; bytes: number }
  | { readonly at: 'streaming'; kept: Buffer }
  | { readonly at: 'over' };

const BEGINNING: State = { at: 'beginning' };
const OVER: State = { at: 'over' };

export interface GateOptions {
  readonly windowBytes: number;
  /** Bytes by which the head must be valid: up to the end of the first Body child's start tag. */
  readonly headBytes: number;
  /** Bytes of a message that a bridge holds whole. */
  readonly bufferBytes: number;
  /**
   * Monitor mode: reports the first violation, and the message passes untouched. Null enforces:
   * violations are thrown.
   */
  readonly onViolation: ((refusal: Refusal) => void) | null;
}

/**
 * Holds a message until its head is valid, then streams it. `write` and `end` throw the `Refusal`
 * of the first violation; from then on nothing passes.
 */
export class Gate {
  /** Bytes taken in. */
  bytes = 0;
  readonly #reader: MessageReader;
  readonly #validator: EnvelopeValidator;
  readonly #options: GateOptions;
  readonly #output: GateOutput;
  #state: State = BEGINNING;
  #isValidating = true;

  constructor(
    reader: MessageReader,
    validator: EnvelopeValidator,
    options: GateOptions,
    output: GateOutput,
  ) {
    this.#reader = reader;
    this.#validator = validator;
    this.#options = options;
    this.#output = output;
  }

  /** Bytes by which the head must be valid. */
  get headBytes(): number {
    return this.#options.headBytes;
  }

  /** Bytes of a message that are held before it flows. */
  get windowBytes(): number {
    return this.#options.windowBytes;
  }

  /** Monitor mode: the violation is reported already; the message passes unread. */
  passUnread(): void {
    this.#isValidating = false;
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    if (this.#isValidating) {
      this.#read(chunk);
    }
    const state = this.#state;
    switch (state.at) {
      case 'beginning':
        // Nearly always the only chunk: for an array that begins empty V8 allocates seventeen
        // entries.
        this.#hold({ at: 'holding', chunks: [chunk], bytes: chunk.length });
        return;
      case 'holding':
        state.chunks.push(chunk);
        state.bytes += chunk.length;
        this.#hold(state);
        return;
      case 'streaming':
        this.#output.data(state.kept);
        state.kept = chunk;
        return;
      case 'over':
        return;
    }
  }

  /** Whether bytes were collected that can be read by `work`; `end` reads what is left of them. */
  get hasWork(): boolean {
    return this.#isValidating && this.#reader.hasWork === true;
  }

  work(): void {
    try {
      this.#reader.work?.();
    } catch (caught) {
      this.#handleViolation(caught);
    }
  }

  end(): void {
    if (this.#isValidating) {
      try {
        this.#reader.end();
      } catch (caught) {
        this.#handleViolation(caught);
      }
    }
    const state = this.#state;
    this.#state = OVER;
    switch (state.at) {
      case 'beginning':
        this.#output.whole(Buffer.alloc(0));
        return;
      case 'holding':
        this.#output.whole(this.#edited(byteBuffers.joinBuffers(state.chunks), true));
        return;
      case 'streaming':
        this.#output.data(state.kept);
        this.#output.end();
        return;
      case 'over':
        return;
    }
  }

  /**
   * Reads a chunk. Until the head is valid this stops at `headBytes`, wherever the chunk ends, so
   * that the result does not depend on the chunks.
   */
  #read(chunk: Buffer): void {
    try {
      const before = this.bytes - chunk.length;
      const room = this.#options.headBytes - before;
      if (this.#validator.isHeadValid || chunk.length <= room || this.#isCollecting) {
        this.#reader.write(chunk);
        return;
      }
      if (room > 0) {
        this.#reader.write(chunk.subarray(0, room));
      }
      if (!this.#validator.isHeadValid && !this.#isCollecting) {
        const { headBytes } = this.#options;
        throw refuseByLimit('SOAP_HEADER_LIMIT', 'limits.soap.headerBytes', headBytes);
      }
      this.#reader.write(chunk.subarray(room));
    } catch (caught) {
      this.#handleViolation(caught);
    }
  }

  /** Holds the message until the window is full and the head is valid; then streams it. */
  #hold(state: Extract<State, { readonly at: 'holding' }>): void {
    const { chunks, bytes } = state;
    this.#state = state;
    if (bytes <= this.#options.windowBytes || (this.#isValidating && !this.#mayStream)) return;
    if (this.#validator.bridge?.isHeldWhole === true) {
      this.#checkHeld(bytes);
      return;
    }
    if (this.#mayEdit) {
      const kept = this.#edited(Buffer.concat(chunks), false);
      this.#state = { at: 'streaming', kept };
      this.#output.begin(kept.length - bytes);
      return;
    }
    const kept = chunks.at(-1) ?? Buffer.alloc(0);
    this.#state = { at: 'streaming', kept };
    this.#output.begin(0);
    for (let index = 0; index < chunks.length - 1; index++) {
      const chunk = chunks[index];
      if (chunk !== undefined) {
        this.#output.data(chunk);
      }
    }
  }

  #checkHeld(bytes: number): void {
    const { bufferBytes } = this.#options;
    if (bytes <= bufferBytes) return;
    this.#state = OVER;
    throw refuseByLimit('HTTP_TOO_LARGE', 'limits.soap.bufferBytes', bufferBytes, bytes);
  }

  get #mayStream(): boolean {
    return this.#validator.isHeadValid && !this.#isCollecting;
  }

  get #isCollecting(): boolean {
    return this.#reader.isCollecting === true;
  }

  /** Monitor mode changes nothing but the version of a message. */
  get #mayEdit(): boolean {
    const { edits, bridge } = this.#validator;
    return bridge !== null || (this.#options.onViolation === null && edits !== null);
  }

  /** All edits lie in the head, and that is held until it is valid. `isWhole`: so is the rest. */
  #edited(held: Buffer, isWhole: boolean): Buffer {
    if (!this.#mayEdit) return held;
    const { bridge } = this.#validator;
    const encoding = this.#reader.encoding ?? 'utf-8';
    const start = this.#reader.sourceStart ?? 0;
    const own = this.#options.onViolation === null ? (this.#validator.edits ?? []) : [];
    if (bridge === null) return applyEdits(held, own, encoding, start);
    // A Fault is taken out of its package by the offsets with which that came.
    if (bridge.isFault && this.#reader.bridgedHead !== undefined) return held;
    const isUtf8 = encoding === 'utf-8' || encoding === 'us-ascii';
    const bytes = held.subarray(start);
    const edits: readonly Edit[] = mergeEdits(own, bridge.edits({ bytes, isWhole, isUtf8 }));
    const head = this.#reader.bridgedHead?.(held, bridge.to) ?? null;
    return head === null
      ? applyEdits(held, edits, encoding, start)
      : applyEdits(Buffer.concat([head, bytes]), edits, encoding, head.length);
  }

  #handleViolation(caught: unknown): void {
    // Unread, a message cannot be put into another version.
    const { bridge, isHeadValid } = this.#validator;
    const isBridged = bridge !== null && (!isHeadValid || bridge.isHeldWhole);
    if (!(caught instanceof Refusal) || this.#options.onViolation === null || isBridged) {
      this.#state = OVER;
      throw caught;
    }
    this.#isValidating = false;
    this.#options.onViolation(caught);
  }
}
