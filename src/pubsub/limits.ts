import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/** Limits of subscriptions and of their connections. */
export const SUBSCRIPTION_LIMITS = {
  initMillis: limit(
    3000,
    [100, 60_000],
    'millis',
    null,
    'Time for a WebSocket to send `connection_init`; ' +
      'without it the connection is closed with 4408.',
  ),
  perConnection: limit(
    20,
    [1, 1000],
    'count',
    'RATE_LIMITED',
    'Concurrent operations over one WebSocket.',
  ),
  perClient: limit(
    100,
    [1, 100_000],
    'count',
    'RATE_LIMITED',
    'Concurrent subscriptions of one client, over all its connections to one process.',
  ),
  messageBytes: limit(
    64 * KIB,
    [KIB, 16 * MIB],
    'bytes',
    null,
    'Bytes of one message from a client over a WebSocket; a longer one closes it with ' +
      '1009. Compression is off.',
  ),
  queueEvents: limit(
    1000,
    [1, 100_000],
    'count',
    'SUBSCRIPTION_OVERFLOW',
    'Events queued for one slow subscriber; one more ends the subscription.',
  ),
  queueBytes: limit(
    MIB,
    [KIB, 256 * MIB],
    'bytes',
    'SUBSCRIPTION_OVERFLOW',
    'Bytes of such events; while more are unsent to one WebSocket, nothing is read from it.',
  ),
  eventBytes: limit(
    64 * KIB,
    [KIB, MIB],
    'bytes',
    'SUBSCRIPTION_GAP',
    'Bytes of the values of one event; a larger event is announced as a gap.',
  ),
  historyEvents: limit(
    1000,
    [1, 100_000],
    'count',
    'SUBSCRIPTION_GAP',
    'Events of each operation that are kept for replay; a longer gap is announced.',
  ),
  resumeMillis: limit(
    60_000,
    [0, 900_000],
    'millis',
    'SUBSCRIPTION_GAP',
    'Time after the last subscription to an operation in which its events are still read and ' +
      'kept, for clients that subscribe again.',
  ),
  pollers: limit(
    1000,
    [1, 100_000],
    'count',
    'RATE_LIMITED',
    'Different calls that one process polls for subscriptions.',
  ),
  pingMillis: internal(
    12_000,
    [1000, 3_600_000],
    'millis',
    null,
    'Time between two pings over a WebSocket; a connection without an answer by ' +
      'the next ping is closed.',
  ),
  generations: limit(
    8,
    [1, 100],
    'count',
    null,
    'Earlier configurations that are kept after reloads because WebSockets or subscriptions ' +
      'began in them; beyond, those of the oldest are ended as at a stop.',
  ),
} satisfies LimitTable;

export type SubscriptionLimits = Limits<typeof SUBSCRIPTION_LIMITS>;
