/** Random numbers by a seed (mulberry32): the same ones in each run. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** One of these, as often as its weight. */
  pick<T>(weighted: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.next() * weighted.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of weighted) {
      at -= weight;
      if (at < 0) return value;
    }
    const last = weighted.at(-1);
    if (last === undefined) throw new Error('nothing to pick from');
    return last[1];
  }
}
