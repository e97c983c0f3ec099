/**
 * Remembers what may come once only, in this process: nonces and signed messages, each until a time of its own. The oldest
 * leave first where there are more than it may hold.
 */
export class OnceMemory {
  readonly #max: number;
  readonly #untilMillis: Map<string, number>;

  /** Remembers what `earlier` remembers, and both see what is to come: a reload must not let anything pass again. */
  constructor(max: number, earlier: OnceMemory | null = null) {
    this.#max = max;
    this.#untilMillis = earlier === null ? new Map() : earlier.#untilMillis;
  }

  get count(): number {
    return this.#untilMillis.size;
  }

  /** False for a key that is remembered at this time. */
  take(key: string, untilMillis: number, nowMillis: number): boolean {
    if ((this.#untilMillis.get(key) ?? nowMillis) > nowMillis) return false;
    this.#untilMillis.delete(key);
    for (const [old, until] of this.#untilMillis) {
      if (until > nowMillis && this.#untilMillis.size < this.#max) break;
      this.#untilMillis.delete(old);
    }
    this.#untilMillis.set(key, untilMillis);
    return true;
  }
}
