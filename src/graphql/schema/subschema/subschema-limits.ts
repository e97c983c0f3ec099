import { internal, KIB, type LimitTable, limit, MIB } from '../../../core/index.js';

/** Limits of the answers, schemas and events of GraphQL upstreams. */
export const SUBSCHEMA_LIMITS = {
  responseBytes: limit(
    10 * MIB,
    [KIB, 512 * MIB],
    'bytes',
    'UPSTREAM_RESPONSE_LIMIT',
    'Bytes of one answer.',
  ),
  responseDepth: internal(
    64,
    [3, 500],
    'levels',
    'UPSTREAM_RESPONSE_LIMIT',
    'Objects and lists in each other in one answer.',
  ),
  responseValues: internal(
    1_000_000,
    [10, 100_000_000],
    'count',
    'UPSTREAM_RESPONSE_LIMIT',
    'Values in one answer, objects and lists included.',
  ),
  schemaBytes: internal(
    8 * MIB,
    [KIB, 64 * MIB],
    'bytes',
    null,
    'Bytes of a schema, in a file or asked for at start-up.',
  ),
  schemaMillis: internal(
    10_000,
    [10, 300_000],
    'millis',
    null,
    'Time for a schema that is asked for at start-up.',
  ),
  subscriptions: limit(
    1000,
    [1, 100_000],
    'count',
    'POOL_EXHAUSTED',
    'Subscriptions of one process at one service at the same time, each over a ' +
      'connection of its own.',
  ),
  acceptMillis: internal(
    10_000,
    [10, 300_000],
    'millis',
    'UPSTREAM_TIMEOUT',
    'Time for a subscription to be accepted: until the head of the event ' +
      'stream, or `connection_ack`.',
  ),
  eventBytes: limit(
    256 * KIB,
    [KIB, 16 * MIB],
    'bytes',
    'UPSTREAM_RESPONSE_LIMIT',
    'Bytes of one event of a subscription; a larger one ends it.',
  ),
  silenceMillis: limit(
    120_000,
    [10, 86_400_000],
    'millis',
    'UPSTREAM_IDLE_TIMEOUT',
    'Silence of an event stream, comments included, after which it counts as dead. ' +
      'A WebSocket is asked with pings instead, every `limits.subscriptions.pingMillis`.',
  ),
} satisfies LimitTable;
