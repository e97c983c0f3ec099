import { Refusal, type sharedState } from '../../core/index.js';
import { parseNonce } from './nonce.js';
import type { FreshnessClaim } from './security-reader.js';

export interface FreshnessOptions {
  /** Whether Created and Expires are checked. */
  readonly timestamps: boolean;
  /** Whether a nonce passes once only. */
  readonly nonces: boolean;
  /** How far Created may lie from now, either way. */
  readonly windowMillis: number;
  /** Nonces remembered. */
  readonly noncesMax: number;
}

/**
 * Checks the times of a message, and remembers its nonces to refuse replays (UsernameToken profile
 * 1.1 section 3.1). The memory is that of this process: a nonce that is new here may be known to
 * others. More different nonces within the window than are remembered evict the oldest.
 */
export class FreshnessChecker {
  readonly #options: FreshnessOptions;
  /**
   * The time at which each nonce may be forgotten, by its key. Nonces leave in the order they came.
   */
  readonly #nonces: Map<string, number>;

  /**
   * Remembers the nonces that `earlier` remembers, and both see those to come: a reload must not
   * let one pass again.
   */
  constructor(options: FreshnessOptions, earlier: FreshnessChecker | null = null) {
    this.#nonces = earlier === null ? new Map() : earlier.#nonces;
    this.#options = options;
  }

  /** How long a nonce is remembered. */
  get keptMillis(): number {
    return 2 * this.#options.windowMillis;
  }

  /**
   * Returns the nonces, which are new to this process. Throws `wsse:MessageExpired`,
   * `wsse:FailedAuthentication` for one that is not, `WSSE_STRUCTURE`.
   */
  check(claims: readonly FreshnessClaim[], nowMillis: number): readonly sharedState.Nonce[] {
    const { timestamps, nonces, windowMillis } = this.#options;
    for (const { created, expires } of timestamps ? claims : []) {
      if (created !== null && Math.abs(instantOf(created) - nowMillis) > windowMillis) {
        throw expired('Created is too far from now', windowMillis);
      }
      if (expires !== null && instantOf(expires) <= nowMillis) throw expired('Expires has passed');
    }
    const fresh: sharedState.Nonce[] = [];
    for (const { nonce, created } of nonces ? claims : []) {
      if (nonce !== null) {
        fresh.push(this.#checkNonce(nonce, created, nowMillis));
      }
    }
    return fresh;
  }

  #checkNonce(text: string, created: string | null, nowMillis: number): sharedState.Nonce {
    const { windowMillis, noncesMax } = this.#options;
    // Without a time it would have to be remembered for ever; a time beyond the window would
    // outlive the memory.
    if (created === null) throw new Refusal('wsse:FailedAuthentication', 'nonce without Created');
    if (Math.abs(instantOf(created) - nowMillis) > windowMillis) {
      throw expired('Created of a UsernameToken is too far from now', windowMillis);
    }
    const nonce = parseNonce(text);
    const { key, equivalentKeys } = nonce;
    if (
      [key, ...equivalentKeys].some((each) => (this.#nonces.get(each) ?? nowMillis) > nowMillis)
    ) {
      throw new Refusal('wsse:FailedAuthentication', 'nonce came before');
    }
    this.#nonces.delete(key);
    for (const [old, untilMillis] of this.#nonces) {
      if (untilMillis > nowMillis && this.#nonces.size < noncesMax) break;
      this.#nonces.delete(old);
    }
    this.#nonces.set(key, nowMillis + this.keptMillis);
    return nonce;
  }
}

/**
 * `xs:dateTime` (XSD 1.0 part 2 section 3.2.7); without a time zone it is UTC, as WS-Security has
 * it.
 */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,12})?(Z|[+-]\d{2}:\d{2})?$/;

function instantOf(text: string): number {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(text.trim()) ?? [];
  const millis =
    seconds === undefined ? Number.NaN : Date.parse(seconds + fraction.slice(0, 4) + zone);
  if (Number.isNaN(millis)) throw new Refusal('WSSE_STRUCTURE', 'a time that is no xs:dateTime');
  return millis;
}

const expired = (what: string, windowMillis: number | null = null): Refusal =>
  new Refusal('wsse:MessageExpired', what, {
    limit:
      windowMillis === null ? null : { key: 'limits.soap.securityMillis', value: windowMillis },
  });
