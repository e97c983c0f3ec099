import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/** Limits of one upstream: sized for legacy backends, not for meshes. */
export const UPSTREAM_LIMITS = {
  connectMillis: limit(
    5_000,
    [10, 60_000],
    'millis',
    'UPSTREAM_CONNECT_TIMEOUT',
    'Time for a connection to be made.',
  ),
  headersMillis: limit(
    30_000,
    [10, 3_600_000],
    'millis',
    'UPSTREAM_TIMEOUT',
    'Time from the end of the request to the first line of the answer.',
  ),
  headerBytes: limit(
    16 * KIB,
    [KIB, MIB],
    'bytes',
    'UPSTREAM_RESPONSE_LIMIT',
    'Status line and header fields of an answer.',
  ),
  headerCount: limit(
    100,
    [1, 10_000],
    'count',
    'UPSTREAM_RESPONSE_LIMIT',
    'Header fields of an answer.',
  ),
  idleMillis: limit(
    15_000,
    [10, 3_600_000],
    'millis',
    'UPSTREAM_IDLE_TIMEOUT',
    'Silence within an answer.',
  ),
  totalMillis: limit(
    60_000,
    [10, 86_400_000],
    'millis',
    'UPSTREAM_TIMEOUT',
    'Time for the whole call, the upload of the request included.',
  ),
  keepAliveMillis: limit(
    4_000,
    [0, 600_000],
    'millis',
    null,
    'How long an idle connection is kept. Shorter than the 5 s after which many servers ' +
      'close, so that no request meets a closing connection.',
  ),
  connections: limit(
    64,
    [1, 4_096],
    'count',
    null,
    'Connections to one upstream. Envoy allows 1,024, sized for meshes.',
  ),
  boundConnections: limit(
    1_024,
    [1, 65_536],
    'count',
    'POOL_EXHAUSTED',
    'Connections of callers that have a connection to the upstream of their own: ' +
      'NTLM and Negotiate with `auth: { passthrough: true }`.',
  ),
  pending: limit(256, [0, 65_536], 'count', 'POOL_EXHAUSTED', 'Calls that wait for a connection.'),
  pendingMillis: limit(
    5_000,
    [0, 60_000],
    'millis',
    'POOL_EXHAUSTED',
    'How long a call waits for a connection.',
  ),
  ageMillis: internal(
    60_000,
    [10, 86_400_000],
    'millis',
    null,
    'How old a connection may be to be used again, so that addresses that moved are noticed.',
  ),
  resolveMillis: limit(
    30_000,
    [0, 3_600_000],
    'millis',
    null,
    'How often the names of addresses are looked up again, give or take a fifth; ' +
      'all A and AAAA records are used. 0: each connection looks its name up, ' +
      'and uses the first record.',
  ),
  requestsPerConnection: limit(
    10_000,
    [1, 1_000_000],
    'count',
    null,
    'Calls on one connection before it is closed. 1 reuses none: for a backend without a WSDL ' +
      'that is known to answer twice. After the first sign of that none is ' +
      'reused for ten minutes.',
  ),
  breakerFailures: limit(
    5,
    [0, 10_000],
    'count',
    'CIRCUIT_OPEN',
    'Failures in a row that open the circuit breaker of an address, which it does when four ' +
      'fifths of the latest calls failed; 0 never opens it.',
  ),
  breakerMillis: limit(
    30_000,
    [1, 600_000],
    'millis',
    'CIRCUIT_OPEN',
    'How long the breaker stays open, less up to a fifth; then it admits one call, two, four, ' +
      'and is closed. Without calls it is closed after the same time again.',
  ),
} satisfies LimitTable;

export type UpstreamLimits = Limits<typeof UPSTREAM_LIMITS>;

/** All time limits within that of a whole call. */
export const limitsWithin = (upstream: UpstreamLimits, timeoutMillis: number): UpstreamLimits => ({
  ...upstream,
  totalMillis: timeoutMillis,
  connectMillis: Math.min(upstream.connectMillis, timeoutMillis),
  headersMillis: Math.min(upstream.headersMillis, timeoutMillis),
  pendingMillis: Math.min(upstream.pendingMillis, timeoutMillis),
});
