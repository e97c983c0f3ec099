import type { Diagnostic } from '../../core/index.js';

/** Warnings that turn out only while the gateway runs. */
export class LateWarnings {
  #listener: (warning: Diagnostic) => void = () => {};

  listen(listener: (warning: Diagnostic) => void): void {
    this.#listener = listener;
  }

  report(warning: Diagnostic): void {
    this.#listener(warning);
  }
}
