import type { Decoded } from '../../codec/index.js';

/** The answer to one link: paths of its errors begin below that. */
export interface LinkAnswer
  extends Pick<Decoded, 'value' | 'errors' | 'furtherErrors' | 'restFailure'> {
  /** The error that was caught; null for an answer. */
  readonly failure: unknown;
}

export const NO_ANSWER: LinkAnswer = { value: null, errors: [], furtherErrors: 0, failure: null };

export const failed = (failure: unknown): LinkAnswer => ({ ...NO_ANSWER, failure });

/** A call for a link, or the part of one that answers it. */
export class AskedLink {
  /** Fulfilled when the answer is there; null: it is there. */
  readonly done: Promise<void> | null;
  answer: LinkAnswer | null;
  /** The answer is in the response already. */
  isPlaced = false;
  /** The length of the answer as JSON; null before it was needed. */
  chars: number | null = null;

  constructor(done: Promise<void> | null, answer: LinkAnswer | null = null) {
    this.done = done;
    this.answer = answer;
  }

  static failed(failure: unknown): AskedLink {
    return new AskedLink(null, failed(failure));
  }
}
