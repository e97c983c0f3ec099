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

/** Does all steps without a pause. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** For a start: nothing else is to be done. */
export const AT_ONCE: Pace = { run: async (steps) => runAtOnce(steps), pause: async () => {} };

/** A request waits for several turns of the event loop, and each may be a slice late. */
const SLICE_MILLIS = 4;

/** Works in time slices, with a turn of the event loop between them. Several works take turns. */
export class TimeSlices implements Pace {
  #endMillis = 0;
  #last: Promise<void> = Promise.resolve();

  async run<T>(steps: Steps<T>): Promise<T> {
    await this.pause();
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (performance.now() >= this.#endMillis) await this.pause();
    }
  }

  async pause(): Promise<void> {
    if (performance.now() < this.#endMillis) return;
    const turn = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last = turn;
    await turn;
    this.#endMillis = performance.now() + SLICE_MILLIS;
  }
}
