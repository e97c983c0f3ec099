import { KIB, type Limits, type LimitTable, MIB } from '../../base/limit.js';

/** Limits of the answers, schemas and events of GraphQL upstreams. */
export const SUBSCHEMA_LIMITS = {
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
  subscriptions: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'POOL_EXHAUSTED',
    text: 'Subscriptions of one process at one service at the same time, each over a connection of its own.',
  },
  acceptMillis: {
    default: 10_000,
    min: 10,
    max: 300_000,
    unit: 'millis',
    refusal: 'UPSTREAM_TIMEOUT',
    text: 'Time for a subscription to be accepted: until the head of the event stream, or `connection_ack`.',
  },
  eventBytes: {
    default: 256 * KIB,
    min: KIB,
    max: 16 * MIB,
    unit: 'bytes',
    refusal: 'UPSTREAM_RESPONSE_LIMIT',
    text: 'Bytes of one event of a subscription; a larger one ends it.',
  },
  silenceMillis: {
    default: 120_000,
    min: 10,
    max: 86_400_000,
    unit: 'millis',
    refusal: 'UPSTREAM_IDLE_TIMEOUT',
    text: 'Silence of an event stream, comments included, after which it counts as dead. A WebSocket is asked with pings instead, every `limits.subscriptions.pingMillis`.',
  },
} as const satisfies LimitTable;

export type SubschemaLimits = Limits<typeof SUBSCHEMA_LIMITS>;
