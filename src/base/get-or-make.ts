interface Table<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key in a table: where there is none, one is made and kept there. */
export function getOrMake<K, V>(table: Table<K, V>, key: K, make: () => V): V {
  const known = table.get(key);
  if (known !== undefined) return known;
  const made = make();
  table.set(key, made);
  return made;
}

/**
 * A function that calls `make` once for each object, and keeps what it returns as long as the
 * object.
 */
export function makeOncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const table = new WeakMap<K, V>();
  return (key) => getOrMake(table, key, () => make(key));
}
