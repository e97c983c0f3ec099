/** A worker that took requests for so long is replaced at once. */
const STEADY_MILLIS = 10_000;
/** The pause before a worker is replaced doubles with each one that did not last. */
const PAUSE_MIN_MILLIS = 500;
const PAUSE_MAX_MILLIS = 30_000;

/** How long the place of a worker stays empty after each end. */
export class ReplacementPauses {
  #failures = 0;

  /** In milliseconds. `readyMillis` is how long the one that ended took requests. */
  next(readyMillis: number): number {
    this.#failures = readyMillis < STEADY_MILLIS ? this.#failures + 1 : 0;
    if (this.#failures === 0) return 0;
    const fullMillis = Math.min(PAUSE_MAX_MILLIS, PAUSE_MIN_MILLIS * 2 ** (this.#failures - 1));
    // Between half of the full pause and all of it: workers that ended together do not come back
    // together.
    return Math.round(fullMillis * (0.5 + Math.random() / 2));
  }
}
