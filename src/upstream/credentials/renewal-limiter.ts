/**
 * Between two renewals of tokens that were good for nothing that is known: twice as long after each
 * that did not help.
 */
export const RENEWAL_PAUSE_MILLIS = 10_000;
export const RENEWAL_PAUSE_MILLIS_MAX = 60_000;
/** Operations that are remembered for one token. */
export const OPERATIONS_MAX = 1_000;

/**
 * Decides whether a refused token is given up. A backend that refuses what the account may not do,
 * with status 401 or a Fault, would cost a login for each such call. Operations are named as in the
 * WSDL, '' where they are not known.
 */
export class RenewalLimiter {
  /** The operations that the current token was good for, or the one before it until its own end. */
  readonly #good = new Set<string>();
  /**
   * The operations for which a token was given up that had been good for them, before the repeated
   * call was accepted.
   */
  readonly #unhelped = new Set<string>();
  #pauseMillis = RENEWAL_PAUSE_MILLIS;
  #untilMillis = Number.NEGATIVE_INFINITY;
  /** The token was given up, and no other one is in use yet. */
  #isGivenUp = false;

  /** Whether the refusal of an operation gives the current token up. */
  permits(operation: string, nowMillis: number): boolean {
    return nowMillis >= this.#untilMillis || this.#hasEnded(operation);
  }

  /** The current token is given up for the refusal of an operation. */
  begin(operation: string, nowMillis: number): void {
    if (this.#hasEnded(operation)) {
      this.#pauseMillis = RENEWAL_PAUSE_MILLIS;
      this.#unhelped.add(operation);
    }
    this.#untilMillis = nowMillis + this.#pauseMillis;
    this.#pauseMillis = Math.min(RENEWAL_PAUSE_MILLIS_MAX, this.#pauseMillis * 2);
    this.#good.clear();
    this.#isGivenUp = true;
  }

  /**
   * Another token is in use. One that replaces a token at its own end allows one renewal more for
   * each operation.
   */
  replaced(): void {
    if (!this.#isGivenUp) {
      this.#unhelped.clear();
    }
    this.#isGivenUp = false;
  }

  /** The current token was accepted; `isRepeated`: after the one before it had been refused. */
  accept(operation: string, isRepeated: boolean): void {
    if (isRepeated) {
      this.#unhelped.delete(operation);
      this.#pauseMillis = RENEWAL_PAUSE_MILLIS;
    }
    if (this.#good.size < OPERATIONS_MAX) {
      this.#good.add(operation);
    }
  }

  /** Whether the refusal says that the token ended, and not that the account may not do it. */
  #hasEnded(operation: string): boolean {
    return (
      this.#good.has(operation) &&
      !this.#unhelped.has(operation) &&
      this.#unhelped.size < OPERATIONS_MAX
    );
  }
}
