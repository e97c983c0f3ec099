import type { Client } from '../access/client.js';
import { Refusal } from '../base/refusal.js';

/**
 * How many requests of each client are in progress, where its class bounds that: budgets bound how often a client calls,
 * this how much of a slow backend it can hold (catalogue O06).
 */
export class Places {
  readonly #taken = new Map<string, number>();

  /** Takes a place. Returns how to give it back, once; null where there is no bound. Throws `RATE_LIMITED`. */
  take({ id, rights }: Client): (() => void) | null {
    const most = rights.requestsAtOnce;
    if (most === null) return null;
    const taken = this.#taken.get(id) ?? 0;
    if (taken >= most) throw new Refusal('RATE_LIMITED', 'requests at once', { retryAfter: '1' });
    this.#taken.set(id, taken + 1);
    return () => {
      const left = (this.#taken.get(id) ?? 1) - 1;
      if (left > 0) this.#taken.set(id, left);
      else this.#taken.delete(id);
    };
  }

  /** Clients with requests in progress. */
  get size(): number {
    return this.#taken.size;
  }
}
