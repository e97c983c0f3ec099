/**
 * Compares two texts by code point, as Canonical XML orders names (section 2.2). UTF-16 units order
 * otherwise: those of characters beyond the basic plane are less than U+E000.
 */
export function compareByCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [first, second] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (first !== second) return rankOf(first) - rankOf(second);
  }
  return one.length - other.length;
}

/** Ranks surrogates behind all other units. */
const rankOf = (unit: number): number => {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
};
