import type { OperationDefinitionNode } from 'graphql';
import { BoundedCache } from '../../base/bounded-cache.js';
import type { Weigh } from '../count-bytes.js';
import { GRAPHQL_LIMITS } from '../limits.js';
import type { Variables } from '../output/reply-plan.js';

/** Identifies what is remembered. */
export interface Maker<T> {
  holds(value: unknown): value is T;
}

/** What was worked out for one operation with one set of values of its switches, by whoever worked it out. */
export class Workings {
  readonly #made = new Map<Maker<unknown>, unknown>();
  readonly #grown: (workings: Workings) => void;
  #bytes: number;
  #isMaking = false;

  constructor(bytes: number, grown: (workings: Workings) => void) {
    this.#bytes = bytes;
    this.#grown = grown;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer of `make`, which is asked once. */
  of<T>(maker: Maker<T>, make: (weigh: Weigh) => T): T {
    const held = this.#made.get(maker);
    if (maker.holds(held)) return held;
    this.#isMaking = true;
    try {
      const made = make(this.#weigh);
      this.#made.set(maker, made);
      return made;
    } finally {
      this.#isMaking = false;
      this.#grown(this);
    }
  }

  readonly #weigh: Weigh = (bytes) => {
    this.#bytes += bytes;
    if (!this.#isMaking) this.#grown(this);
  };
}

/** A document, as far as its workings need it. */
export interface Worked {
  /** The variables that what is worked out depends on, by whether they are true. */
  readonly switches: readonly string[];
  /** What its syntax tree takes, which plans refer to. */
  readonly bytes: number;
}

/** All that was worked out for the documents of one generation, under one bound; the least recently used go first. */
export class WorkingsCache {
  readonly #cache: BoundedCache<Workings>;
  readonly #keys = new WeakMap<Worked, Map<OperationDefinitionNode, Map<string, string>>>();
  #count = 0;

  /** So much memory, in bytes. */
  constructor(bytes: number = GRAPHQL_LIMITS.planBytes.default) {
    const most = bytes / SHARES;
    this.#cache = new BoundedCache({
      size: bytes,
      sizeOf: (workings) => (workings.bytes > most ? bytes + 1 : Math.ceil(workings.bytes)),
    });
  }

  /** What all of it takes, in bytes. */
  get bytes(): number {
    return this.#cache.size;
  }

  /** What is known of an operation; to be filled. What there is no room for lasts as long as somebody holds it. */
  of(document: Worked, operation: OperationDefinitionNode, variables: Variables): Workings {
    const key = this.#keyOf(document, operation, variables);
    if (key === null) return new Workings(document.bytes, () => {});
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const made = new Workings(document.bytes, (workings) => {
      if (this.#cache.get(key) === workings) this.#cache.reweigh(key);
    });
    this.#cache.set(key, made);
    return made;
  }

  #keyOf(document: Worked, operation: OperationDefinitionNode, variables: Variables): string | null {
    const operations = this.#keys.get(document) ?? new Map<OperationDefinitionNode, Map<string, string>>();
    this.#keys.set(document, operations);
    const ways = operations.get(operation) ?? new Map<string, string>();
    operations.set(operation, ways);
    const way = document.switches.map((name) => (variables[name] === true ? '1' : '0')).join('');
    const known = ways.get(way);
    if (known !== undefined) return known;
    if (ways.size === WAYS_MAX) return null;
    const key = String(this.#count++);
    ways.set(way, key);
    return key;
  }
}

/** Values of the switches of one operation that are remembered: a page has a few, a hostile caller all. */
const WAYS_MAX = 8;

/** Nothing may take more than this part of the room: one operation would drive out all others. */
const SHARES = 8;
