import type { Diagnostic, Pace } from '../../core/index.js';
import type { Keeping } from '../keep.js';

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

/** What comes out beside the identification of clients. */
export interface AccessParts {
  /** Errors in the keys of issuers turn out when they are fetched. */
  readonly late: LateWarnings;
  /** How to close connections to others. */
  readonly closing: (() => Promise<void>)[];
  readonly keeping: Keeping;
  readonly pace: Pace;
}
