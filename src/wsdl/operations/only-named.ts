/** Finds what has a local name alone, in whatever namespace: null where several have it. */
export class OnlyNamed<T> {
  readonly #localOf: (value: T) => string;
  readonly #tables = new WeakMap<ReadonlyMap<string, T>, ReadonlyMap<string, T | null>>();

  constructor(localOf: (value: T) => string) {
    this.#localOf = localOf;
  }

  in(table: ReadonlyMap<string, T>, local: string): T | null {
    const known = this.#tables.get(table) ?? this.#index(table);
    return known.get(local) ?? null;
  }

  #index(table: ReadonlyMap<string, T>): ReadonlyMap<string, T | null> {
    const found = new Map<string, T | null>();
    for (const value of table.values()) {
      const local = this.#localOf(value);
      found.set(local, found.has(local) ? null : value);
    }
    this.#tables.set(table, found);
    return found;
  }
}
