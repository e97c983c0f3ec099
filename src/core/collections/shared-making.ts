import type { CancelSignal } from '../cancellation.js';
import { Refusal } from '../refusals/refusal.js';
import type { BoundedCache } from './bounded-cache.js';

/** A value that is being made, and the signals of the requests that wait for it. */
interface PendingValue<V> {
  readonly value: Promise<V>;
  readonly signals: CancelSignal[];
}

/**
 * Values that take long to make: each is made once for all requests that wait for it, one after the
 * other, and cached.
 */
export class SharedMaking<V extends object | string> {
  readonly #known: BoundedCache<V>;
  readonly #pending = new Map<string, PendingValue<V>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(known: BoundedCache<V>) {
    this.#known = known;
  }

  /**
   * Resolves to the value of a key. Rejects with `CLIENT_GONE` where all requests that wait for it
   * have been cancelled before its making began. `isKept`: whether it is cached.
   */
  get(
    key: string,
    signal: CancelSignal,
    make: () => Promise<V>,
    isKept: (value: V) => boolean = () => true,
  ): Promise<V> {
    const known = this.#known.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      pending.signals.push(signal);
      return pending.value;
    }
    const signals = [signal];
    const value = this.#last.then(async () => {
      try {
        if (signals.every(({ aborted }) => aborted)) throw new Refusal('CLIENT_GONE');
        const made = await make();
        if (isKept(made)) {
          this.#known.set(key, made);
        }
        return made;
      } finally {
        this.#pending.delete(key);
      }
    });
    this.#pending.set(key, { value, signals });
    this.#last = value.catch(() => {});
    return value;
  }
}
