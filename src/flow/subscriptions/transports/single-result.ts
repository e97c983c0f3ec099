import type { ExecutionResult } from 'graphql';
import { Cancellation, type CancelSignal } from '../../../core/index.js';

/**
 * The result of a query or a mutation as a stream of one, which its reader may end. No generator
 * function, because that cannot be ended while it waits.
 */
export class OneResult implements AsyncGenerator<ExecutionResult, void, undefined> {
  readonly #result: Promise<ExecutionResult>;
  readonly #departure = new Cancellation();
  readonly #left: Promise<void>;
  #isTaken = false;

  /** `run` begins at once; its signal is aborted when the reader ends the stream. */
  constructor(run: (signal: CancelSignal) => Promise<ExecutionResult>) {
    const signal = this.#departure;
    this.#left = new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    this.#result = run(signal);
    // The result may never be read.
    this.#result.catch(() => {});
  }

  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    if (this.#isTaken) return { done: true, value: undefined };
    this.#isTaken = true;
    const value = await Promise.race([this.#result, this.#left]);
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#isTaken = true;
    this.#departure.abort();
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<ExecutionResult, void>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
