/** Somebody whose work is long, and is done in pieces. */
export interface LongWork {
  /** Does one piece. `more`: there is more to do; `waits`: it waits for bytes, or for ever. Never throws. */
  step(): 'more' | 'waits';
}

/** How long everybody else may be kept waiting at a time: an ordinary request waits for several turns. */
export const TURN_MILLIS = 0.25;

/**
 * Where long messages wait for each other: together they get a quarter of a millisecond of each turn of the event
 * loop, whatever their number, and short messages pass between. The event loop would serve all alike, and a few callers with messages
 * that are slow to read would keep everybody else waiting (catalogue O11).
 */
class Lane {
  readonly #waiting: LongWork[] = [];
  #isScheduled = false;

  /** Joins the end of the line; one that waits there already must not join again. */
  enter(work: LongWork): void {
    this.#waiting.push(work);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const endMillis = performance.now() + TURN_MILLIS;
    do {
      const work = this.#waiting.shift();
      if (work === undefined) break;
      if (work.step() === 'more') this.#waiting.push(work);
      // It may have begun to read: what that brings is the work of the next turn.
      else break;
    } while (performance.now() < endMillis);
    this.#isScheduled = this.#waiting.length > 0;
    if (this.#isScheduled) setImmediate(this.#turn);
  };
}

/** One for the process, as there is one event loop. */
export const lane = new Lane();

/** Resolves when it is the turn of a work that cannot be done in pieces. */
export const turnOfLong = (): Promise<void> =>
  new Promise((resolve) => {
    lane.enter({
      step() {
        resolve();
        return 'waits';
      },
    });
  });
