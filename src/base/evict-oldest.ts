/**
 * Sets an entry as the newest of a map of bounded size: beyond `max` entries the one longest not
 * set is evicted.
 */
export function setAndEvictOldest<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
