import { performance } from 'node:perf_hooks';
import { sharedState } from '../core/index.js';

const SUSPENDED_MILLIS = 600_000;
/** A sign within this time after a suspension is a relapse: it doubles the next one. */
const RELAPSE_MILLIS = 24 * 60 * 60 * 1_000;
/**
 * How long a connection is idle after a request that may be answered before the backend has read
 * it, so that a second answer, sent when the rest was read, comes while no request is open. The
 * system may keep it back for 40 ms (Nagle and delayed ACK).
 */
const SETTLING_MILLIS = 100;
/**
 * An address that answered so many such requests in a row in order needs less, after an answer that
 * is no error.
 */
const PROVEN_SETTLING_MILLIS = 2;
const PROVEN_ANSWERS = 1_000;
/**
 * How long a connection to an address that is not proven rests after an answer. A second answer
 * comes then while no request is open: backends send one in the next 30 ms, and the system may keep
 * it back for 40 ms (Nagle and delayed ACK).
 */
const REST_MILLIS = 50;
/**
 * The calls of an address that is not proven wait for so long in all. Then a call opens a new
 * connection rather than use one that has not rested.
 */
const RESTS_MILLIS = 500;
/** Backends that answer before they have read a request say that it failed. */
const FIRST_ERROR = 400;

/**
 * Reports a change, for the log. `isSuspended`: from now on each call gets a connection of its own.
 */
export type ReuseListener = (isSuspended: boolean) => void;

/** Gets each sign that answers of the address are mixed up. */
export type SignListener = (suspicion: sharedState.Suspicion) => void;

/**
 * Decides whether the connections to an address are used for a second exchange. After one of them
 * carried bytes that belong to no request, none is for ten minutes, and for twice the last time
 * after a relapse: HTTP/1.1 does not number replies, and a backend that sent one too many may send
 * the next one at a moment at which only the caller could tell.
 */
export class ConnectionReuse {
  /** Host, port and path of the address; '' where it has no name that others know. */
  readonly address: string;
  readonly #now: () => number;
  readonly #reachMillis: number;
  #untilMillis = Number.NEGATIVE_INFINITY;
  #suspendedMillis = 0;
  #onSign: SignListener = () => {};
  #listener: ReuseListener = () => {};
  /** Reported and not yet over. */
  #isReported = false;
  /** Answers to long requests since the last one that was early or belonged to no request. */
  #answersInOrder = 0;
  /** Answers to short requests since then. */
  #shortAnswers = 0;
  /** How long calls have waited in all since then. */
  #restedMillis = 0;

  /** `ageMillis`: how long connections to the address live. */
  constructor(address = '', now = () => performance.now(), ageMillis = 0) {
    this.address = address;
    this.#now = now;
    this.#reachMillis = Math.max(sharedState.REACH_MILLIS, ageMillis);
  }

  /** Calls `listener` at each sign that this process finds. */
  listenSigns(listener: SignListener): void {
    this.#onSign = listener;
  }

  /**
   * Calls `listener` when reuse is suspended, and when the first call after that may use a
   * connection again.
   */
  listen(listener: ReuseListener): void {
    this.#listener = listener;
  }

  isSuspended(nowMillis: number = this.#now()): boolean {
    if (nowMillis < this.#untilMillis) return true;
    if (this.#isReported) {
      this.#report(false);
    }
    return false;
  }

  /** A connection carried bytes of no request, or a reply to another one. */
  suspend(): void {
    this.#forgetProofs();
    const nowMillis = this.#now();
    if (nowMillis >= this.#untilMillis) {
      const isRelapse = nowMillis - this.#untilMillis < RELAPSE_MILLIS;
      this.#suspendedMillis = isRelapse
        ? Math.min(sharedState.SUSPENDED_MILLIS_MAX, 2 * this.#suspendedMillis)
        : SUSPENDED_MILLIS;
    }
    const suspendedMillis = this.#suspendedMillis;
    this.#untilMillis = nowMillis + suspendedMillis;
    if (!this.#isReported) {
      this.#report(true);
    }
    this.#onSign({
      address: this.address,
      atMillis: Date.now(),
      suspendedMillis,
      reachMillis: this.#reachMillis,
    });
  }

  /** Suspends it for as long as another process does that found a sign. */
  learn({ atMillis, suspendedMillis }: sharedState.Suspicion): void {
    const leftMillis = Math.min(suspendedMillis, atMillis + suspendedMillis - Date.now());
    const untilMillis = this.#now() + leftMillis;
    if (leftMillis <= 0 || untilMillis <= this.#untilMillis) return;
    this.#forgetProofs();
    this.#untilMillis = untilMillis;
    this.#suspendedMillis = suspendedMillis;
    if (!this.#isReported) {
      this.#report(true);
    }
  }

  /** A request was answered before it was out. */
  answeredEarly(): void {
    this.#forgetProofs();
  }

  /** A short request was answered. */
  answeredShort(): void {
    this.#shortAnswers++;
  }

  /**
   * Whether so many answers came in order that its latest connection is used next. Before, the one
   * that was idle longest is, once it has rested, or a new one: a second answer that is late then
   * meets no request.
   */
  get isProven(): boolean {
    return this.#shortAnswers >= PROVEN_ANSWERS;
  }

  /** A long request was answered. Returns for how many milliseconds its connection is not used. */
  answeredLong(status: number): number {
    this.#answersInOrder++;
    const isProven = this.#answersInOrder > PROVEN_ANSWERS && status < FIRST_ERROR;
    return isProven ? PROVEN_SETTLING_MILLIS : SETTLING_MILLIS;
  }

  /**
   * Milliseconds that the next call waits for a connection whose last answer came so long ago. They
   * count as waited. Null: the calls of the address have waited for long enough.
   */
  takeRest(idleMillis: number): number | null {
    if (this.isProven || idleMillis >= REST_MILLIS) return 0;
    const restMillis = REST_MILLIS - idleMillis;
    if (this.#restedMillis + restMillis > RESTS_MILLIS) return null;
    this.#restedMillis += restMillis;
    return restMillis;
  }

  #forgetProofs(): void {
    this.#answersInOrder = 0;
    this.#shortAnswers = 0;
    this.#restedMillis = 0;
  }

  #report(isSuspended: boolean): void {
    this.#isReported = isSuspended;
    this.#listener(isSuspended);
  }
}
