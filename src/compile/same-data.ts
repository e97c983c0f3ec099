import { isRecord, type Steps } from '../core/index.js';

/**
 * Whether two values of plain data are deeply equal, in steps: `isDeepStrictEqual` compares all of
 * them at once.
 */
export function* isSameData(one: unknown, other: unknown): Steps<boolean> {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return false;
    for (const [at, item] of one.entries()) {
      if (!(yield* isSameData(item, other[at]))) return false;
    }
    yield;
    return true;
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(other, key) || !(yield* isSameData(one[key], other[key]))) return false;
  }
  yield;
  return true;
}
