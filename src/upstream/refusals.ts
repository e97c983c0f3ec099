import type { refusals } from '../core/index.js';

/** Refusals of calls to a backend. */
export const UPSTREAM_REFUSALS = {
  connections: {
    // The upstream.
    UPSTREAM_UNREACHABLE: { blame: 'upstream', text: 'The service cannot be reached.' },
    UPSTREAM_CONNECT_TIMEOUT: {
      blame: 'upstream',
      httpStatus: 504,
      text: 'The service did not accept a connection in time.',
    },
    UPSTREAM_TLS: {
      blame: 'upstream',
      text: 'No trusted connection to the service could be made.',
    },
    UPSTREAM_TIMEOUT: {
      blame: 'upstream',
      httpStatus: 504,
      text: 'The service did not answer in time.',
    },
    UPSTREAM_IDLE_TIMEOUT: {
      blame: 'upstream',
      httpStatus: 504,
      text: 'The service stopped in the middle of its answer.',
    },
    UPSTREAM_RESET: {
      blame: 'upstream',
      text: 'The service closed the connection without an answer.',
    },
    UPSTREAM_TRUNCATED: { blame: 'upstream', text: 'The answer of the service is incomplete.' },
  },
  service: {
    UPSTREAM_REDIRECT: { blame: 'upstream', text: 'The service answered with a redirect.' },
    UPSTREAM_AUTH: {
      blame: 'upstream',
      text: 'The service did not accept the credentials of the gateway.',
    },
    UPSTREAM_UNAUTHENTICATED: {
      blame: 'client',
      httpStatus: 401,
      text: 'The service did not accept the credentials of the caller.',
    },
    UPSTREAM_OVERLOADED: { blame: 'upstream', text: 'The service is overloaded.' },
    UPSTREAM_DESYNC: {
      blame: 'upstream',
      text: 'The service gave an answer that does not belong to the request.',
    },
    CIRCUIT_OPEN: { blame: 'upstream', text: 'The service failed repeatedly and is given a rest.' },
    POOL_EXHAUSTED: { blame: 'upstream', text: 'Too many requests are waiting for the service.' },
    UPSTREAM_RATE_LIMITED: {
      blame: 'us',
      level: 'warn',
      httpStatus: 503,
      text: 'More calls are waiting for the service than its rate allows.',
    },
  },
} as const satisfies Record<string, Record<string, refusals.RefusalKind>>;

type Groups = typeof UPSTREAM_REFUSALS;
type UpstreamRefusals = Groups['connections'] & Groups['service'];

declare module '../core/refusals/refusals.js' {
  interface RefusalTable extends UpstreamRefusals {}
}
