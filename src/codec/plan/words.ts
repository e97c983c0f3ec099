/** The start of the word that ends at `end`, not before `from`. */
export function wordStart(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && isNameUnit(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Whether a UTF-16 unit may be in a name; true for more than the specification allows. */
export const isNameUnit = (unit: number): boolean =>
  unit >= 0x80 ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x2d ||
  unit === 0x2e ||
  unit === 0x5f;
