/**
 * Core: refusals, limits, diagnostics of configuration, time slices, state that processes share.
 */

export { AddressTotals } from './address-totals.js';
export { BoundedCache } from './bounded-cache.js';
export { joinAdjacent, joinBuffers, SHORT_MESSAGE_BYTES } from './bytes.js';
export { Cancellation, type CancelSignal } from './cancellation.js';
export { ConcurrencyLimit } from './concurrency-limit.js';
export {
  ConfigurationError,
  type Diagnostic,
  errorDiagnostics,
  firstProblem,
  firstWarnings,
  printDiagnostic,
  unplaced,
  unplacedError,
} from './diagnostic.js';
export { FileContent } from './file-content.js';
export { glob, matchesName } from './files/glob.js';
export {
  addInputs,
  completeInputs,
  emptySnapshot,
  type InputSnapshot,
  type Inputs,
  LIVE_INPUTS,
  recordInputs,
  replayInputs,
} from './files/inputs.js';
export { PACKAGE_FOLDER, packageVersion } from './files/package-folder.js';
export { isRead, type Read, RememberedReads } from './files/remembered-reads.js';
export { fileText, RotatingFile } from './files/rotating-file.js';
export {
  FIELD_CASES,
  type FieldCase,
  type FieldSpellings,
  spellingIn,
  spellNames,
  usualName,
} from './http/field-names.js';
export { responseClass, writePassedHead } from './http/response-class.js';
export { errorCode, invariant, never } from './invariant.js';
export { canonical, isRecord, parsedJson, readMember, recordEntries } from './json.js';
export {
  defaultsOf,
  GIB,
  internal,
  KIB,
  type LimitRow,
  type Limits,
  type LimitTable,
  limit,
  MIB,
} from './limit.js';
export { addToGroup, getOrMake, groupBy, makeOncePer, setAndEvictOldest } from './maps.js';
export { didYouMean, nearest } from './nearest.js';
export type { OperationUse } from './operation-use.js';
export { collectPackets, packetRead } from './packet-memory.js';
export {
  type ExplainedField,
  type Explanation,
  explain,
  tellsPlace,
} from './refusals/explanations.js';
export type { Facts, Place } from './refusals/facts.js';
export { refusalGuides } from './refusals/guides.js';
export {
  asRefusal,
  asUpstream,
  type ExceededLimit,
  Refusal,
  type RefusalOptions,
  type ReplyFacts,
  refuseByLimit,
} from './refusals/refusal.js';
export { levelOf, type RefusalKind } from './refusals/refusal-kind.js';
export {
  CORE_REFUSALS,
  CREDENTIALS_MISSING,
  installRefusals,
  isRefusalCode,
  kindOf,
  type RefusalCode,
  type RefusalTable,
} from './refusals/refusals.js';
export { type FaultForm, faultStatus, hasFault, wireStatus } from './refusals/wire-status.js';
export {
  type CallObserver,
  type HeaderField,
  type RequestObserver,
  withField,
} from './request-observer.js';
export {
  asksForAll,
  bothOf,
  type Claimant,
  describeRequirement,
  isMet,
  type Missing,
  missingOf,
  type Requirement,
  type ScopeChoice,
  scopesIn,
} from './requirement.js';
export {
  type BusMessage,
  type EventBus,
  type EventListener,
  type EventTransport,
  type EventValues,
  type InvalidPart,
  type InvalidValue,
  isEventId,
  REPLAY_SLICE_MILLIS,
  type Replay,
  type ReplayPace,
  type ResumingListener,
  type TopicEvent,
  type TransportReceiver,
} from './shared/event-bus.js';
export type { Nonce, NonceClaim, NonceStore } from './shared/nonce-store.js';
export {
  GUARD_MILLIS,
  type Rate,
  SlotClock,
  type SlotSupply,
  slotClockMillis,
} from './shared/slots.js';
export {
  type AnswerSource,
  isAnswerSource,
  isSuspicion,
  REACH_MILLIS,
  SUSPENDED_MILLIS_MAX,
  type Suspicion,
  type SuspicionChannel,
  Suspicions,
} from './shared/suspicions.js';
export { SharedMaking } from './shared-making.js';
export { Stages } from './stages.js';
export { type JsonBounds, JsonBoundsError, parseStrictJson } from './strict-json.js';
export type { SubjectToken } from './subject-token.js';
export { AT_ONCE, type Pace, runAtOnce, type Steps, TimeSlices } from './time-slices.js';
export {
  BIT_STRING,
  BOOLEAN,
  type DerElement,
  elementAt,
  elementsBetween,
  GENERALIZED_TIME,
  INTEGER,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  SEQUENCE,
  UTC_TIME,
} from './tls/der.js';
export { certificateEndMillis, earliest, firstEnd } from './tls/first-end.js';
export { checkServerIdentity, VERIFIED_SERVER } from './tls/server-identity.js';
export {
  CHANGES_SIGNED_BYTES,
  DEVIATION_CODES,
  DEVIATION_NAMES,
  DEVIATIONS,
  type Deviation,
  OF_BYTES,
  repairsBytes,
  STRICT,
  type Tolerance,
  type ToleratedDeviation,
} from './tolerance.js';
