import type { ExecutionResult } from 'graphql';
import { Cancellation, type CancelSignal } from '../../base/cancellation.js';

import { Refusal } from '../../base/refusal.js';
import type { RefusalCode } from '../../base/refusals.js';
import { codedError, withId } from '../../graphql/errors.js';
import { EventQueue, type QueueLimits } from '../../pubsub/event-queue.js';

/** Why a subscription ended. */
export type Farewell = 'left' | 'overflow' | 'drain' | 'expired' | 'completed' | 'failed';

/** What a subscription is made of. */
export interface StreamParts<T> {
  /** What log lines call the subscription: `extensions.id` of its errors. */
  readonly id: string;
  readonly limits: QueueLimits;
  /** What is told of an event; null where it is nothing. Rejects with what is wrong with it. */
  answer(event: T, signal: CancelSignal): Promise<ExecutionResult | null>;
  /** Called once, when nothing more comes. */
  ended(why: Farewell): void;
  /** For the metrics. */
  told(outcome: EventOutcome): void;
}

export type EventOutcome = 'sent' | 'failed' | 'filtered' | 'gap' | 'overflow';

type Happening<T> = { readonly kind: 'event'; readonly event: T } | { readonly kind: 'gap' };

/**
 * One subscription as its transport takes it, an event at a time: the events that come meanwhile wait in bounded room. A
 * generator by hand, for that of the language cannot be ended while it waits.
 */
export class SubscriptionStream<T> implements AsyncGenerator<ExecutionResult, void, undefined> {
  readonly #parts: StreamParts<T>;
  readonly #queue: EventQueue<Happening<T>>;
  readonly #departure = new Cancellation();
  #why: Farewell | null = null;
  /** It ends like this when all that waits has been told. */
  #source: { readonly why: Farewell; readonly code: RefusalCode | null } | null = null;
  /** What is told before the end. */
  #last: ExecutionResult | null = null;

  constructor(parts: StreamParts<T>) {
    this.#parts = parts;
    this.#queue = new EventQueue(parts.limits);
  }

  get isOver(): boolean {
    return this.#why !== null;
  }

  push(event: T, bytes: number): void {
    this.#add({ kind: 'event', event }, bytes);
  }

  gap(): void {
    this.#add({ kind: 'gap' }, 0);
  }

  /** Ends it, with an error where there is a code. What waits is not told any more; what was begun is, if it overflowed. */
  end(why: Farewell, code: RefusalCode | null): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#last = code === null ? null : this.#failure(code);
    this.#queue.end('dropped');
    if (why !== 'overflow') this.#departure.abort();
    this.#parts.ended(why);
  }

  /** Nothing more comes: it ends, with an error where there is a code, when all that waits has been told. */
  finish(why: Farewell, code: RefusalCode | null): void {
    if (this.#why !== null || this.#source !== null) return;
    this.#source = { why, code };
    this.#queue.end('kept');
  }

  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const happening = await this.#queue.take();
      if (happening === null) {
        if (this.#source !== null) this.end(this.#source.why, this.#source.code);
        return this.#farewell();
      }
      const value = await this.#resultOf(happening);
      if (value !== null && (this.#why === null || this.#why === 'overflow')) return { done: false, value };
      if (this.#why !== null) return this.#farewell();
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.end('left', null);
    return { done: true, value: undefined };
  }

  async throw(): Promise<IteratorResult<ExecutionResult, void>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #add(happening: Happening<T>, bytes: number): void {
    this.#queue.push(happening, bytes);
    if (!this.#queue.hasOverflowed || this.#why !== null) return;
    this.#parts.told('overflow');
    this.end('overflow', 'SUBSCRIPTION_OVERFLOW');
  }

  #farewell(): IteratorResult<ExecutionResult, void> {
    const last = this.#last;
    this.#last = null;
    return last === null ? { done: true, value: undefined } : { done: false, value: last };
  }

  async #resultOf(happening: Happening<T>): Promise<ExecutionResult | null> {
    if (happening.kind === 'gap') {
      this.#parts.told('gap');
      return this.#failure('SUBSCRIPTION_GAP');
    }
    try {
      const result = await this.#parts.answer(happening.event, this.#departure);
      if (this.#why === null || this.#why === 'overflow') {
        const isFailure = result !== null && result.errors !== undefined;
        this.#parts.told(result === null ? 'filtered' : isFailure ? 'failed' : 'sent');
      }
      if (result?.errors === undefined) return result;
      return { ...result, errors: withId(result.errors, this.#parts.id) };
    } catch (caught) {
      if (this.#why !== null && this.#why !== 'overflow') return null;
      this.#parts.told('failed');
      return this.#failure(caught instanceof Refusal ? caught.code : 'INTERNAL');
    }
  }

  #failure(code: RefusalCode): ExecutionResult {
    return { errors: withId([codedError(code)], this.#parts.id) };
  }
}
