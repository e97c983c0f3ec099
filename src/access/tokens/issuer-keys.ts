import { performance } from 'node:perf_hooks';

/**
 * Fetches the keys of an issuer: a JSON Web Key Set as text. Rejects when there is none to be had,
 * in bounded time.
 */
export type FetchKeys = () => Promise<string>;

/**
 * Keys that are older are no longer used: an issuer that cannot be reached may have withdrawn them.
 */
export const KEYS_LIFE_MILLIS = 86_400_000;

export interface IssuerKeysOptions<T> {
  readonly fetch: FetchKeys;
  /** Throws for what is no set of keys. */
  readonly read: (text: string) => T;
  /** How old keys may be before they are asked for again. */
  readonly maxAgeMillis?: number;
  /** The least time between two times of asking, whatever comes of it. */
  readonly restMillis?: number;
  readonly clock?: () => number;
}

/**
 * The keys of an issuer, asked for when they are needed: never twice at the same time, and seldom
 * however many tokens name keys that are not known (catalogue K08). Keys stay good while the issuer
 * cannot be reached, for `KEYS_LIFE_MILLIS`.
 */
export class IssuerKeys<T> {
  readonly #options: Required<IssuerKeysOptions<T>>;
  #keys: T | null = null;
  #gotMillis = Number.NEGATIVE_INFINITY;
  #askedMillis = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  /** The keys are those of before a reload, and the issuer has not been asked since. */
  #isKept = false;
  /** The issuer could not be reached when it was asked last. */
  #isUnanswered = false;

  constructor(options: IssuerKeysOptions<T>) {
    this.#options = {
      maxAgeMillis: 600_000,
      restMillis: 30_000,
      clock: () => performance.now(),
      ...options,
    };
  }

  /**
   * Begins with the keys that `earlier` has. The first token waits until the issuer was asked
   * again: a reload is how operators make the gateway forget keys that were withdrawn.
   */
  keep(earlier: IssuerKeys<T> | null): void {
    if (earlier === null) return;
    this.#keys = earlier.#keys;
    this.#gotMillis = earlier.#gotMillis;
    this.#isKept = true;
  }

  /** The keys, or null while there are none. Old ones are replaced in the background. */
  async current(): Promise<T | null> {
    const { maxAgeMillis, clock } = this.#options;
    const ageMillis = clock() - this.#gotMillis;
    if (ageMillis > KEYS_LIFE_MILLIS) {
      this.#keys = null;
    }
    if (this.#keys === null || this.#isKept) {
      await this.#ask();
    } else if (ageMillis > maxAgeMillis || this.#isUnanswered) {
      void this.#ask();
    }
    return this.#keys;
  }

  /** Newer keys than those, or the same when the issuer was asked a short while ago. */
  async newer(than: T): Promise<T | null> {
    if (this.#keys === than) {
      await this.#ask();
    }
    return this.#keys;
  }

  #ask(): Promise<void> {
    if (this.#asking !== null) return this.#asking;
    const { clock, restMillis } = this.#options;
    if (clock() - this.#askedMillis < restMillis) return Promise.resolve();
    this.#askedMillis = clock();
    this.#asking = this.#fetch().finally(() => {
      this.#asking = null;
      this.#isKept = false;
    });
    return this.#asking;
  }

  async #fetch(): Promise<void> {
    const { fetch, read, clock } = this.#options;
    try {
      this.#keys = read(await fetch());
      this.#gotMillis = clock();
      this.#isUnanswered = false;
    } catch {
      // The keys so far stay; without any, tokens are refused.
      this.#isUnanswered = true;
    }
  }
}
