import { AT_ONCE, type Steps } from '../../core/index.js';

/** Values frozen in one step: a millisecond. */
const STEP_VALUES = 4096;

export const freezeDeep = <T>(root: T): T => AT_ONCE.finish(freezing(root));

/**
 * Freezes everything reachable from `root`, maps' values included. No recursion: the graph has
 * cycles and depth.
 */
export function* freezing<T>(root: T): Steps<T> {
  const queue: unknown[] = [root];
  for (let at = 0; at < queue.length; at++) {
    if (at % STEP_VALUES === 0) {
      yield;
    }
    const value = queue[at];
    if (typeof value !== 'object' || value === null) continue;
    if (value instanceof Map) {
      for (const inner of value.values()) {
        queue.push(inner);
      }
      continue;
    }
    if (Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      queue.push(inner);
    }
  }
  return root;
}
