/** Calls to one backend: connections, addresses, credentials, deadlines. */

export { addressKind } from './address-kind.js';
export { NamedAddress } from './address-set.js';
export type { AddressRank, Affinity, BalanceOptions } from './balancer.js';
export { authenticatesConnection, BoundUpstreams } from './bound-upstreams.js';
export { Breaker, type BreakerState, breakerOpen, type CallOutcome } from './breaker.js';
export { type CallOptions, CallRules, DEFAULT_CALLS, RETRY_REASONS } from './call-rules.js';
export { bearerFields, RotatingBearer } from './credentials/bearer.js';
export {
  type CallToAuthorize,
  type Credentials,
  type Fields,
  lend,
  withFields,
} from './credentials/credentials.js';
export { Digest } from './credentials/digest.js';
export { ExchangedTokens } from './credentials/exchanged-tokens.js';
export { LoginSession } from './credentials/login-session.js';
export { loadKerberos, Negotiate } from './credentials/negotiate.js';
export { Ntlm } from './credentials/ntlm.js';
export {
  type ClientIdentity,
  introspectToken,
  type OAuthAnswer,
} from './credentials/oauth-requests.js';
export { OAuth2, type OAuth2Options } from './credentials/oauth2.js';
export { TokenCredentials } from './credentials/token-credentials.js';
export type { TokenSource } from './credentials/token-source.js';
export { forWebSocket, makeConnector, type Route, routeTo } from './dial/dial.js';
export { parseProxy } from './dial/proxy.js';
export { TLS_PARTS, TlsMaterial, type TlsOptions, type TlsPart, tlsReason } from './dial/tls.js';
export {
  type FetchedFile,
  type FetchOptions,
  fetchDocument,
  followRedirects,
  inflated,
  keepConnections,
} from './fetch-document.js';
export { HealthChecks, type HealthProbe, type HealthResult, pathProbe } from './health.js';
export { checkEventsHead, checkJsonHead, checkStatus, secondsIn } from './json-head.js';
export { limitsWithin, UPSTREAM_LIMITS, type UpstreamLimits } from './limits.js';
export { CallPace } from './pace/pace.js';
export { makePlainProxy, type PlainProxy } from './plain.js';
export { postWhole } from './post.js';
export { UPSTREAM_REFUSALS } from './refusals.js';
export { RepeatableCall } from './repeatable-call.js';
export {
  type Insertion,
  isStreamed,
  type ReplyHead,
  type UpstreamCall,
  type UpstreamReceiver,
  type UpstreamRequest,
} from './reply.js';
export { outcomeOf } from './reply-effects.js';
export type { Connector } from './undici.js';
export { Upstream, type UpstreamOptions } from './upstream.js';
export { checkAuthStatus, refusalOfError, type TimeoutKeys } from './upstream-refusals.js';
