import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { addCounts, type CallCounts, CallWindow, NO_CALLS } from './call-window.js';

/** Why calls went back to the backend of the service. */
export type BackCause = 'failures' | 'faults' | 'latency';

/**
 * How a call of the new backend ended. `gone`: its caller left before it did. `refused`: by the
 * gateway, for what its caller sent.
 */
export type CallEnd = 'answered' | 'fault' | 'failed' | 'gone' | 'refused';

export interface CanaryOptions {
  /** The share of calls, or of callers where it is sticky. */
  readonly share: number;
  readonly isSticky: boolean;
  /** Failures in a row after which calls go back; 0: never. */
  readonly failures: number;
  /** The share of Faults beyond which they do; 1: never. */
  readonly faultShare: number;
  /** The time that 99 of 100 calls must end in; null: any. */
  readonly p99Millis: number | null;
  readonly windowMillis: number;
  /** Processes that send calls to it. */
  readonly processes: number;
  /** Makes the callers of one service others than those of the next. */
  readonly salt: string;
}

/** What is learnt of a canary in one process, for the others. */
export interface CanaryEvents {
  /** Calls go back, for what this process has seen. */
  readonly back: (cause: BackCause) => void;
  /** Calls have ended; `answered`: one at least got an answer, before the failures. */
  readonly counted: (counts: CallCounts) => void;
}

/** All processes together have about so many calls under way that no answer vouches for. */
const UNPROVEN_MAX = 12;
/** Calls are counted elsewhere after so many, or with the next failure. */
const TOLD_CALLS = 50;
/** A share of so few calls says nothing. */
const CALLS_MIN = 10;
/** The calls that may end later than 99 of 100 should, whatever their number. */
const SLOW_MIN = 3;
/** So many times the failures of a row are too many in any order, where they are this share. */
const SCATTERED = 3;
const SCATTERED_SHARE = 0.1;
/** Callers that wait for the first answer; further ones do not. */
const WAITING_MAX = 10_000;
/** The fraction whose multiples spread most evenly (the golden ratio). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The share of calls that a new backend gets, and when they go back. A backend that is not proven
 * gets few calls at once: only so many begin after its latest answer.
 */
export class CanaryShare {
  readonly #options: CanaryOptions;
  readonly #unprovenMax: number;
  readonly #window: CallWindow;
  #share: number;
  #events: CanaryEvents | null = null;
  #turn = Math.random();
  /** Failures since the latest answer, of all processes. */
  #row = 0;
  /** Calls of this process that began after its latest answer. */
  #unproven = 0;
  #inFlight = 0;
  /** What other processes do not know yet. */
  #untold = NO_CALLS;
  #waiting: (() => void)[] = [];

  constructor(options: CanaryOptions) {
    const { share, failures, processes, windowMillis } = options;
    this.#options = options;
    this.#share = share;
    this.#unprovenMax =
      failures === 0
        ? Number.POSITIVE_INFINITY
        : Math.max(failures, Math.ceil(UNPROVEN_MAX / processes));
    this.#window = new CallWindow(windowMillis);
  }

  get share(): number {
    return this.#share;
  }

  get isSticky(): boolean {
    return this.#options.isSticky;
  }

  /** Replaces the listener of the process. */
  listen(events: CanaryEvents): void {
    this.#events = events;
  }

  /** Gives it another share; what was counted is over. */
  move(share: number): void {
    this.#share = share;
    this.#row = 0;
    this.#unproven = 0;
    this.#untold = NO_CALLS;
    this.#window.clear();
    this.#release(Number.POSITIVE_INFINITY);
  }

  /** Whether a call is one of the share; `caller` names its caller where it stays at a backend. */
  isChosen(caller: string | null): boolean {
    if (this.#share <= 0 || this.#share >= 1) return this.#share >= 1;
    if (caller !== null) {
      return placeOf(`${this.#options.salt} ${caller}`) < this.#share;
    }
    this.#turn = (this.#turn + GOLDEN) % 1;
    return this.#turn < this.#share;
  }

  /** Whether a further call may begin before the next answer. */
  get hasRoom(): boolean {
    return this.#unproven < this.#unprovenMax;
  }

  /** Resolves with the next answer, or when the share is another. */
  room(): Promise<void> {
    return this.#waiting.length >= WAITING_MAX
      ? Promise.resolve()
      : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A call begins. */
  begin(): void {
    this.#unproven++;
    this.#inFlight++;
  }

  /** A call that began has ended. */
  end(end: CallEnd, millis: number): void {
    this.#inFlight--;
    if (end === 'refused' && this.#unproven > 0) {
      // It shows nothing: another one may begin in its place.
      this.#unproven--;
      this.#release(1);
    }
    if (end === 'gone' || end === 'refused') {
      this.#checkSilence();
      return;
    }
    const { p99Millis } = this.#options;
    const isSlow = end !== 'failed' && p99Millis !== null && millis > p99Millis;
    const counts = {
      calls: 1,
      failures: end === 'failed' ? 1 : 0,
      faults: end === 'fault' ? 1 : 0,
      slow: isSlow ? 1 : 0,
    };
    const endsRow = end === 'answered' && this.#row > 0;
    this.#count(counts);
    this.#untold = addCounts(this.#untold, counts);
    if (end !== 'failed') {
      this.#unproven = 0;
      this.#release(this.#unprovenMax);
    }
    if (endsRow || end !== 'answered' || isSlow || this.#untold.calls >= TOLD_CALLS) {
      this.#events?.counted(this.#untold);
      this.#untold = NO_CALLS;
    }
    this.#check();
    this.#checkSilence();
  }

  /** Counts calls of another process. */
  take(counts: CallCounts): void {
    this.#count(counts);
  }

  /** Faults neither make a row longer nor end it. */
  #count(counts: CallCounts): void {
    const { calls, failures, faults } = counts;
    if (calls > failures + faults) {
      this.#row = 0;
    }
    this.#row += failures;
    this.#window.add(counts, performance.now());
  }

  #check(): void {
    if (this.#share <= 0) return;
    const { failures, faultShare, p99Millis } = this.#options;
    const total = this.#window.total(performance.now());
    const scattered = failures * SCATTERED;
    if (
      failures > 0 &&
      (this.#row >= failures ||
        (total.failures >= scattered && total.failures > total.calls * SCATTERED_SHARE))
    ) {
      this.#goBack('failures');
    } else if (
      faultShare < 1 &&
      total.calls >= CALLS_MIN &&
      total.faults > total.calls * faultShare
    ) {
      this.#goBack('faults');
    } else if (p99Millis !== null && total.slow >= Math.max(SLOW_MIN, total.calls / 100)) {
      this.#goBack('latency');
    }
  }

  /** No call is under way, and none of those that may begin had an answer. */
  #checkSilence(): void {
    if (this.#share > 0 && this.#inFlight === 0 && !this.hasRoom) {
      this.#goBack('failures');
    }
  }

  #goBack(cause: BackCause): void {
    this.move(0);
    this.#events?.back(cause);
  }

  #release(most: number): void {
    const released = this.#waiting.splice(0, Math.min(most, this.#waiting.length));
    for (const resolve of released) {
      resolve();
    }
  }
}

/** A number from 0 to 1 that a text always has. */
const placeOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
