/**
 * Core: refusals, limits, diagnostics of configuration, time slices, state that processes share.
 */

export * as byteBuffers from './buffers/index.js';
export { Cancellation, type CancelSignal } from './cancellation.js';
export * as collections from './collections/index.js';
export { getOrMake } from './collections/maps.js';
export * as diagnosis from './diagnostic.js';
export { ConfigurationError, type Diagnostic } from './diagnostic.js';
export * as inputFiles from './files/index.js';
export * as httpFields from './http/index.js';
export { errorCode, invariant } from './invariant.js';
export * as jsonValues from './json/index.js';
export { isRecord } from './json/json.js';
export { defaultsOf, internal, KIB, type Limits, type LimitTable, limit, MIB } from './limit.js';
export * as spelling from './nearest.js';
export * as refusals from './refusals/index.js';
export { asRefusal, Refusal, refuseByLimit } from './refusals/refusal.js';
export type { RefusalCode } from './refusals/refusals.js';
export * as observing from './request-observer.js';
export * as scopeRules from './requirement.js';
export * as eventBus from './shared/event-bus.js';
export * as sharedState from './shared/index.js';
export { Stages } from './stages.js';
export type { SubjectToken } from './subject-token.js';
export { AT_ONCE, type Pace, type Steps, TimeSlices } from './time-slices.js';
export * as tlsCertificates from './tls/index.js';
export * as tolerated from './tolerance.js';
