import type { Limits, LimitTable } from '../base/limit.js';

/** Limits of one upstream: sized for legacy backends, not for meshes. */
export const UPSTREAM_LIMITS = {
  connectMillis: {
    default: 5_000,
    min: 10,
    max: 60_000,
    unit: 'millis',
    refusal: 'UPSTREAM_CONNECT_TIMEOUT',
    text: 'Time for a connection to be made.',
  },
  headersMillis: {
    default: 30_000,
    min: 10,
    max: 3_600_000,
    unit: 'millis',
    refusal: 'UPSTREAM_TIMEOUT',
    text: 'Time from the end of the request to the first line of the answer.',
  },
  idleMillis: {
    default: 15_000,
    min: 10,
    max: 3_600_000,
    unit: 'millis',
    refusal: 'UPSTREAM_IDLE_TIMEOUT',
    text: 'Silence within an answer.',
  },
  totalMillis: {
    default: 60_000,
    min: 10,
    max: 86_400_000,
    unit: 'millis',
    refusal: 'UPSTREAM_TIMEOUT',
    text: 'Time for the whole call, the upload of the request included.',
  },
  keepAliveMillis: {
    default: 4_000,
    min: 0,
    max: 600_000,
    unit: 'millis',
    refusal: null,
    text: 'How long an idle connection is kept. Shorter than the 5 s after which many servers close, so that no request meets a closing connection.',
  },
  connections: {
    default: 64,
    min: 1,
    max: 4_096,
    unit: 'count',
    refusal: null,
    text: 'Connections to one upstream. Envoy allows 1,024, sized for meshes.',
  },
  pending: {
    default: 256,
    min: 0,
    max: 65_536,
    unit: 'count',
    refusal: 'POOL_EXHAUSTED',
    text: 'Calls that wait for a connection.',
  },
  pendingMillis: {
    default: 5_000,
    min: 0,
    max: 60_000,
    unit: 'millis',
    refusal: 'POOL_EXHAUSTED',
    text: 'How long a call waits for a connection.',
  },
} as const satisfies LimitTable;

export type UpstreamLimits = Limits<typeof UPSTREAM_LIMITS>;
