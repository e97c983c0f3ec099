import { KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/** Limits of the reply cache and of coalesced calls. */
export const CACHE_LIMITS = {
  bytes: limit(
    64 * MIB,
    [64 * KIB, 4096 * MIB],
    'bytes',
    null,
    'Bytes of all cached replies, in each process; the least recently used are evicted first.',
  ),
  entries: limit(10_000, [1, 1_000_000], 'count', null, 'Replies in the cache.'),
  replyBytes: limit(
    256 * KIB,
    [KIB, 16 * MIB],
    'bytes',
    null,
    'Bytes of one reply that is cached, or shared by several callers. So much is buffered ' +
      'before the first caller gets any of it.',
  ),
  waiting: limit(
    1_000,
    [1, 100_000],
    'count',
    null,
    'Callers that share one call; a further one makes its own call.',
  ),
} satisfies LimitTable;

export type CacheLimits = Limits<typeof CACHE_LIMITS>;
