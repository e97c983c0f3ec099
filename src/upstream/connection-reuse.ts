import { performance } from 'node:perf_hooks';

const SUSPENDED_MILLIS = 600_000;
/**
 * How long a connection is idle after a request that may be answered before the backend has read it, so that a second
 * answer, sent when the rest was read, comes while no request is open. The system may keep it back for 40 ms (Nagle
 * and delayed ACK).
 */
const SETTLING_MILLIS = 100;
/** An address that answered so many such requests in a row in order needs less, after an answer that is no error. */
const PROVEN_SETTLING_MILLIS = 2;
const PROVEN_ANSWERS = 1_000;
/** Backends that answer before they have read a request say that it failed. */
const FIRST_ERROR = 400;

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
  /** Answers to long requests since the last one that was early or belonged to no request. */
  #answersInOrder = 0;

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
    this.#answersInOrder = 0;
    this.#untilMillis = performance.now() + SUSPENDED_MILLIS;
    if (!this.#isReported) this.#report(true);
  }

  /** A request was answered before it was out. */
  answeredEarly(): void {
    this.#answersInOrder = 0;
  }

  /** A long request was answered. Returns for how many milliseconds its connection is not used. */
  answeredLong(status: number): number {
    this.#answersInOrder++;
    const isProven = this.#answersInOrder > PROVEN_ANSWERS && status < FIRST_ERROR;
    return isProven ? PROVEN_SETTLING_MILLIS : SETTLING_MILLIS;
  }

  #report(isSuspended: boolean): void {
    this.#isReported = isSuspended;
    this.#listener(isSuspended);
  }
}
