import { DIALECT_NAMES, DIALECTS, type Dialect } from '../dialect.js';

/** The target of a header block in another dialect; null: the block names none. */
export function targetIn(value: string, from: Dialect, to: Dialect): string | null {
  const named = value.trim();
  // No target, and the final receiver by its name, are the same.
  if (named === '' || named === from.ultimateTarget) return null;
  if (from.nextTargets.includes(named)) return to.nextTargets[0] ?? named;
  // SOAP 1.1 has no such name: the other's names a receiver there that none is.
  return NONE_TARGETS.has(named) ? (to.noneTarget ?? named) : named;
}

const NONE_TARGETS: ReadonlySet<string | null> = new Set(
  DIALECT_NAMES.map((name) => DIALECTS[name].noneTarget).filter((target) => target !== null),
);

/** A value of mustUnderstand in another dialect; one that is not valid stays. */
export function mustUnderstandIn(value: string, from: Dialect, to: Dialect): string {
  const written = value.trim();
  if (from.mustUnderstandTrue.includes(written)) return to.mustUnderstandTrue[0] ?? written;
  if (from.mustUnderstandFalse.includes(written)) return to.mustUnderstandFalse[0] ?? written;
  return written;
}

/** The namespaces of the encodings of all dialects. */
const ENCODINGS: ReadonlySet<string> = new Set(
  DIALECT_NAMES.map((name) => DIALECTS[name].encodingUri),
);

/** Whether an encodingStyle names an encoding of a dialect. */
export const namesEncoding = (value: string): boolean =>
  value
    .trim()
    .split(/\s+/)
    .some((uri) => ENCODINGS.has(uri));
