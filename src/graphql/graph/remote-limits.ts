import { KIB, type Limits, type LimitTable, MIB } from '../../base/limit.js';

/** Limits of what upstreams that speak GraphQL say. */
export const REMOTE_LIMITS = {
  responseBytes: {
    default: 10 * MIB,
    min: KIB,
    max: 512 * MIB,
    unit: 'bytes',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Bytes of one answer.',
  },
  responseDepth: {
    default: 64,
    min: 3,
    max: 500,
    unit: 'levels',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Objects and lists in each other in one answer.',
  },
  responseValues: {
    default: 1_000_000,
    min: 10,
    max: 100_000_000,
    unit: 'count',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Values in one answer, objects and lists included.',
  },
  schemaBytes: {
    default: 8 * MIB,
    min: KIB,
    max: 64 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of a schema, in a file or asked for at start-up.',
  },
  schemaMillis: {
    default: 10_000,
    min: 10,
    max: 300_000,
    unit: 'millis',
    refusal: null,
    text: 'Time for a schema that is asked for at start-up.',
  },
} as const satisfies LimitTable;

export type RemoteLimits = Limits<typeof REMOTE_LIMITS>;
