import type { CallObserver } from '../core/index.js';

/** A question to another server that is under way, and may be that of several requests. */
export interface Question<Answer> {
  readonly answer: Promise<Answer>;
  /** Null where the request that asked first is not observed. */
  readonly observer: CallObserver | null;
}
