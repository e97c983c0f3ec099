/** Calls that have ended, by how. */
export interface CallCounts {
  /** All that got an answer or failed. */
  readonly calls: number;
  readonly failures: number;
  readonly faults: number;
  /** That took longer than they should. */
  readonly slow: number;
}

export const NO_CALLS: CallCounts = { calls: 0, failures: 0, faults: 0, slow: 0 };

export const addCounts = (one: CallCounts, other: CallCounts): CallCounts => ({
  calls: one.calls + other.calls,
  failures: one.failures + other.failures,
  faults: one.faults + other.faults,
  slow: one.slow + other.slow,
});

/** A window moves on in so many steps. */
const STEPS = 10;

/** The calls of the latest time, in a few numbers whatever their rate. */
export class CallWindow {
  readonly #stepMillis: number;
  #slots: CallCounts[] = [];
  /** The number of the latest slot, counted from the start of the clock. */
  #latest = 0;

  constructor(windowMillis: number) {
    this.#stepMillis = windowMillis / STEPS;
  }

  add(counts: CallCounts, nowMillis: number): void {
    this.#move(nowMillis);
    const last = this.#slots.length - 1;
    this.#slots[last] = addCounts(this.#slots[last] ?? NO_CALLS, counts);
  }

  total(nowMillis: number): CallCounts {
    this.#move(nowMillis);
    return this.#slots.reduce(addCounts, NO_CALLS);
  }

  clear(): void {
    this.#slots = [];
  }

  #move(nowMillis: number): void {
    const current = Math.floor(nowMillis / this.#stepMillis);
    const steps = this.#slots.length === 0 ? 1 : Math.min(STEPS, current - this.#latest);
    for (let step = 0; step < steps; step++) {
      this.#slots.push(NO_CALLS);
    }
    this.#slots.splice(0, this.#slots.length - STEPS);
    this.#latest = current;
  }
}
