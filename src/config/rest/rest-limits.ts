import { type LimitTable, limit, MIB } from '../../core/index.js';

/** Limits of the endpoint for REST. */
export const REST_LIMITS = {
  descriptionBytes: limit(
    32 * MIB,
    [MIB, 1024 * MIB],
    'bytes',
    null,
    'Bytes of the descriptions of OpenAPI that are kept compressed, one for each set of ' +
      'operations that clients may call; as many of their parts in each form. Those used ' +
      'longest ago go first, and are made again.',
  ),
} satisfies LimitTable;
