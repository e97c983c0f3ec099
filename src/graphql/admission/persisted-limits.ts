import { KIB, type Limits, type LimitTable, limit, MIB } from '../../core/index.js';

/** Limits of registered documents. A document over a limit runs, and is not registered. */
export const PERSISTED_LIMITS = {
  entries: limit(
    10_000,
    [1, 1_000_000],
    'count',
    null,
    'Documents that are remembered; the least recently used go first.',
  ),
  bytes: limit(
    64 * MIB,
    [MIB, 4096 * MIB],
    'bytes',
    null,
    'The memory of one process for all of them.',
  ),
  textBytes: limit(
    64 * KIB,
    [KIB, MIB],
    'bytes',
    null,
    'Length of one document; longer ones run, and are not remembered.',
  ),
  keptMillis: limit(
    86_400_000,
    [1000, 31_536_000_000],
    'millis',
    null,
    'How long a document is remembered after it was last used.',
  ),
  registrationCost: limit(
    10,
    [0, 1_000_000],
    'points',
    null,
    'Points for each new document; a client without them has it run, but not stored.',
  ),
} satisfies LimitTable;

export type PersistedLimits = Limits<typeof PERSISTED_LIMITS>;
