/** Retries for each call made: a backend in trouble gets a fifth more at most (catalogue U25). */
const SHARE = 0.2;
/** The largest balance, so that a quiet day pays for no storm. */
const SAVED_MAX = 10;

/** Allows retries as a share of the calls. */
export class RetryBudget {
  #saved = 1;

  /** A call was made. */
  earn(): void {
    if (this.#saved < SAVED_MAX) {
      this.#saved += SHARE;
    }
  }

  // Shares of a fifth do not add up to a whole exactly.
  get hasOne(): boolean {
    return this.#saved >= 1 - 1e-9;
  }

  /** Whether one may be retried; it counts as retried then. */
  spend(): boolean {
    if (!this.hasOne) return false;
    this.#saved--;
    return true;
  }
}
