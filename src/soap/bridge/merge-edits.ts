import type { Edit } from '../edit.js';

/**
 * Adds changes of a bridge to other changes of a message; those of one list do not overlap. A start
 * tag that is in what is cut out does not change; one that changes for both reasons is written anew
 * twice.
 */
export function mergeEdits(own: readonly Edit[], bridged: readonly Edit[]): readonly Edit[] {
  if (own.length === 0) return bridged;
  const merged = new Set(own);
  const ranges = own.filter(({ startBytes, endBytes }) => startBytes < endBytes).sort(byStart);
  let at = 0;
  for (const edit of bridged.toSorted(byStart)) {
    while ((ranges[at]?.endBytes ?? Number.POSITIVE_INFINITY) < edit.endBytes) at++;
    const outer = ranges[at];
    if (outer === undefined || outer.startBytes > edit.startBytes) {
      merged.add(edit);
      continue;
    }
    const first = outer.rewrite;
    const second = edit.rewrite;
    if (first === undefined || second === undefined) continue;
    merged.delete(outer);
    merged.add({ ...outer, rewrite: (text) => second(first(text)) });
  }
  return [...merged];
}

const byStart = (one: Edit, other: Edit): number => one.startBytes - other.startBytes;
