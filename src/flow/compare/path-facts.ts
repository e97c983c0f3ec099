import { createHash, type Hash } from 'node:crypto';
import { invariant } from '../../core/index.js';

/** UTF-16 units that all paths of one reply keep until they are hashed. */
const PENDING_UNITS_MAX = 256 * 1024;

/** Adds up the units that wait in the accumulators of one reply. */
export interface PendingUnits {
  units: number;
  readonly waiting: Set<Accumulator>;
}

/** Hashes a sequence of texts of any length, a batch of them at a time. */
export class Accumulator {
  #hash: Hash | null = null;
  #pending = '';
  #digest: string | null = null;
  readonly #all: PendingUnits;

  constructor(all: PendingUnits) {
    this.#all = all;
  }

  add(text: string): void {
    this.#pending += text;
    this.#all.units += text.length;
    this.#all.waiting.add(this);
    if (this.#all.units <= PENDING_UNITS_MAX) return;
    for (const each of this.#all.waiting) {
      each.#flush();
    }
    this.#all.waiting.clear();
    this.#all.units = 0;
  }

  #flush(): void {
    this.#hash ??= createHash('sha256');
    this.#hash.update(this.#pending);
    this.#pending = '';
  }

  /** Whether both are of the same sequence. Nothing may be added to either behind it. */
  isSameAs(other: Accumulator): boolean {
    // Most paths of most replies are short: making a hash takes longer than comparing them.
    return this.#hash === null && other.#hash === null
      ? this.#pending === other.#pending
      : this.#digested() === other.#digested();
  }

  #digested(): string {
    if (this.#digest === null) {
      if (this.#pending !== '') {
        this.#flush();
      }
      this.#digest = this.#hash?.digest('base64') ?? '';
    }
    return this.#digest;
  }
}

/** The facts of all elements, or attributes, at one path of a reply. */
export class PathFacts {
  /** Local names from the child of Body, such as `GetOrderResponse/order/serial`. */
  readonly path: string;
  /** How many there are. */
  count = 0;
  /** The values in document order, each with the number of its parent. */
  readonly values: Accumulator;
  /** The order of children with different names; empty where that is open. */
  readonly order: Accumulator;
  /** Keys are `{uri}local`; attributes by `@{uri}local`. Null until there is one. */
  #children: Map<string, PathFacts> | null = null;
  readonly #all: PathTotals;

  constructor(path: string, all: PathTotals) {
    this.path = path;
    this.#all = all;
    this.values = new Accumulator(all.pending);
    this.order = new Accumulator(all.pending);
  }

  get children(): ReadonlyMap<string, PathFacts> {
    return this.#children ?? NONE;
  }

  /** The facts of a child; null where there are too many paths. */
  child(key: string, local: string): PathFacts | null {
    const known = this.#children?.get(key);
    if (known !== undefined) return known;
    if (this.#all.paths >= PATHS_MAX) return null;
    this.#all.paths++;
    this.#children ??= new Map();
    const path = this.path === '' ? local : `${this.path}/${local}`;
    const made = new PathFacts(path, this.#all);
    this.#children.set(key, made);
    return made;
  }
}

/** Different paths of one reply: recursive content may have any number. */
const PATHS_MAX = 10_000;

/** What the paths of one reply have in common. */
export interface PathTotals {
  paths: number;
  readonly pending: PendingUnits;
}

/** The facts of an empty reply. */
export const noFacts = (): PathFacts =>
  new PathFacts('', { paths: 0, pending: { units: 0, waiting: new Set() } });

const NONE: ReadonlyMap<string, PathFacts> = new Map();

/** Different paths that are listed. */
const LISTED_MAX = 100;

/** The paths at which two replies differ, in document order, each once; at most 100. */
export function differingPaths(left: PathFacts, right: PathFacts): readonly string[] {
  const found = new Set<string>();
  const waiting: (readonly [PathFacts, PathFacts])[] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const [one, other] = pair;
    const common: (readonly [PathFacts, PathFacts])[] = [];
    let isSame = true;
    for (const key of new Set([...one.children.keys(), ...other.children.keys()])) {
      const mine = one.children.get(key);
      const theirs = other.children.get(key);
      // What is ignored has none.
      if ((mine?.count ?? 0) === (theirs?.count ?? 0)) {
        if (mine !== undefined && theirs !== undefined) {
          common.push([mine, theirs]);
          isSame &&= mine.values.isSameAs(theirs.values);
        }
        continue;
      }
      isSame = false;
      const path = (mine ?? theirs)?.path;
      invariant(path !== undefined, 'a path of one of the two');
      found.add(path);
    }
    if (!one.values.isSameAs(other.values)) {
      found.add(one.path);
    } else if (isSame && !one.order.isSameAs(other.order)) {
      found.add(one.path);
    }
    waiting.push(...common.reverse());
  }
  return [...found].slice(0, LISTED_MAX);
}
