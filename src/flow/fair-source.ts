import type { IncomingMessage } from 'node:http';

/**
 * Bytes of one request that are handled before others have their turn. The system hands out up to 2 MiB of a fast
 * caller at once: a few of those, and everybody else waits for a tenth of a second (catalogue O11).
 */
const TURN_BYTES = 64 * 1024;

/** A request that is read in turns with all others. */
export class FairSource {
  readonly #request: IncomingMessage;
  #turnBytes = 0;
  #isResting = false;
  /** Whoever reads it has enough for now. */
  #isHeld = false;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  /** Called with the length of each chunk that was handled. */
  took(bytes: number): void {
    this.#turnBytes += bytes;
    if (this.#turnBytes < TURN_BYTES || this.#isResting) return;
    this.#isResting = true;
    this.#request.pause();
    setImmediate(() => {
      this.#isResting = false;
      this.#turnBytes = 0;
      if (!this.#isHeld) this.#request.resume();
    });
  }

  pause(): void {
    this.#isHeld = true;
    this.#request.pause();
  }

  resume(): void {
    this.#isHeld = false;
    if (!this.#isResting) this.#request.resume();
  }
}
