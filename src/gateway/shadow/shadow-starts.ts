import { performance } from 'node:perf_hooks';

/** How long starts hold the event loop at once. */
const TURN_MILLIS = 0.5;

/**
 * Calls of second backends that are about to begin. They begin behind all events of callers that
 * wait at the time, a few in each turn of the event loop.
 */
export class ShadowStarts {
  readonly #waiting: (() => void)[] = [];

  add(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#waiting.length === 1) {
      this.#next();
    }
  }

  #next(): void {
    setImmediate(() => {
      const untilMillis = performance.now() + TURN_MILLIS;
      do {
        this.#waiting[0]?.();
        this.#waiting.shift();
      } while (this.#waiting.length > 0 && performance.now() < untilMillis);
      if (this.#waiting.length > 0) {
        this.#next();
      }
    });
  }
}
