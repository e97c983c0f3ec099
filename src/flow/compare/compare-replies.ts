import { differingPaths } from './path-facts.js';
import type { ReplyMeaning } from './reply-meaning.js';

/** How two replies compare. */
export type ReplyComparison =
  | { readonly outcome: 'same' }
  /** `paths`: where they differ, as local names from the child of Body; at most 100. */
  | { readonly outcome: 'different'; readonly paths: readonly string[] }
  /** One of them is no envelope, or has too many different paths. */
  | { readonly outcome: 'incomparable'; readonly reason: string };

/** Compares two whole replies by meaning. A reply is compared once: its hashes end. */
export function compareReplies(left: ReplyMeaning, right: ReplyMeaning): ReplyComparison {
  if (!left.isEnvelope || !right.isEnvelope) {
    return { outcome: 'incomparable', reason: 'a reply is no envelope' };
  }
  if (left.isTooWide || right.isTooWide) {
    return { outcome: 'incomparable', reason: 'a reply has too many different paths' };
  }
  const paths = differingPaths(left.facts, right.facts);
  return paths.length === 0 ? { outcome: 'same' } : { outcome: 'different', paths };
}
