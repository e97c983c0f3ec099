const LONGEST = 64;

/** The calls of a skimmer that are skipped after one that passed over too little. */
export class Backoff {
  /** Calls to skip, and how many they were the last time. */
  #left = 0;
  #last = 0;

  /** Whether this call is skipped. */
  skips(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  /** A call passed over too little: twice as many are skipped as the last time. */
  lengthen(): void {
    this.#last = Math.min(LONGEST, 2 * this.#last + 1);
    this.#left = this.#last;
  }

  /** A call passed over enough: the next that does not begins anew. */
  end(): void {
    this.#last = 0;
  }

  reset(): void {
    this.#left = 0;
    this.#last = 0;
  }
}
