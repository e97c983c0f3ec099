import type { Forwarding } from '../../access/network/forwarding.js';
import type { Via } from '../../access/network/via.js';
import type { ServiceConfig } from '../../config/schema.js';

/**
 * Which header fields of a caller's request go on with the calls of a service. All names are in
 * lower case.
 */
export interface CallerFieldRules {
  /** The fields that a request of a SOAP caller passes on. */
  readonly ofSoap: readonly string[];
  /** The fields that a request of a GraphQL caller passes on. */
  readonly ofGraphql: readonly string[];
  /** Those whose values may change the reply: only calls with the same values are shared. */
  readonly varying: readonly string[];
  /** Those whose values requests of GraphQL fields hold. */
  readonly inRequests: readonly string[];
  /** Null where the backend gets no `Forwarded` fields. */
  readonly forwarding: Forwarding | null;
  /** Null where the backend gets no `Via`. */
  readonly via: Via | null;
  /** Cookies go both ways: no reply is shared. */
  readonly passesCookies: boolean;
  /** The cookie of the gateway itself, which goes no further; null for none. */
  readonly ownCookie: string | null;
}

/**
 * W3C Trace Context. Baggage of callers is no data of the backend's side: it needs
 * `forwardHeaders`.
 */
const TRACE = ['traceparent', 'tracestate'] as const;
/** Everything else is written by the gateway. */
const SOAP = [
  'accept',
  'accept-language',
  'authorization',
  'user-agent',
  'x-request-id',
  ...TRACE,
] as const;

/** `forwarding` and `via` are those of all services. */
export function compileCallerFields(
  config: ServiceConfig,
  forwarding: Forwarding,
  via: Via,
): CallerFieldRules {
  const passesCookies = config.cookies === 'forward';
  const varying = [
    ...config.forwardHeaders.map((name) => name.toLowerCase()),
    ...(passesCookies ? ['cookie'] : []),
  ];
  // The gateway has credentials of its own.
  const isReplaced = config.auth !== undefined && config.auth.passthrough === undefined;
  const soap = isReplaced ? SOAP.filter((name) => name !== 'authorization') : SOAP;
  return {
    ofSoap: [...new Set([...soap, ...varying])],
    ofGraphql: [...new Set([...TRACE, ...varying])],
    varying,
    inRequests: config.callerHeaders.map((name) => name.toLowerCase()),
    forwarding: config.forwarded ? forwarding : null,
    via: config.via ? via : null,
    passesCookies,
    ownCookie: config.sticky?.cookie ?? null,
  };
}
