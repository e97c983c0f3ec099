import { TextSeal } from '../../gateway/text-seal.js';

/** A nonce is sent to all clients for so long, at most. */
const SHARED_MILLIS = 1_000;

/**
 * Nonces of the gateway for proofs (RFC 9449 section 9): the time, sealed, so that processes with
 * the same keys take those of each other and remember none.
 */
export class ProofNonces {
  readonly #keys: readonly string[];
  readonly #maxAgeMillis: number;
  readonly #clock: () => number;
  #seal: { readonly secret: string; readonly texts: TextSeal } | null = null;
  #current = { text: '', madeMillis: Number.NEGATIVE_INFINITY };

  /** Without `keys` the secret of the process seals. */
  constructor(keys: readonly string[], maxAgeMillis: number, clock: () => number = Date.now) {
    this.#keys = keys;
    this.#maxAgeMillis = maxAgeMillis;
    this.#clock = clock;
  }

  /** A nonce that is good from now on. */
  make(secret: string): string {
    const now = this.#clock();
    const age = now - this.#current.madeMillis;
    if (age >= Math.min(SHARED_MILLIS, this.#maxAgeMillis / 4) || age < 0) {
      this.#current = { text: this.#texts(secret).seal(String(now)), madeMillis: now };
    }
    return this.#current.text;
  }

  /** `late`: its client needs another one soon. */
  state(nonce: string, secret: string): 'good' | 'late' | 'bad' {
    const made = Number(this.#texts(secret).open(nonce) ?? Number.NaN);
    const age = this.#clock() - made;
    // Not of a process whose clock is far ahead, either.
    if (!(Math.abs(age) <= this.#maxAgeMillis)) return 'bad';
    return age > this.#maxAgeMillis / 2 ? 'late' : 'good';
  }

  #texts(secret: string): TextSeal {
    if (this.#seal?.secret !== secret) {
      const [first = secret, ...others] = this.#keys;
      this.#seal = { secret, texts: new TextSeal('soapstone dpop nonce', [first, ...others]) };
    }
    return this.#seal.texts;
  }
}
