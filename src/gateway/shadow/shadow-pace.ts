import { performance } from 'node:perf_hooks';

/** How long comparisons hold the event loop at once. */
const TURN_MILLIS = 0.5;
/** The rest behind a turn; a timer that comes late shows that callers need the event loop. */
const REST_MILLIS = 2;
/** Rests last this many times as long as their timer was late, up to the most. */
const LATE_FACTOR = 4;
const REST_MOST_MILLIS = 100;

/**
 * The turns in which replies of second backends are compared, one after the other: short ones, with
 * rests that are longer the busier the process is with its callers.
 */
export class ShadowPace {
  #endMillis = 0;
  #restMillis = REST_MILLIS;
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the comparison may go on. */
  async pause(): Promise<void> {
    if (performance.now() < this.#endMillis) return;
    const turn = this.#last.then(() => this.#next());
    this.#last = turn;
    await turn;
  }

  async #next(): Promise<void> {
    // Behind the work of the turn before: comparisons that need little share one.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const begunMillis = performance.now();
    if (begunMillis < this.#endMillis) return;
    await new Promise<void>((resolve) => setTimeout(resolve, this.#restMillis));
    const now = performance.now();
    const lateMillis = now - begunMillis - this.#restMillis;
    this.#restMillis = restFor(lateMillis);
    this.#endMillis = now + TURN_MILLIS;
  }
}

const restFor = (lateMillis: number): number =>
  Math.min(REST_MOST_MILLIS, Math.max(REST_MILLIS, Math.ceil(lateMillis * LATE_FACTOR)));
