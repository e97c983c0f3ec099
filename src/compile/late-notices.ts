import type { Problem } from '../base/problem.js';

/** What turns out only while the gateway runs, for whoever writes the log. */
export class LateNotices {
  #hear: (notice: Problem) => void = () => {};

  hear(listener: (notice: Problem) => void): void {
    this.#hear = listener;
  }

  tell(notice: Problem): void {
    this.#hear(notice);
  }
}
