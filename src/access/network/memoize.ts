/** Results kept at most: few clients send most requests. */
const KEPT_MAX = 1024;

/**
 * Returns the function with a cache of its latest results. Addresses come again with every request.
 */
export function memoize<T>(answer: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = answer(text);
    // All at once: keeping them in order would cost more than computing them again.
    if (kept.size >= KEPT_MAX) {
      kept.clear();
    }
    kept.set(text, made);
    return made;
  };
}
