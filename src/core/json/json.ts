/** The value of a text; null for one that is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether a value is a map of keys: an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of a map of keys; none of anything else. */
export const recordEntries = (value: unknown): readonly [string, unknown][] =>
  isRecord(value) ? Object.entries(value) : [];

/** A member of what may be an object; undefined of anything else. */
export const readMember = (holder: unknown, name: string | symbol): unknown =>
  typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;

/** Returns one text for equal values, whatever the order of the members of their objects. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Map) return [...inner];
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
