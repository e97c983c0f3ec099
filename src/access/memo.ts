/** So many answers are kept: those who call often are few. */
const KEPT_MAX = 1024;

/** The same function of a text, which remembers its latest answers. Addresses come again with every request. */
export function memo<T>(answer: (text: string) => T): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = answer(text);
    // All at once: to keep them in order would cost more than to ask again.
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(text, made);
    return made;
  };
}
