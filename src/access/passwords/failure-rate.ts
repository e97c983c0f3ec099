import { collections } from '../../core/index.js';

/** Keys that are remembered; beyond, the one longest without a failure begins anew. */
export const KEYS_MAX = 10_000;

/**
 * Counts failures by key as the generic cell rate algorithm does (ITU-T I.371): a burst, then one
 * in a while.
 */
export class FailureRate {
  readonly #burst: number;
  readonly #restoreMillis: number;
  /** The time up to which the failures of a key are counted, each for `#restoreMillis`. */
  readonly #paidMillis = new Map<string, number>();

  /** After `burst` failures one more is permitted every `restoreMillis`. */
  constructor(burst: number, restoreMillis: number) {
    this.#burst = burst;
    this.#restoreMillis = restoreMillis;
  }

  /** How long no more attempts are permitted; 0: one is. */
  waitMillis(key: string, nowMillis: number): number {
    const paid = this.#paidMillis.get(key);
    return paid === undefined
      ? 0
      : Math.max(0, paid - nowMillis - (this.#burst - 1) * this.#restoreMillis);
  }

  add(key: string, nowMillis: number): void {
    const paid = Math.max(nowMillis, this.#paidMillis.get(key) ?? 0) + this.#restoreMillis;
    collections.setAndEvictOldest(this.#paidMillis, key, paid, KEYS_MAX);
  }

  forget(key: string): void {
    this.#paidMillis.delete(key);
  }
}
