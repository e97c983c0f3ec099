/** Freezes everything reachable from `root`, maps' values included. No recursion: the graph has cycles and depth. */
export function freezeDeep<T>(root: T): T {
  const queue: unknown[] = [root];
  for (let at = 0; at < queue.length; at++) {
    const value = queue[at];
    if (typeof value !== 'object' || value === null) continue;
    if (value instanceof Map) {
      for (const inner of value.values()) queue.push(inner);
      continue;
    }
    if (Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) queue.push(inner);
  }
  return root;
}
