import type { OperationDefinitionNode } from 'graphql';
import { collections, getOrMake } from '../../core/index.js';
import type { CountBytes } from '../count-bytes.js';
import { GRAPHQL_LIMITS } from '../limits.js';
import type { Variables } from '../schema/output/reply-plan.js';
import type { FieldRights } from '../schema/rights/field-rights.js';

/** One part of entries, such as the plan or the estimates. */
export class EntryPart<T> {
  /** What each entry has, as long as there is the entry. */
  readonly held = new WeakMap<DocumentCacheEntry, T>();
}

/** A part that differs by the rights of callers: one for each, and one for callers without. */
export function partByRights<T>(): (rights: FieldRights | null) => EntryPart<T> {
  const common = new EntryPart<T>();
  const byRights = new WeakMap<FieldRights, EntryPart<T>>();
  return (rights) =>
    rights === null ? common : getOrMake(byRights, rights, () => new EntryPart<T>());
}

/** Plans and estimates of one operation, for one set of values of its switches. */
export class DocumentCacheEntry {
  readonly #onGrowth: (entry: DocumentCacheEntry) => void;
  #bytes: number;
  #isAdding = false;

  constructor(bytes: number, onGrowth: (entry: DocumentCacheEntry) => void) {
    this.#bytes = bytes;
    this.#onGrowth = onGrowth;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The result of `make`, which is called once for each part. */
  get<T>(part: EntryPart<T>, make: (countBytes: CountBytes) => T): T {
    const known = part.held.get(this);
    if (known !== undefined) return known;
    this.#isAdding = true;
    try {
      const made = make(this.#countBytes);
      part.held.set(this, made);
      return made;
    } finally {
      this.#isAdding = false;
      this.#onGrowth(this);
    }
  }

  readonly #countBytes: CountBytes = (bytes) => {
    this.#bytes += bytes;
    if (!this.#isAdding) {
      this.#onGrowth(this);
    }
  };
}

/** A document, as far as its entries need it. */
export interface CachedDocument {
  /** The variables that plans depend on, by whether they are true. */
  readonly switches: readonly string[];
  /** Memory of its syntax tree, which plans refer to. */
  readonly bytes: number;
}

/**
 * The entries of the documents of one generation, within one bound; the least recently used are
 * evicted.
 */
export class DocumentCacheEntries {
  readonly #cache: collections.BoundedCache<DocumentCacheEntry>;
  readonly #keys = new WeakMap<CachedDocument, Map<OperationDefinitionNode, Map<string, string>>>();
  #count = 0;

  /** `bytes` bounds the memory of all entries. */
  constructor(bytes: number = GRAPHQL_LIMITS.planBytes.default) {
    const most = bytes / SHARES;
    this.#cache = new collections.BoundedCache({
      size: bytes,
      sizeOf: (entry) => (entry.bytes > most ? bytes + 1 : Math.ceil(entry.bytes)),
    });
  }

  /** The memory of all entries. */
  get bytes(): number {
    return this.#cache.size;
  }

  /**
   * The entry of an operation, to be filled. An entry over the bound is not cached: it lasts as
   * long as its request.
   */
  get(
    document: CachedDocument,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): DocumentCacheEntry {
    const key = this.#keyOf(document, operation, variables);
    if (key === null) return new DocumentCacheEntry(document.bytes, () => {});
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const made = new DocumentCacheEntry(document.bytes, (entry) => {
      if (this.#cache.get(key) === entry) {
        this.#cache.updateSize(key);
      }
    });
    this.#cache.set(key, made);
    return made;
  }

  #keyOf(
    document: CachedDocument,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): string | null {
    const operations =
      this.#keys.get(document) ?? new Map<OperationDefinitionNode, Map<string, string>>();
    this.#keys.set(document, operations);
    const variants = operations.get(operation) ?? new Map<string, string>();
    operations.set(operation, variants);
    const variant = document.switches
      .map((name) => (variables[name] === true ? '1' : '0'))
      .join('');
    const known = variants.get(variant);
    if (known !== undefined) return known;
    if (variants.size === VARIANTS_MAX) return null;
    const key = String(this.#count++);
    variants.set(variant, key);
    return key;
  }
}

/**
 * Sets of values of the switches that are cached for one operation: a page has a few, an attacker
 * sends all.
 */
const VARIANTS_MAX = 8;

/** No entry may take more than this share of the bound: one operation would evict all others. */
const SHARES = 8;
