import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** Limits of subscriptions, and of the connections they come over. */
export const SUBSCRIPTION_LIMITS = {
  initMillis: {
    default: 3000,
    min: 100,
    max: 60_000,
    unit: 'millis',
    refusal: null,
    text: 'How long a WebSocket may stay silent before it says `connection_init`; then it is closed with 4408.',
  },
  perConnection: {
    default: 20,
    min: 1,
    max: 1000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Operations that run at the same time over one WebSocket.',
  },
  perClient: {
    default: 100,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Subscriptions of one client at the same time, over all its connections to one process.',
  },
  messageBytes: {
    default: 64 * KIB,
    min: KIB,
    max: 16 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of one message of a client over a WebSocket; a longer one closes it with 1009. Compression is off.',
  },
  queueEvents: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'SUBSCRIPTION_OVERFLOW',
    text: 'Events that wait for one slow subscriber; with one more the subscription ends.',
  },
  queueBytes: {
    default: MIB,
    min: KIB,
    max: 256 * MIB,
    unit: 'bytes',
    refusal: 'SUBSCRIPTION_OVERFLOW',
    text: 'Bytes of such events; while more wait to be taken by one WebSocket, nothing is read from it.',
  },
  eventBytes: {
    default: 64 * KIB,
    min: KIB,
    max: MIB,
    unit: 'bytes',
    refusal: 'SUBSCRIPTION_GAP',
    text: 'Bytes of what one event takes from a message; of a larger one subscribers are only told that it was.',
  },
  historyEvents: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'SUBSCRIPTION_GAP',
    text: 'Events of each operation that are kept for who missed them; a longer gap is announced.',
  },
  pollers: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'count',
    refusal: 'RATE_LIMITED',
    text: 'Different calls that one process repeats for subscriptions.',
  },
  pingMillis: {
    default: 12_000,
    min: 1000,
    max: 3_600_000,
    unit: 'millis',
    refusal: null,
    text: 'Time between two pings over a WebSocket; one that has not answered by the next is cut.',
  },
} as const satisfies LimitTable;

export type SubscriptionLimits = Limits<typeof SUBSCRIPTION_LIMITS>;
