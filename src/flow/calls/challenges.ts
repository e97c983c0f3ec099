import { authenticatesConnection } from '../../upstream/bound-upstreams.js';
import type { ReplyHead } from '../../upstream/reply.js';
import { isPrintable } from './reply-head.js';

/** The challenges of a 401 that a caller can answer without a connection of its own to the backend. */
export const challengesOf = (head: ReplyHead): readonly string[] =>
  head
    .headers('www-authenticate')
    .filter((value) => isPrintable(value) && !authenticatesConnection(value));
