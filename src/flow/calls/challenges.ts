import { authenticatesConnection } from '../../upstream/bound-upstreams.js';
import type { ReplyHead } from '../../upstream/reply.js';
import { isPrintable } from './reply-head.js';

/**
 * The challenges of a 401 that a caller can answer without a connection of its own to the backend: none where the backend
 * sends none. Null where the backend has no other than for connections.
 */
export function challengesOf(head: ReplyHead): readonly string[] | null {
  const sent = head.headers('www-authenticate');
  const usable = sent.filter((value) => isPrintable(value) && !authenticatesConnection(value));
  return usable.length === 0 && sent.length > 0 ? null : usable;
}
