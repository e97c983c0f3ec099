import type { Refusal } from '../../core/index.js';

/** A call that waits for its time. */
export interface PacedCall {
  /** The class of the client, '' for the gateway itself. */
  readonly className: string;
  /** The time has come. */
  pass(): void;
  abort(refusal: Refusal): void;
}

/** A place in the queue. */
export interface PaceTicket {
  /** Leaves the queue; a call that has passed has left it. */
  cancel(): void;
}

interface Waiting {
  readonly call: PacedCall;
  readonly expiresMillis: number;
}

/**
 * Queues of calls by the class of their client. The classes take turns; within one, calls keep
 * their order.
 */
export class ClassQueues {
  /**
   * Classes with calls that wait, the next one first. There are as many as classes of the
   * configuration.
   */
  readonly #byClass = new Map<string, Set<Waiting>>();
  /**
   * All waiting calls, oldest first: all wait equally long, so the first one also expires first.
   */
  readonly #all = new Set<Waiting>();

  get size(): number {
    return this.#all.size;
  }

  /** When the first call gives up; Infinity without any. */
  get expiresMillis(): number {
    const [first] = this.#all;
    return first?.expiresMillis ?? Number.POSITIVE_INFINITY;
  }

  /** Calls that go before another one of this class. */
  expected(className: string): number {
    const own = this.#byClass.get(className)?.size ?? 0;
    const classes = this.#byClass.size + (own === 0 ? 1 : 0);
    return Math.min(this.size, (own + 1) * classes);
  }

  add(call: PacedCall, expiresMillis: number): PaceTicket {
    const waiting: Waiting = { call, expiresMillis };
    const queue = this.#byClass.get(call.className);
    if (queue === undefined) {
      this.#byClass.set(call.className, new Set([waiting]));
    } else {
      queue.add(waiting);
    }
    this.#all.add(waiting);
    return { cancel: () => this.#remove(waiting) };
  }

  /** Takes the next call of the class whose turn it is; null without any. */
  shift(): PacedCall | null {
    for (const [className, queue] of this.#byClass) {
      const [next] = queue;
      if (next === undefined) continue;
      this.#remove(next);
      if (queue.size > 0) {
        // The class comes last now.
        this.#byClass.delete(className);
        this.#byClass.set(className, queue);
      }
      return next.call;
    }
    return null;
  }

  /** Takes the first call that has waited long enough; null without one. */
  shiftExpired(nowMillis: number): PacedCall | null {
    const [first] = this.#all;
    if (first === undefined || first.expiresMillis > nowMillis) return null;
    this.#remove(first);
    return first.call;
  }

  #remove(waiting: Waiting): void {
    if (!this.#all.delete(waiting)) return;
    const { className } = waiting.call;
    const queue = this.#byClass.get(className);
    queue?.delete(waiting);
    if (queue?.size === 0) {
      this.#byClass.delete(className);
    }
  }
}
