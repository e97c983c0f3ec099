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

/** Adds an item to the group of its key. */
export function addToGroup<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, [item]);
  } else {
    group.push(item);
  }
}

/** Groups items by their keys, in the order of the first ones. */
export function groupBy<K, T>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    addToGroup(groups, keyOf(item), item);
  }
  return groups;
}

/**
 * Sets an entry as the newest of a map of bounded size: beyond `max` entries the one longest not
 * set is evicted.
 */
export function setAndEvictOldest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) {
    map.delete(oldest);
  }
}
