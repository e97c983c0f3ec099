import type { Problem } from '../base/problem.js';

/** Warnings that turn out only while the gateway runs. */
export class LateNotices {
  #listener: (notice: Problem) => void = () => {};

  listen(listener: (notice: Problem) => void): void {
    this.#listener = listener;
  }

  report(notice: Problem): void {
    this.#listener(notice);
  }
}
