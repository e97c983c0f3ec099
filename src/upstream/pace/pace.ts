import { Refusal, sharedState } from '../../core/index.js';
import { ClassQueues, type PacedCall, type PaceTicket } from './class-queues.js';
import { Complaints } from './complaints.js';

/** The rate of calls to a service, or of one operation. */
export interface PaceOptions extends sharedState.Rate {
  /** Longest time that a call waits. */
  readonly waitMillis: number;
  /**
   * Faults that slow calls down, by code, subcode, or the name of an entry of the detail; absent:
   * none.
   */
  readonly backOffOn?: readonly string[];
}

/** Calls that wait at most, of one service or operation. */
const WAITING_MAX = 10_000;

/** Times that are asked for together: as many as pass in so long a time, and so many at most. */
const TOGETHER_MILLIS = 50;
const TOGETHER_MAX = 64;

/**
 * A call that is later than this, or than half of an interval, would come too close to the next
 * ones.
 */
const LATE_MILLIS = 10;

/** How slow a service can make its calls, and how soon they are faster again. */
const SLOWEST = 32;
const RECOVERY_MILLIS = 5000;
const SLOW_DOWN_MILLIS = 1000;
/** How slow answers to one caller make the calls of all, while those of others are answered. */
const SLOWEST_BY_ONE = 2;

/**
 * Lets calls pass at the rate that a service bears: in order of arrival in a class, class after
 * class.
 */
export class CallPace {
  readonly backOffOn: readonly string[];
  readonly #key: string;
  readonly #rate: sharedState.Rate;
  readonly #waitMillis: number;
  readonly #queues = new ClassQueues();
  #source: sharedState.SlotSupply = new sharedState.SlotClock();
  #slots: readonly number[] = [];
  #isAsking = false;
  #timer: NodeJS.Timeout | null = null;
  /** Calls take so many times as long. */
  #slowness = 1;
  #slowedMillis = Number.NEGATIVE_INFINITY;
  readonly #complaints = new Complaints();

  /** `key`: that of the configuration. */
  constructor(key: string, { perSecond, burst, waitMillis, backOffOn = [] }: PaceOptions) {
    this.backOffOn = backOffOn;
    this.#key = key;
    this.#rate = { perSecond, burst };
    this.#waitMillis = waitMillis;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#queues.size;
  }

  /** Shares the rate with all that take from the same source. */
  useSource(source: sharedState.SlotSupply): void {
    this.#source = source;
  }

  /** Queues a call; null where its time is now. A refusal where it would wait too long. */
  enter(call: PacedCall): PaceTicket | Refusal | null {
    if (this.#queues.size === 0 && this.#slots.length === 0 && !this.#isAsking) {
      const taken = this.#source.take(this.#key, this.#current(), 1);
      if (!('then' in taken)) {
        const [first = 0] = taken;
        if (first <= sharedState.slotClockMillis()) return null;
        this.#slots = taken;
      } else {
        this.#await(taken);
      }
    }
    const expectedMillis = this.#queues.expected(call.className) * this.#intervalMillis;
    if (this.#queues.size >= WAITING_MAX || expectedMillis > this.#waitMillis) {
      this.#advance();
      return this.#refusal(expectedMillis);
    }
    const ticket = this.#queues.add(call, sharedState.slotClockMillis() + this.#waitMillis);
    this.#advance();
    return ticket;
  }

  /** The service has asked for less, in an answer to a call of this caller. */
  slowDown(caller = ''): void {
    const nowMillis = sharedState.slotClockMillis();
    this.#complaints.add(caller, nowMillis);
    if (nowMillis - this.#slowedMillis < SLOW_DOWN_MILLIS) return;
    const slowness = this.#slownessAt(nowMillis);
    const slowest = this.#complaints.isOfOne(nowMillis) ? SLOWEST_BY_ONE : SLOWEST;
    this.#slowness = Math.max(slowness, Math.min(slowest, slowness * 2));
    this.#slowedMillis = nowMillis;
  }

  /** The service has answered a call of this caller otherwise. */
  answered(caller: string): void {
    const nowMillis = sharedState.slotClockMillis();
    this.#complaints.answered(caller, nowMillis);
    if (this.#slowness <= SLOWEST_BY_ONE || !this.#complaints.isOfOne(nowMillis)) return;
    this.#slowness = Math.min(SLOWEST_BY_ONE, this.#slownessAt(nowMillis));
  }

  get #intervalMillis(): number {
    return 1000 / this.#current().perSecond;
  }

  #current(): sharedState.Rate {
    const { perSecond, burst } = this.#rate;
    const slowness = this.#slownessAt(sharedState.slotClockMillis());
    return slowness === 1
      ? this.#rate
      : { perSecond: perSecond / slowness, burst: Math.max(1, Math.floor(burst / slowness)) };
  }

  /** Halved after each while without a complaint. */
  #slownessAt(nowMillis: number): number {
    if (this.#slowness === 1) return 1;
    const halvings = Math.floor((nowMillis - this.#slowedMillis) / RECOVERY_MILLIS);
    return Math.max(1, this.#slowness / 2 ** Math.min(halvings, 10));
  }

  #refusal(expectedMillis: number): Refusal {
    const seconds = Math.max(
      1,
      Math.ceil(Math.max(expectedMillis - this.#waitMillis, this.#intervalMillis) / 1000),
    );
    const limit = { key: `${this.#key}.rate.waitMillis`, value: this.#waitMillis };
    return new Refusal('UPSTREAM_RATE_LIMITED', null, { retryAfter: String(seconds), limit });
  }

  /** Lets all pass whose time has come, and sees to the times of those that wait. */
  readonly #advance = (): void => {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#timer = null;
    for (;;) {
      const nowMillis = sharedState.slotClockMillis();
      for (
        let call = this.#queues.shiftExpired(nowMillis);
        call !== null;
        call = this.#queues.shiftExpired(nowMillis)
      ) {
        call.abort(this.#refusal(0));
      }
      if (this.#queues.size === 0) return;
      const [slot, ...later] = this.#slots;
      if (slot === undefined) {
        if (this.#isAsking || !this.#ask()) return;
        continue;
      }
      if (slot > nowMillis) {
        const untilMillis = Math.min(slot, this.#queues.expiresMillis) - nowMillis;
        this.#timer = setTimeout(this.#advance, Math.max(0, untilMillis));
        return;
      }
      this.#slots = later;
      if (nowMillis - slot <= Math.max(LATE_MILLIS, this.#intervalMillis / 2)) {
        this.#queues.shift()?.pass();
      }
    }
  };

  /** Asks for the times of those that wait; whether they are there at once. */
  #ask(): boolean {
    const inTime = Math.ceil(TOGETHER_MILLIS / this.#intervalMillis);
    const count = Math.max(1, Math.min(this.#queues.size, inTime, TOGETHER_MAX));
    const taken = this.#source.take(this.#key, this.#current(), count);
    if ('then' in taken) {
      this.#await(taken);
      return false;
    }
    this.#slots = taken;
    return true;
  }

  #await(taken: Promise<readonly number[]>): void {
    this.#isAsking = true;
    const arrived = (slots: readonly number[]): void => {
      this.#isAsking = false;
      this.#slots = slots;
      this.#advance();
    };
    // The source has gone with the process around it: this one ends as well.
    taken.then(arrived, () => {
      this.#source = new sharedState.SlotClock();
      arrived([]);
    });
  }
}
