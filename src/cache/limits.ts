import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of the reply cache and of coalesced calls. */
export const CACHE_LIMITS = {
  bytes: {
    default: 64 * MIB,
    min: 64 * KIB,
    max: 4096 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of all cached replies, in each process; the least recently used are evicted first.',
  },
  entries: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: null,
    text: 'Replies in the cache.',
  },
  replyBytes: {
    default: 256 * KIB,
    min: KIB,
    max: 16 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of one reply that is cached, or shared by several callers. So much is buffered before the first caller gets any of it.',
  },
  waiting: {
    default: 1_000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: null,
    text: 'Callers that share one call; a further one makes its own call.',
  },
} as const satisfies LimitTable;

export type CacheLimits = Limits<typeof CACHE_LIMITS>;
