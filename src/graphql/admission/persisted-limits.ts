import { KIB, type Limits, type LimitTable, MIB } from '../../base/limit.js';

/** Limits of registered documents. A document over a limit runs, and is not registered. */
export const PERSISTED_LIMITS = {
  entries: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: null,
    text: 'Documents that are remembered; the least recently used go first.',
  },
  bytes: {
    default: 64 * MIB,
    min: MIB,
    max: 4096 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'The memory of one process for all of them.',
  },
  textBytes: {
    default: 64 * KIB,
    min: KIB,
    max: MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Length of one document; longer ones run, and are not remembered.',
  },
  keptMillis: {
    default: 86_400_000,
    min: 1000,
    max: 31_536_000_000,
    unit: 'millis',
    refusal: null,
    text: 'How long a document is remembered after it was last used.',
  },
  registrationCost: {
    default: 10,
    min: 0,
    max: 1_000_000,
    unit: 'points',
    refusal: null,
    text: 'Points for each new document; a client without them has it run, but not stored.',
  },
} as const satisfies LimitTable;

export type PersistedLimits = Limits<typeof PERSISTED_LIMITS>;
