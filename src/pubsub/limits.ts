import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of subscriptions and of their connections. */
export const SUBSCRIPTION_LIMITS = {
  initMillis: {
    default: 3000,
    min: 100,
    max: 60_000,
    unit: 'millis',
    refusal: null,
    text: 'Time for a WebSocket to send `connection_init`; without it the connection is closed with 4408.',
  },
  perConnection: {
    default: 20,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Concurrent operations over one WebSocket.',
  },
  perClient: {
    default: 100,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Concurrent subscriptions of one client, over all its connections to one process.',
  },
  messageBytes: {
    default: 64 * KIB,
    min: KIB,
    max: 16 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of one message from a client over a WebSocket; a longer one closes it with 1009. Compression is off.',
  },
  queueEvents: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'SUBSCRIPTION_OVERFLOW',
    text: 'Events queued for one slow subscriber; one more ends the subscription.',
  },
  queueBytes: {
    default: MIB,
    min: KIB,
    max: 256 * MIB,
    unit: 'bytes',
    refusal: 'SUBSCRIPTION_OVERFLOW',
    text: 'Bytes of such events; while more are unsent to one WebSocket, nothing is read from it.',
  },
  eventBytes: {
    default: 64 * KIB,
    min: KIB,
    max: MIB,
    unit: 'bytes',
    refusal: 'SUBSCRIPTION_GAP',
    text: 'Bytes of the values of one event; a larger event is announced as a gap.',
  },
  historyEvents: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'SUBSCRIPTION_GAP',
    text: 'Events of each operation that are kept for replay; a longer gap is announced.',
  },
  pollers: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Different calls that one process polls for subscriptions.',
  },
  pingMillis: {
    default: 12_000,
    min: 1000,
    max: 3_600_000,
    unit: 'millis',
    refusal: null,
    text: 'Time between two pings over a WebSocket; a connection without an answer by the next ping is closed.',
  },
} as const satisfies LimitTable;

export type SubscriptionLimits = Limits<typeof SUBSCRIPTION_LIMITS>;
