import { performance } from 'node:perf_hooks';

const SUSPENDED_MILLIS = 600_000;

/** Reports a change, for the log. `isSuspended`: from now on each call gets a connection of its own. */
export type ReuseListener = (isSuspended: boolean) => void;

/**
 * Decides whether the connections to an address are used for a second exchange. After one of them carried bytes that
 * belong to no request, none is for ten minutes: HTTP/1.1 does not number replies, and a backend that sent one too many
 * may send the next one at a moment at which only the caller could tell.
 */
export class ConnectionReuse {
  #untilMillis = Number.NEGATIVE_INFINITY;
  #listener: ReuseListener = () => {};
  /** Reported and not yet over. */
  #isReported = false;

  /** Calls `listener` when reuse is suspended, and when the first call after that may use a connection again. */
  listen(listener: ReuseListener): void {
    this.#listener = listener;
  }

  isSuspended(nowMillis: number = performance.now()): boolean {
    if (nowMillis < this.#untilMillis) return true;
    if (this.#isReported) this.#report(false);
    return false;
  }

  /** A connection carried bytes of no request, or a reply to another one. */
  suspend(): void {
    this.#untilMillis = performance.now() + SUSPENDED_MILLIS;
    if (!this.#isReported) this.#report(true);
  }

  #report(isSuspended: boolean): void {
    this.#isReported = isSuspended;
    this.#listener(isSuspended);
  }
}
