/** For how long the answers to a caller count. */
const RECENT_MILLIS = 30_000;

interface LatestCaller {
  readonly caller: string;
  readonly atMillis: number;
}

/**
 * Whose calls a service has answered with the wish for fewer, and whose otherwise. The two latest
 * callers of each kind tell whether it is one caller that gets too much, or all.
 */
export class Complaints {
  readonly #complaining = new TwoCallers();
  readonly #answered = new TwoCallers();

  add(caller: string, atMillis: number): void {
    this.#complaining.add({ caller, atMillis });
  }

  answered(caller: string, atMillis: number): void {
    this.#answered.add({ caller, atMillis });
  }

  /**
   * Whether the service has asked for less in answers to one caller only, and has answered another
   * one lately.
   */
  isOfOne(nowMillis: number): boolean {
    const [one, ...others] = this.#complaining.since(nowMillis - RECENT_MILLIS);
    if (one === undefined || others.length > 0) return false;
    return this.#answered.since(nowMillis - RECENT_MILLIS).some((caller) => caller !== one);
  }
}

/** The latest caller, and the latest one that is another. */
class TwoCallers {
  #latest: LatestCaller | null = null;
  #other: LatestCaller | null = null;

  add(added: LatestCaller): void {
    if (this.#latest !== null && this.#latest.caller !== added.caller) {
      this.#other = this.#latest;
    }
    this.#latest = added;
  }

  since(fromMillis: number): readonly string[] {
    return [this.#latest, this.#other].flatMap((each) =>
      each !== null && each.atMillis >= fromMillis ? [each.caller] : [],
    );
  }
}
