import { type Refusal, refuseByLimit } from '../../../core/index.js';
import { type breaker, outcomeOf } from '../../../upstream/index.js';

/** Receives the events of a subscription at a service. */
export interface FeedSink {
  /** The service has taken it. */
  accepted(): void;
  /** `answer` was held to the bounds of answers; `bytes` is about what it takes. */
  event(answer: unknown, bytes: number): void;
  /** Nothing more comes: null where the service has completed it. Called once. */
  ended(refusal: Refusal | null): void;
}

export interface FeedParts {
  readonly acceptMillis: number;
  readonly sink: FeedSink;
  /** How it began, and then, if it is so, that it broke. */
  outcome(outcome: breaker.CallOutcome): void;
  /** The connection of the subscription is gone. */
  closed(): void;
}

/**
 * One subscription at a service, whatever is spoken there: it is accepted or not, has events, ends
 * once, is closed once.
 */
export class Feed {
  /** Ends the connection, however far it has come. */
  hangUp: () => void = () => {};
  /** How it failed; null while it has not. */
  failure: Refusal | null = null;
  readonly #parts: FeedParts;
  readonly #timer: NodeJS.Timeout;
  #isAccepted = false;
  #isOver = false;
  #isClosed = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    const { acceptMillis } = parts;
    this.#timer = setTimeout(
      () =>
        this.failed(refuseByLimit('UPSTREAM_TIMEOUT', 'limits.remote.acceptMillis', acceptMillis)),
      acceptMillis,
    );
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  accepted(): void {
    if (this.#isOver || this.#isAccepted) return;
    this.#isAccepted = true;
    clearTimeout(this.#timer);
    this.#parts.outcome('answered');
    this.#parts.sink.accepted();
  }

  event(answer: unknown, bytes: number): void {
    if (this.#isOver) return;
    // An upstream that sends events has accepted the subscription.
    this.accepted();
    this.#parts.sink.event(answer, bytes);
  }

  completed(): void {
    this.#end(null);
  }

  failed(refusal: Refusal): void {
    this.#end(refusal);
  }

  /** Ends the feed: it has no reader any more. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (!this.#isAccepted) {
      this.#parts.outcome('none');
    }
    this.hangUp();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.closed();
  }

  #end(refusal: Refusal | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.failure = refusal;
    clearTimeout(this.#timer);
    const outcome = refusal === null ? 'answered' : outcomeOf(refusal, this.#isAccepted ? 200 : 0);
    if (!this.#isAccepted || outcome === 'failed') {
      this.#parts.outcome(outcome);
    }
    this.hangUp();
    this.#parts.sink.ended(refusal);
  }
}
