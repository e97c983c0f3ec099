/** Calls to one backend: connections, addresses, credentials, deadlines. */

export { addressKind } from './address-kind.js';
export { NamedAddress } from './address-set.js';
export type { AddressRank, Affinity, BalanceOptions } from './balancer.js';
export { authenticatesConnection, BoundUpstreams } from './bound-upstreams.js';
export * as breaker from './breaker.js';
export { type CallOptions, CallRules, DEFAULT_CALLS, RETRY_REASONS } from './call-rules.js';
export * as authentication from './credentials/index.js';
export * as dial from './dial/index.js';
export * as fetching from './fetch-document.js';
export * as healthChecks from './health.js';
export * as heads from './json-head.js';
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
