import { KIB, type Limits, type LimitTable, MIB } from '../../base/limit.js';

/** Limits of the values kept while content is validated. */
export const VALIDITY_LIMITS = {
  identityValues: {
    default: 100_000,
    min: 0,
    max: 10_000_000,
    unit: 'count',
    refusal: 'XML_IDENTITY_LIMIT',
    text: 'Values of one message that are kept because others must not equal them, or refer to them: IDs and keys.',
  },
  identityChars: {
    default: 16 * MIB,
    min: KIB,
    max: 1024 * MIB,
    unit: 'chars',
    refusal: 'XML_IDENTITY_LIMIT',
    text: 'Length of these values, all in all.',
  },
} as const satisfies LimitTable;

export type ValidityLimits = Limits<typeof VALIDITY_LIMITS>;
