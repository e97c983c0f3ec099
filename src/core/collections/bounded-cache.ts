import { LRUCache } from 'lru-cache';

export interface CacheBounds<V> {
  /** Most entries; memory for them is allocated at once. Without it `size` alone counts. */
  readonly entries?: number;
  /** The greatest sum of all entries by `sizeOf`; a larger entry is not kept. */
  readonly size: number;
  sizeOf(value: V, key: string): number;
  /** How long an entry is kept after it was last used; without it, until it is evicted. */
  readonly keptMillis?: number;
}

/** A cache of bounded size; the least recently used entries are evicted first. */
export class BoundedCache<V extends object | string> {
  readonly #entries: LRUCache<string, V>;

  constructor({ entries, size, sizeOf, keptMillis }: CacheBounds<V>) {
    this.#entries = new LRUCache({
      ...(entries === undefined ? {} : { max: entries }),
      maxSize: size,
      sizeCalculation: sizeOf,
      ...(keptMillis === undefined ? {} : { ttl: keptMillis, updateAgeOnGet: true }),
    });
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Returns an entry without counting that as a use. */
  peek(key: string): V | undefined {
    return this.#entries.peek(key);
  }

  /** Whether the key is in the cache; does not count as a use. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Number of entries. */
  get count(): number {
    return this.#entries.size;
  }

  /** The sum of all entries by `sizeOf`. */
  get size(): number {
    return this.#entries.calculatedSize;
  }

  /** Measures the value of this key again, whose size has changed. */
  updateSize(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
