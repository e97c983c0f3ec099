import type { RefusalGuide } from './guide.js';

/** Why requests are refused, and the remedies: services. */
export const UPSTREAM_GUIDE = {
  UPSTREAM_UNREACHABLE: {
    why: 'No connection to the address of the service could be made.',
    change:
      'Check `url`, DNS and firewalls from the host of the gateway. `detail` in the log line has the error of the system.',
  },
  UPSTREAM_CONNECT_TIMEOUT: {
    why: 'The service, or a firewall before it, does not answer to connections.',
    change: 'Check the network path; raise the limit for distant services.',
  },
  UPSTREAM_TLS: {
    why: 'The certificate of the service is not trusted, has another name or has ended, or no common protocol was found.',
    change: 'Give its authority in `tls.ca`, its name in `tls.servername`; old services need `tls.minVersion`.',
  },
  UPSTREAM_TIMEOUT: {
    why: 'The service took longer than a caller should wait.',
    change: 'Find what is slow in the service, or raise `timeoutMillis` of the service or operation and the limit.',
  },
  UPSTREAM_IDLE_TIMEOUT: {
    why: 'The service began its answer and stopped.',
    change: 'Find what stops in the service, or raise the limit for services that compute while they answer.',
  },
  UPSTREAM_RESET: {
    why: 'The service closed the connection before its answer.',
    change:
      'Look into its log: it may have crashed or have a shorter keep-alive. Mark reading operations `idempotent`, then they are sent again.',
  },
  UPSTREAM_TRUNCATED: {
    why: 'An answer that ends early must not look like a whole one.',
    change: 'Look into the log of the service and of proxies before it.',
  },
  UPSTREAM_INVALID_RESPONSE: {
    why: 'The answer is no SOAP message, or one that breaks the rules for messages.',
    change:
      '`detail` in the log line has the rule. An HTML page usually means a wrong `url` or an error page of a proxy.',
  },
  UPSTREAM_RESPONSE_LIMIT: {
    why: 'The answer is beyond a limit: it would take the memory of the gateway.',
    change: 'Ask for less (paging), or raise the limit that the log line names.',
  },
  UPSTREAM_SCHEMA_INVALID: {
    why: 'The reply breaks the WSDL: a value is missing or is none of its type.',
    change:
      'Correct the service or the WSDL. `nullable` of a type or field admits absent values; `validate` decides about SOAP replies.',
  },
  UPSTREAM_REDIRECT: {
    why: 'A redirect is not followed: it could lead calls and credentials to another host.',
    change: 'Set `url` to the address that the service redirects to.',
  },
  UPSTREAM_AUTH: {
    why: 'The service refused the credentials of the gateway, or no token could be got.',
    change: 'Check `auth` of the service, and whether the password or client secret has changed.',
  },
  UPSTREAM_OVERLOADED: {
    why: 'The service answered 502, 503 or 504.',
    change: 'Relieve the service; `requestsAtOnce` limits calls, `retry` sends them again.',
  },
  UPSTREAM_DESYNC: {
    why: 'The answer belongs to another request: delivered, it would show one caller the data of another.',
    change:
      'Look at proxies before the service: connections to it are not reused for ten minutes. A reply whose `RelatesTo` names another message counts too.',
  },
  CIRCUIT_OPEN: {
    why: 'The service failed several times in a row, and is not called for a while.',
    change: 'Repair the service; the circuit closes by itself. The limits decide when it opens and for how long.',
  },
  POOL_EXHAUSTED: {
    why: 'More calls wait for a connection than the service can take.',
    change:
      'Raise `limits.upstream.connections` where the service can take more, add addresses, or raise the limit of those that wait.',
  },
  SOAP_FAULT: {
    why: 'The service answered with a Fault: that is its answer, no refusal of the gateway.',
    change:
      '`extensions.soap` of the error has its code and text; `faultDetail` decides how much of its detail is shown.',
  },
  VALUE_NOT_REPRESENTABLE: {
    why: 'The value is valid in XML and has no form in the GraphQL type: an Int beyond 32 bits, a NaN.',
    change: 'Retype the field in `schema.types`, for instance to `Long`, `Decimal` or `String`.',
  },
  GRAPHQL_UPSTREAM_ERROR: {
    why: 'The service that speaks GraphQL answered with an error.',
    change: 'Its code and message are in the error; `errors` of the service decides how much is shown.',
  },
} as const satisfies Record<string, RefusalGuide>;
