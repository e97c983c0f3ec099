import { getOrMake } from '../../core/index.js';
/** Replaces label values that are too many (catalogue O09). */
export const OTHER = '_other';

/** Rows of one table: as many as a scrape and its storage can bear. */
const ROWS_MAX = 1000;

/** One row of a table: a thing that is counted under the values of its labels. */
export interface TallyRow<T> {
  readonly values: readonly string[];
  readonly tally: T;
}

/**
 * Tallies by up to four label values, found without making anything. Beyond 1,000 rows everything
 * new falls into one row whose labels are all `_other`.
 */
export class TallyTable<T> {
  readonly rows: TallyRow<T>[] = [];
  readonly #width: number;
  readonly #make: () => T;
  readonly #rowsMax: number;
  readonly #root: Level<Level<Level<Level<T>>>> = new Map();
  #rest: T | null = null;
  /**
   * The two rows found last: nearly always the next is one of them, for requests and replies
   * alternate.
   */
  #last: Found<T> | null = null;
  #secondLast: Found<T> | null = null;

  /** `width` is the number of labels, up to four. */
  constructor(width: number, make: () => T, rowsMax = ROWS_MAX) {
    this.#width = width;
    this.#make = make;
    this.#rowsMax = rowsMax;
  }

  find(first = '', second = '', third = '', fourth = ''): T {
    let found = this.#last;
    if (found !== null && isNamed(found, first, second, third, fourth)) return found.tally;
    found = this.#secondLast;
    if (found !== null && isNamed(found, first, second, third, fourth)) return found.tally;
    const tally =
      this.#root.get(first)?.get(second)?.get(third)?.get(fourth) ??
      this.#add([first, second, third, fourth]);
    this.#secondLast = this.#last;
    this.#last = { first, second, third, fourth, tally };
    return tally;
  }

  /** Drops rows by the values of their labels. What is counted under them later begins anew. */
  drop(isDropped: (values: readonly string[]) => boolean): void {
    const kept = this.rows.filter(
      ({ values, tally }) => tally === this.#rest || !isDropped(values),
    );
    if (kept.length === this.rows.length) return;
    this.rows.length = 0;
    this.#root.clear();
    this.#last = null;
    this.#secondLast = null;
    for (const row of kept) {
      this.rows.push(row);
      if (row.tally !== this.#rest) {
        this.#place(row);
      }
    }
  }

  #add(names: readonly [string, string, string, string]): T {
    const named = this.#rest === null ? this.rows.length : this.rows.length - 1;
    if (named >= this.#rowsMax - 1) {
      this.#rest ??= this.#append(Array<string>(this.#width).fill(OTHER)).tally;
      return this.#rest;
    }
    const row = this.#append(names.slice(0, this.#width));
    this.#place(row);
    return row.tally;
  }

  #append(values: readonly string[]): TallyRow<T> {
    const row = { values, tally: this.#make() };
    this.rows.push(row);
    return row;
  }

  #place({ values: [first = '', second = '', third = '', fourth = ''], tally }: TallyRow<T>): void {
    below(below(below(this.#root, first), second), third).set(fourth, tally);
  }
}

interface Found<T> {
  readonly first: string;
  readonly second: string;
  readonly third: string;
  readonly fourth: string;
  readonly tally: T;
}

const isNamed = <T>(
  found: Found<T>,
  first: string,
  second: string,
  third: string,
  fourth: string,
): boolean =>
  found.second === second &&
  found.first === first &&
  found.third === third &&
  found.fourth === fourth;

type Level<T> = Map<string, T>;

const below = <T>(level: Level<Level<T>>, name: string): Level<T> =>
  getOrMake(level, name, () => new Map());

/** A sum that only grows. */
export interface Sum {
  value: number;
}

export const makeSum = (): Sum => ({ value: 0 });

/** A request that was traced, as an example of a bucket. */
export interface Exemplar {
  readonly id: string;
  readonly value: number;
  readonly unixSeconds: number;
}

/** How many values fell below each bound, and their sum. */
export class Buckets {
  readonly #bounds: readonly number[];
  /** The counts of the buckets, not cumulative. The last one counts values beyond all bounds. */
  readonly counts: Float64Array;
  sum = 0;
  /** The latest traced value of each bucket; null before the first. */
  exemplars: (Exemplar | null)[] | null = null;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** `id` names the request that the value is of; null for none. */
  observe(value: number, id: string | null = null): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) {
      index++;
    }
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
    if (id === null) return;
    this.exemplars ??= Array<Exemplar | null>(this.counts.length).fill(null);
    this.exemplars[index] = { id, value, unixSeconds: Date.now() / 1000 };
  }
}
