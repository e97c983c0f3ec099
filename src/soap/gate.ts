import { Buffer } from 'node:buffer';
import { Refusal, refuseByLimit } from '../base/refusal.js';
import type { Encoding } from '../xml/transcode.js';
import { applyEdits } from './edit.js';
import type { EnvelopeJudge } from './envelope.js';

/** What reads a message for the gate: an XML reader, or something that finds the envelope in a package of parts. */
export interface MessageReader {
  /** The encoding of the envelope, or null while unknown. */
  readonly encoding: Encoding | null;
  /** Where the envelope begins in what was written; at its beginning unless told. */
  readonly sourceStart?: number;
  /** Throws the `Refusal` of the first violation. */
  write(chunk: Buffer): void;
  /** The message is over. Throws when it is not complete. */
  end(): void;
}

/** What the gate lets through. Either `whole` once, or `begin`, any number of `data`, and `end`. Never more after a throw. */
export interface GateOutput {
  /** The message ended inside the window and is in order. */
  whole(message: Buffer): void;
  /**
   * The message is longer than the window and its head is in order: it flows from here on, longer than it came by
   * `growthBytes` (less than 0: shorter), because of what was changed in its head.
   */
  begin(growthBytes: number): void;
  data(chunk: Buffer): void;
  /** The last byte was in order: only now is the message complete on the other side. */
  end(): void;
}

/**
 * What the gate is doing. While it streams it keeps the newest chunk back, so that the other side never has a complete
 * message before the judge has seen its end.
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
  /** Bytes by which the head must be judged: up to the end of the first Body child's start tag. */
  readonly headBytes: number;
  /**
   * Monitor mode: the first violation is told here and the message passes untouched. Null enforces: violations are
   * thrown.
   */
  readonly onViolation: ((refusal: Refusal) => void) | null;
}

/**
 * Hold, judge, stream: bytes go in, a judged message comes out. `write` and `end` throw the `Refusal` of the first
 * violation; from then on nothing is let through.
 */
export class Gate {
  /** Bytes taken in. */
  bytes = 0;
  readonly #reader: MessageReader;
  readonly #judge: EnvelopeJudge;
  readonly #options: GateOptions;
  readonly #output: GateOutput;
  #state: State = BEGINNING;
  #judging = true;

  constructor(reader: MessageReader, judge: EnvelopeJudge, options: GateOptions, output: GateOutput) {
    this.#reader = reader;
    this.#judge = judge;
    this.#options = options;
    this.#output = output;
  }

  /** Monitor mode: the violation is known, and told; the message passes unread. */
  passUnread(): void {
    this.#judging = false;
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    if (this.#judging) this.#read(chunk);
    const state = this.#state;
    switch (state.at) {
      case 'beginning':
        // Nearly always it is the only one: an array that begins empty is made for seventeen.
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

  end(): void {
    if (this.#judging) {
      try {
        this.#reader.end();
      } catch (caught) {
        this.#violated(caught);
      }
    }
    const state = this.#state;
    this.#state = OVER;
    switch (state.at) {
      case 'beginning':
        this.#output.whole(Buffer.alloc(0));
        return;
      case 'holding':
        this.#output.whole(this.#edited(join(state.chunks)));
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
   * Reads a chunk. As long as the head is not judged this stops at the last byte by which it must be, wherever the chunk
   * ends, so that the verdict does not depend on the chunks.
   */
  #read(chunk: Buffer): void {
    try {
      const before = this.bytes - chunk.length;
      const room = this.#options.headBytes - before;
      if (this.#judge.judged || chunk.length <= room) {
        this.#reader.write(chunk);
        return;
      }
      if (room > 0) this.#reader.write(chunk.subarray(0, room));
      if (!this.#judge.judged) {
        const { headBytes } = this.#options;
        throw refuseByLimit('SOAP_HEADER_LIMIT', 'limits.soap.headerBytes', headBytes);
      }
      this.#reader.write(chunk.subarray(room));
    } catch (caught) {
      this.#violated(caught);
    }
  }

  /** Keeps what came until the window is full and the head is judged; then it flows. */
  #hold(state: Extract<State, { readonly at: 'holding' }>): void {
    const { chunks, bytes } = state;
    this.#state = state;
    if (bytes <= this.#options.windowBytes || (this.#judging && !this.#judge.judged)) return;
    if (this.#hasEdits) {
      const kept = this.#edited(Buffer.concat(chunks));
      this.#state = { at: 'streaming', kept };
      this.#output.begin(kept.length - bytes);
      return;
    }
    const kept = chunks.at(-1) ?? Buffer.alloc(0);
    this.#state = { at: 'streaming', kept };
    this.#output.begin(0);
    for (let index = 0; index < chunks.length - 1; index++) {
      const chunk = chunks[index];
      if (chunk !== undefined) this.#output.data(chunk);
    }
  }

  /** Monitor mode changes nothing. */
  get #hasEdits(): boolean {
    return this.#options.onViolation === null && this.#judge.edits !== null;
  }

  /** All edits lie in the head, and that is held until it is judged. */
  #edited(held: Buffer): Buffer {
    const { edits } = this.#judge;
    if (edits === null || !this.#hasEdits) return held;
    return applyEdits(held, edits, this.#reader.encoding ?? 'utf-8', this.#reader.sourceStart ?? 0);
  }

  #violated(caught: unknown): void {
    if (!(caught instanceof Refusal) || this.#options.onViolation === null) {
      this.#state = OVER;
      throw caught;
    }
    this.#judging = false;
    this.#options.onViolation(caught);
  }
}

const join = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
