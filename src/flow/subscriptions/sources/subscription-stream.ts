import type { ExecutionResult } from 'graphql';
import type { LiveEnd } from '../../../access/live-client.js';
import { Cancellation, type CancelSignal, Refusal, type RefusalCode } from '../../../core/index.js';

import { lifecycle } from '../../../graphql/index.js';
import { EventQueue, type QueueLimits } from '../../../pubsub/event-queue.js';

/** Why a subscription ended. */
export type EndReason = 'left' | 'overflow' | 'drain' | LiveEnd | 'denied' | 'completed' | 'failed';

/** Takes the events of one subscription from its source. */
export interface EventSink<T> {
  /**
   * `bytes` is about what the event takes in the queue; after `id` the subscription can be resumed,
   * null where it cannot.
   */
  push(event: T, bytes: number, id?: string | null): void;
  /** Events may have been lost. */
  gap(id?: string | null): void;
  /** There is nothing to send up to this id. */
  pass(id: string): void;
  /** Whether the queue takes so many more events, of so many bytes together. */
  hasRoom(events: number, bytes: number): boolean;
  /** The source has no more events; with a code, the subscription ends with that error. */
  finish(why: EndReason, code: RefusalCode | null): void;
}

/** The parts that a subscription stream needs. */
export interface StreamParts<T> {
  /** The id of the subscription in log lines: `extensions.id` of its errors. */
  readonly id: string;
  readonly limits: QueueLimits;
  /** The answer to an event; null where there is none. Rejects with what is wrong with it. */
  answer(event: T, signal: CancelSignal): Promise<ExecutionResult | null>;
  /** Called once, when the subscription ends. */
  ended(why: EndReason): void;
  /** Counts what became of an event. */
  report(outcome: EventOutcome): void;
}

export type EventOutcome = 'sent' | 'failed' | 'filtered' | 'gap' | 'overflow';

type Queued<T> = { readonly id: string | null } & (
  | { readonly kind: 'event'; readonly event: T }
  | { readonly kind: 'gap' }
);

/**
 * One subscription as its transport reads it, an event at a time; further events wait in a bounded
 * queue. No generator function, because that cannot be ended while it waits.
 */
export class SubscriptionStream<T>
  implements AsyncGenerator<ExecutionResult, void, undefined>, EventSink<T>
{
  readonly #parts: StreamParts<T>;
  readonly #queue: EventQueue<Queued<T>>;
  readonly #departure = new Cancellation();
  /** Events that are queued or being answered. */
  #pending = 0;
  #position: string | null = null;
  #why: EndReason | null = null;
  /** How it ends when the queue is empty. */
  #source: { readonly why: EndReason; readonly code: RefusalCode | null } | null = null;
  /** True if the end is not reported to the reader, whose connection is about to close. */
  #isLeft = false;
  /** The last result before the end. */
  #last: ExecutionResult | null = null;

  constructor(parts: StreamParts<T>) {
    this.#parts = parts;
    this.#queue = new EventQueue(parts.limits);
  }

  get isOver(): boolean {
    return this.#why !== null;
  }

  /**
   * After this id the subscription can be resumed by a reader that has all results so far; null
   * where it cannot.
   */
  get position(): string | null {
    return this.#position;
  }

  push(event: T, bytes: number, id: string | null = null): void {
    this.#add({ kind: 'event', event, id }, bytes);
  }

  gap(id: string | null = null): void {
    this.#add({ kind: 'gap', id }, 0);
  }

  pass(id: string): void {
    if (this.#pending === 0) {
      this.#position = id;
    }
  }

  hasRoom(events: number, bytes: number): boolean {
    return this.#queue.hasRoom(events, bytes);
  }

  /**
   * Ends it for a client whose connection is about to close: it is told by that, and comes again.
   */
  leave(why: EndReason): void {
    this.#isLeft = true;
    this.end(why, null);
  }

  /**
   * Ends it, with an error where there is a code. Queued events are dropped; after an overflow the
   * current one is finished.
   */
  end(why: EndReason, code: RefusalCode | null): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#last = code === null ? null : this.#failure(code);
    this.#queue.end('dropped');
    if (why !== 'overflow') {
      this.#departure.abort();
    }
    this.#parts.ended(why);
  }

  finish(why: EndReason, code: RefusalCode | null): void {
    if (this.#why !== null || this.#source !== null) return;
    this.#source = { why, code };
    this.#queue.end('kept');
  }

  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const queued = await this.#queue.take();
      if (queued === null) {
        if (this.#source !== null) {
          this.end(this.#source.why, this.#source.code);
        }
        return this.#ending();
      }
      const value = await this.#resultOf(queued);
      this.#pending--;
      if (this.#why === null || this.#why === 'overflow') {
        this.#position = queued.id ?? this.#position;
        if (value !== null) return { done: false, value };
      }
      if (this.#why !== null) return this.#ending();
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

  #add(queued: Queued<T>, bytes: number): void {
    this.#pending++;
    this.#queue.push(queued, bytes);
    if (!this.#queue.hasOverflowed || this.#why !== null) return;
    this.#parts.report('overflow');
    this.end('overflow', 'SUBSCRIPTION_OVERFLOW');
  }

  #ending(): IteratorResult<ExecutionResult, void> | Promise<never> {
    if (this.#isLeft) return new Promise<never>(() => {});
    const last = this.#last;
    this.#last = null;
    return last === null ? { done: true, value: undefined } : { done: false, value: last };
  }

  async #resultOf(queued: Queued<T>): Promise<ExecutionResult | null> {
    if (queued.kind === 'gap') {
      this.#parts.report('gap');
      return this.#failure('SUBSCRIPTION_GAP');
    }
    try {
      const result = await this.#parts.answer(queued.event, this.#departure);
      if (this.#why === null || this.#why === 'overflow') {
        const isFailure = result !== null && result.errors !== undefined;
        this.#parts.report(result === null ? 'filtered' : isFailure ? 'failed' : 'sent');
      }
      if (result?.errors === undefined) return result;
      return { ...result, errors: lifecycle.withId(result.errors, this.#parts.id) };
    } catch (caught) {
      if (this.#why !== null && this.#why !== 'overflow') return null;
      this.#parts.report('failed');
      return this.#failure(caught instanceof Refusal ? caught.code : 'INTERNAL');
    }
  }

  #failure(code: RefusalCode): ExecutionResult {
    return { errors: lifecycle.withId([lifecycle.codedError(code)], this.#parts.id) };
  }
}
