import { internal, KIB, type Limits, type LimitTable, MIB } from '../../core/index.js';

/** Limits of the values kept while content is validated. */
export const VALIDITY_LIMITS = {
  identityValues: internal(
    100_000,
    [0, 10_000_000],
    'count',
    'XML_IDENTITY_LIMIT',
    'Values of one message that are kept because others must not equal them, or refer ' +
      'to them: IDs and keys.',
  ),
  identityChars: internal(
    16 * MIB,
    [KIB, 1024 * MIB],
    'chars',
    'XML_IDENTITY_LIMIT',
    'Length of these values, all in all.',
  ),
} satisfies LimitTable;

export type ValidityLimits = Limits<typeof VALIDITY_LIMITS>;
