import type { Edit } from '../edit.js';

/**
 * Adds the changes of a bridge to the other changes of a message. A start tag that is in what is
 * cut out does not change; one that changes for both reasons is written anew twice.
 */
export function mergeEdits(own: readonly Edit[], bridged: readonly Edit[]): readonly Edit[] {
  if (own.length === 0) return bridged;
  const merged = new Set(own);
  for (const edit of bridged) {
    const outer = own.find(
      ({ startBytes, endBytes }) =>
        startBytes < endBytes && startBytes <= edit.startBytes && endBytes >= edit.endBytes,
    );
    if (outer === undefined) {
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
