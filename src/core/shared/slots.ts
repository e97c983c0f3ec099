import { hrtime } from 'node:process';

/** A rate, with the calls that may be made at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  /** At most `perSecond`. */
  readonly burst: number;
}

/** The source of the times of calls: all processes that share it keep one rate. */
export interface SlotSupply {
  /**
   * Times of the next calls, on `slotClockMillis`, the earliest first. Rejects where the source is
   * gone.
   */
  take(name: string, rate: Rate, count: number): readonly number[] | Promise<readonly number[]>;
}

/**
 * Milliseconds of the clock of the system, which all processes of a machine share
 * and none of them sets.
 */
export const slotClockMillis = (): number => Number(hrtime.bigint()) / 1e6;

/** Added to each second of calls, which arrive less evenly than they were sent. */
export const GUARD_MILLIS = 15;

/** Names that are remembered. */
const NAMES_MAX = 10_000;

/** Gives out times, for one process or for those that ask it. */
export class SlotClock implements SlotSupply {
  readonly #histories = new Map<string, History>();

  take(name: string, rate: Rate, count: number): readonly number[] {
    return this.takeAt(name, rate, count, slotClockMillis());
  }

  takeAt(name: string, rate: Rate, count: number, nowMillis: number): readonly number[] {
    let history = this.#histories.get(name);
    if (history === undefined) {
      const [oldest] = this.#histories.keys();
      if (this.#histories.size >= NAMES_MAX && oldest !== undefined) {
        this.#histories.delete(oldest);
      }
      history = new History();
      this.#histories.set(name, history);
    }
    return history.take(rate, count, nowMillis);
  }
}

/** The latest times of one name. */
class History {
  /** A ring, as long as the rate needs it. */
  #times = new Float64Array(0);
  #next = 0;

  take({ perSecond, burst }: Rate, count: number, nowMillis: number): readonly number[] {
    const inSecond = Math.max(1, Math.floor(perSecond));
    const together = Math.min(burst, inSecond);
    const intervalMillis = 1000 / perSecond;
    this.#resize(Math.max(inSecond, together));
    const taken: number[] = [];
    for (let left = count; left > 0; left--) {
      const ofBurst = this.#before(together) + together * intervalMillis;
      const ofSecond =
        this.#before(inSecond) + Math.max(1000, inSecond * intervalMillis) + GUARD_MILLIS;
      const time = Math.max(nowMillis, this.#before(1), ofBurst, ofSecond);
      this.#times[this.#next] = time;
      this.#next = (this.#next + 1) % this.#times.length;
      taken.push(time);
    }
    return taken;
  }

  /** The time so many slots ago. */
  #before(count: number): number {
    const { length } = this.#times;
    return this.#times[(this.#next - count + length) % length] ?? Number.NEGATIVE_INFINITY;
  }

  /** A rate that changes keeps the latest times. */
  #resize(length: number): void {
    const old = this.#times;
    if (old.length >= length) return;
    const times = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    for (let at = 0; at < old.length; at++) {
      times[at] = old[(this.#next + at) % old.length] ?? Number.NEGATIVE_INFINITY;
    }
    this.#times = times;
    this.#next = old.length % length;
  }
}
