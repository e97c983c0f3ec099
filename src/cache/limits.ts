import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of what is remembered of replies, and of how many wait for one call. */
export const CACHE_LIMITS = {
  bytes: {
    default: 64 * MIB,
    min: 64 * KIB,
    max: 4096 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of all replies that are remembered, in each process; the least recently used go first.',
  },
  entries: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: null,
    text: 'Replies that are remembered.',
  },
  replyBytes: {
    default: 256 * KIB,
    min: KIB,
    max: 16 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of one reply that is remembered, or shared by several callers. So much is held before the first of them hears of it.',
  },
  waiting: {
    default: 1_000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: null,
    text: 'Callers that wait for the same call; one more makes a call of its own.',
  },
} as const satisfies LimitTable;

export type CacheLimits = Limits<typeof CACHE_LIMITS>;
