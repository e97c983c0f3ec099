import type { ServerResponse } from 'node:http';
import { Refusal } from '../../core/index.js';

/**
 * How one request ends: its answer is out, or its caller has left. One listener serves all uses.
 */
export class Ending {
  readonly #response: ServerResponse;
  readonly #ended: () => void;
  #gone: (() => void) | null = null;
  #over: ((isComplete: boolean) => void) | null = null;

  /** `ended` is called first, whichever way the request ends. */
  constructor(response: ServerResponse, ended: () => void) {
    this.#response = response;
    this.#ended = ended;
    response.on('close', this.#closed);
  }

  /** The caller has left before its answer was out. */
  get isGone(): boolean {
    return this.#response.closed && !this.#response.writableFinished;
  }

  /** Throws `CLIENT_GONE` if the caller has left: for those who have waited for something else. */
  throwIfGone(): void {
    if (this.isGone) throw new Refusal('CLIENT_GONE');
  }

  /**
   * Calls `then` if the caller leaves before its answer is out, at once if it has. One at a time.
   */
  onGone(then: () => void): void {
    this.#gone = then;
    if (this.isGone) {
      then();
    }
  }

  /**
   * Calls `then` when nothing more can happen to the answer, at once if so: whether all of it is
   * out.
   */
  onOver(then: (isComplete: boolean) => void): void {
    if (this.#response.closed) {
      then(this.#isComplete);
    } else {
      this.#over = then;
    }
  }

  get #isComplete(): boolean {
    return this.#response.writableFinished && this.#response.errored === null;
  }

  readonly #closed = (): void => {
    this.#ended();
    if (!this.#response.writableFinished) {
      this.#gone?.();
    }
    this.#over?.(this.#isComplete);
  };
}
