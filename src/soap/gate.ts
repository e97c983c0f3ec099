import { Refusal } from '../base/refusal.js';
import type { EnvelopeJudge } from './envelope.js';

/** What reads a message for the gate: an XML reader, or something that finds the envelope in a package of parts. */
export interface MessageReader {
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
  | { readonly at: 'holding'; readonly chunks: Buffer[]; bytes: number }
  | { readonly at: 'streaming'; kept: Buffer }
  | { readonly at: 'over' };

export interface GateOptions {
  readonly windowBytes: number;
  /** Bytes that may come before the head is judged. */
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
  #state: State = { at: 'holding', chunks: [], bytes: 0 };
  #judging = true;

  constructor(reader: MessageReader, judge: EnvelopeJudge, options: GateOptions, output: GateOutput) {
    this.#reader = reader;
    this.#judge = judge;
    this.#options = options;
    this.#output = output;
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.bytes += chunk.length;
    if (this.#judging) this.#attempt(() => this.#reader.write(chunk));
    const state = this.#state;
    switch (state.at) {
      case 'holding':
        state.chunks.push(chunk);
        state.bytes += chunk.length;
        if (state.bytes > this.#options.windowBytes) this.#leaveWindow(state.chunks, state.bytes);
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
    if (this.#judging) this.#attempt(() => this.#reader.end());
    const state = this.#state;
    this.#state = { at: 'over' };
    switch (state.at) {
      case 'holding':
        this.#output.whole(
          state.chunks.length === 1 && state.chunks[0] ? state.chunks[0] : Buffer.concat(state.chunks),
        );
        return;
      case 'streaming':
        this.#output.data(state.kept);
        this.#output.end();
        return;
      case 'over':
        return;
    }
  }

  #leaveWindow(chunks: readonly Buffer[], bytes: number): void {
    if (this.#judging && !this.#judge.judged) {
      if (bytes <= this.#options.headBytes) return;
      this.#attempt(() => {
        throw new Refusal('SOAP_HEADER_LIMIT', 'bytes before the first Body child');
      });
    }
    const kept = chunks.at(-1) ?? Buffer.alloc(0);
    this.#state = { at: 'streaming', kept };
    this.#output.begin(0);
    for (let index = 0; index < chunks.length - 1; index++) {
      const chunk = chunks[index];
      if (chunk !== undefined) this.#output.data(chunk);
    }
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (caught) {
      if (!(caught instanceof Refusal) || this.#options.onViolation === null) {
        this.#state = { at: 'over' };
        throw caught;
      }
      this.#judging = false;
      this.#options.onViolation(caught);
    }
  }
}
