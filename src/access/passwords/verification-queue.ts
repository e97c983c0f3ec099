import { Refusal } from '../../core/index.js';

/** Verifications that run at once: libuv has four threads, which files and DNS need too. */
export const RUNNING_MAX = 2;
/** Verifications of one address that wait. Beyond, its requests are refused. */
export const WAITING_PER_ADDRESS_MAX = 64;
/**
 * Addresses that wait. Beyond, requests of others are refused: each verification takes 100 ms of a
 * processor.
 */
export const WAITING_ADDRESSES_MAX = 256;

/**
 * Runs verifications of passwords, a few at once. Addresses take turns: one with many delays no
 * other.
 */
export class VerificationQueue {
  /** The verifications that wait, by address; the first address is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  /** Rejects with a `Refusal` where too many wait, and as `verify` does. */
  async run<T>(address: string, verify: () => Promise<T>): Promise<T> {
    if (this.#running < RUNNING_MAX) {
      this.#running++;
    } else {
      await this.#turn(address);
    }
    try {
      return await verify();
    } finally {
      this.#release();
    }
  }

  #turn(address: string): Promise<void> {
    const waiting = this.#waiting.get(address) ?? [];
    if (waiting.length >= WAITING_PER_ADDRESS_MAX) {
      throw new Refusal('RATE_LIMITED', 'verifications of an address', {
        retryAfter: '1',
        text: TOO_MANY,
      });
    }
    if (waiting.length === 0) {
      if (this.#waiting.size >= WAITING_ADDRESSES_MAX) {
        throw new Refusal('OVERLOADED', 'verifications of passwords');
      }
      this.#waiting.set(address, waiting);
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
    });
  }

  /** Passes the permit on, if another verification waits; its address is the last one then. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    const [address, waiting] = next;
    const start = waiting.shift();
    this.#waiting.delete(address);
    if (waiting.length > 0) {
      this.#waiting.set(address, waiting);
    }
    start?.();
  }
}

const TOO_MANY = 'Too many passwords of this address are verified at once.';
