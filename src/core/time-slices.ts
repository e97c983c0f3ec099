import { performance } from 'node:perf_hooks';

/** Long work that may be interrupted at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long work shares the event loop with requests. */
export interface Pace {
  /** Does the work. */
  run<T>(steps: Steps<T>): Promise<T>;
  /** Resolves when the work may go on. */
  pause(): Promise<void>;
}

/** Does all steps without a pause: for a start, when nothing else is to be done. */
export const AT_ONCE = {
  finish<T>(steps: Steps<T>): T {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  },
  run: async <T>(steps: Steps<T>): Promise<T> => AT_ONCE.finish(steps),
  pause: async (): Promise<void> => {},
} satisfies Pace & { finish: unknown };

/** A request waits for several turns of the event loop, and each may be a slice late. */
const SLICE_MILLIS = 3;
/**
 * After each slice requests and other processes have as long, until so many slices are worked: 200
 * ms, which is the reload of a usual configuration. One of thousands of operations would take twice
 * its time.
 */
const RESTED_SLICES = 70;

/**
 * Works in time slices, with a turn of the event loop or a rest between them. Several works take
 * turns.
 */
export class TimeSlices implements Pace {
  #endMillis = 0;
  #slices = 0;
  #last: Promise<void> = Promise.resolve();

  async run<T>(steps: Steps<T>): Promise<T> {
    await this.pause();
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() >= this.#endMillis) {
        await this.pause();
      }
    }
  }

  async pause(): Promise<void> {
    if (performance.now() < this.#endMillis) return;
    const turn = this.#last.then(() => this.#slice());
    this.#last = turn;
    await turn;
  }

  async #slice(): Promise<void> {
    // Behind the work of the turn before: works that need little share a slice.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (performance.now() < this.#endMillis) return;
    await new Promise<void>((resolve) => this.#rest(resolve));
    this.#endMillis = performance.now() + SLICE_MILLIS;
  }

  #rest(end: () => void): void {
    if (this.#slices++ < RESTED_SLICES) {
      setTimeout(end, SLICE_MILLIS);
    } else {
      setImmediate(end);
    }
  }
}
