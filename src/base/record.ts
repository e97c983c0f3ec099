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
