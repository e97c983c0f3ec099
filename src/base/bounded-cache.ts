import { LRUCache } from 'lru-cache';

export interface CacheBounds<V> {
  /** Room for them is taken at once; without it `size` alone counts. */
  readonly entries?: number;
  /** What all entries may be together, by `sizeOf`: one that is larger is not kept. */
  readonly size: number;
  sizeOf(value: V, key: string): number;
  /** How long an entry is kept after it was last used; without it, as long as there is room. */
  readonly keptMillis?: number;
}

/** Values by their keys, as many as there is room for: the least recently used go first. */
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

  /** Whether it is kept. That is no use of it. */
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

  /** What all entries are together. */
  get size(): number {
    return this.#entries.calculatedSize;
  }

  /** The value of this key has become larger, or smaller. */
  reweigh(key: string): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
