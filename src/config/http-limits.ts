import { KIB, type Limits, type LimitTable } from '../base/limit.js';

/** Limits of the HTTP server itself, before a SOAP message or a GraphQL document exists. */
export const HTTP_LIMITS = {
  headerBytes: {
    default: 16 * KIB,
    min: KIB,
    max: 256 * KIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of the header of one request, answered with status 431. Node and HAProxy allow 16 KiB.',
  },
  headerCount: {
    default: 100,
    min: 8,
    max: 1000,
    unit: 'count',
    refusal: null,
    text: 'Header fields of one request, answered with status 431. Node hides framing fields beyond 1,000, hence the ceiling.',
  },
  uriBytes: {
    default: 8 * KIB,
    min: 64,
    max: 64 * KIB,
    unit: 'bytes',
    refusal: 'HTTP_URI_TOO_LONG',
    text: 'Bytes of the request target.',
  },
  headerMillis: {
    default: 10_000,
    min: 100,
    max: 300_000,
    unit: 'millis',
    refusal: 'HTTP_TIMEOUT',
    text: 'Time for the header of a request to arrive. Node allows 60 s, which is what slow-header attacks live on.',
  },
  totalMillis: {
    default: 300_000,
    min: 1000,
    max: 3_600_000,
    unit: 'millis',
    refusal: 'HTTP_TIMEOUT',
    text: 'Time for a whole request to arrive, its body included.',
  },
  idleMillis: {
    default: 5000,
    min: 100,
    max: 600_000,
    unit: 'millis',
    refusal: null,
    text: 'Time a kept connection may wait for its next request before it is closed.',
  },
  connections: {
    default: 10_000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: null,
    text: 'Client connections open at once; further ones are closed. Envoy advises 10,000 at the edge.',
  },
  requestsPerConnection: {
    default: 1000,
    min: 1,
    max: 1_000_000,
    unit: 'count',
    refusal: null,
    text: 'Requests on one connection before it is closed, so that load balancers spread callers again.',
  },
  drainMillis: {
    default: 30_000,
    min: 0,
    max: 3_600_000,
    unit: 'millis',
    refusal: null,
    text: 'Time that requests in flight have to finish after SIGTERM before their connections are cut.',
  },
} as const satisfies LimitTable;

export type HttpLimits = Limits<typeof HTTP_LIMITS>;
