import { internal, KIB, type Limits, type LimitTable, limit } from '../../core/index.js';

/** Limits of the HTTP server itself, before a SOAP message or a GraphQL document exists. */
export const HTTP_LIMITS = {
  headerBytes: limit(
    16 * KIB,
    [KIB, 256 * KIB],
    'bytes',
    null,
    'Bytes of the header of one request, answered with status 431. Node and HAProxy allow 16 KiB.',
  ),
  headerCount: limit(
    100,
    [8, 1000],
    'count',
    null,
    'Header fields of one request, answered with status 431. Node hides framing fields beyond ' +
      '1,000, hence the ceiling.',
  ),
  uriBytes: limit(
    8 * KIB,
    [64, 64 * KIB],
    'bytes',
    'HTTP_URI_TOO_LONG',
    'Bytes of the request target.',
  ),
  headerMillis: limit(
    10_000,
    [100, 300_000],
    'millis',
    'HTTP_TIMEOUT',
    'Time for the header of a request to arrive. Node allows 60 s, which is what ' +
      'slow-header attacks live on.',
  ),
  handshakeMillis: limit(
    10_000,
    [100, 120_000],
    'millis',
    null,
    'Time for the PROXY header and the TLS handshake of a connection, which is closed then.',
  ),
  handshakesPerSecond: limit(
    100,
    [0, 100_000],
    'count',
    null,
    'TLS handshakes a second of one address. More are delayed, and closed where that would ' +
      'take `handshakeMillis`; 0 is no such limit.',
  ),
  ticketKeyMillis: limit(
    3_600_000,
    [60_000, 604_800_000],
    'millis',
    null,
    'How long TLS session tickets are made with one key. A stolen key opens the sessions ' +
      'of TLS 1.2 of that time.',
  ),
  totalMillis: limit(
    300_000,
    [1000, 3_600_000],
    'millis',
    'HTTP_TIMEOUT',
    'Time for a whole request to arrive, its body included.',
  ),
  bodyRateBytes: limit(
    500,
    [0, 1024 * KIB],
    'bytes',
    'HTTP_TIMEOUT',
    'Bytes a second that a body must bring on average over `bodyGraceMillis`; ' +
      '0 is no such rule. Apache asks for 500.',
  ),
  bodyGraceMillis: internal(
    10_000,
    [50, 300_000],
    'millis',
    null,
    'Time over which the rate of a body is taken. Time in which the backend is the ' +
      'slow one does not count.',
  ),
  stallMillis: limit(
    30_000,
    [50, 3_600_000],
    'millis',
    null,
    'Time without progress after which a caller that does not read its answer is cut; ' +
      'the backend waits meanwhile.',
  ),
  soapActionBytes: internal(
    KIB,
    [64, 16 * KIB],
    'bytes',
    'HTTP_BAD_REQUEST',
    'Bytes of the `SOAPAction` field.',
  ),
  idleMillis: limit(
    5000,
    [100, 600_000],
    'millis',
    null,
    'Time a kept connection may wait for its next request before it is closed.',
  ),
  connections: limit(
    10_000,
    [1, 1_000_000],
    'count',
    null,
    'Client connections open at once; further ones are closed. Envoy advises 10,000 at the ' +
      'edge. Never more than half of the descriptors that the system allows, so that ' +
      'backends can be reached.',
  ),
  connectionsPerClient: limit(
    1_000,
    [1, 1_000_000],
    'count',
    'HTTP_CONNECTIONS',
    'Connections of one address open at once: room for a load balancer that is one address ' +
      'for all its callers. Over the limit, the connection of the address is answered with ' +
      'status 429 that has been open longest without a whole request; where all have brought ' +
      'one, the newest. Not of `clients.trustedProxies`. Never more than half of all ' +
      'connections, or 100: one address leaves room for others. ' +
      'An idle connection costs 8 KiB of memory.',
  ),
  refusalsPerSecond: limit(
    200,
    [0, 1_000_000],
    'count',
    null,
    'Refused requests of one address that are answered a second, over two seconds; ' +
      'each quarter of a millisecond that reading one takes, and each 64 KiB of it, count as ' +
      'one more. Each good request of a connection covers one refusal of that connection (32 at ' +
      'most), which is not counted. Further refusals are delayed, and for half a minute long ' +
      'messages of their connections (over 16 KiB, or a GraphQL document that is not known yet) ' +
      'are read slowly. Good requests are never delayed, nor does anything that comes through ' +
      'one of `clients.trustedProxies`: its connections are shared, and it has limits of its ' +
      'own. 0 answers all at once.',
  ),
  proofs: limit(
    500_000,
    [100, 10_000_000],
    'count',
    'OVERLOADED',
    'Proofs of possession (`proof` of tokens) that are remembered at once, by the process or all ' +
      'its workers: none is taken twice. Beyond them requests with proofs are refused until some ' +
      'expire.',
  ),
  refusalHoldMillis: limit(
    5000,
    [0, 60_000],
    'millis',
    null,
    'Longest time that the answer to a refused request waits.',
  ),
  requestsPerConnection: limit(
    1000,
    [1, 1_000_000],
    'count',
    null,
    'Requests on one connection before it is closed, so that load balancers spread callers again.',
  ),
  drainMillis: limit(
    30_000,
    [0, 3_600_000],
    'millis',
    null,
    'Time that requests in flight have to finish after SIGTERM before their connections are cut.',
  ),
} satisfies LimitTable;

export type HttpLimits = Limits<typeof HTTP_LIMITS>;
