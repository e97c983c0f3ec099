import type { Client } from '../../access/client.js';
import type { Invalidator } from '../../cache/invalidator.js';
import type { WriteRule } from '../../cache/rules.js';
import { type Refusal, tolerated } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { KeyClaim } from '../../gateway/shared/outcome-store.js';
import type { UpstreamCall, UpstreamReceiver } from '../../upstream/index.js';
import { inspected } from '../inspect/inspected-call.js';
import { recorded } from '../record/recorded-call.js';
import { mayBeBlank } from '../reply/blank-receiver.js';
import { mayBePackage } from '../reply/package-receiver.js';
import { ReplyTolerance } from '../reply/reply-tolerance.js';
import { withBackOff } from './back-off.js';
import { type BackendCall, callBackend } from './backend-call.js';
import { WatchedCall } from './canary-call.js';
import type { MessageContent } from './message-content.js';
import { SessionCall } from './session-call.js';
import { callWithShadow } from './shadow-call.js';

/**
 * The permitted uses of a reply, decided by its reader: `store` in the cache; `share` with the
 * callers that wait for it and no later ones (a Fault, a failure); `private` to one caller, so that
 * the others call separately.
 */
export type ReplyUse = 'store' | 'share' | 'private';

/** A call of an operation that is declared to read or to write. */
export interface DeclaredCall extends UpstreamCall {
  /** Whether the backend was called for this caller, not for an identical request. */
  readonly isMade: boolean;
  /**
   * The id of the message that the reply is to, null for none. Absent: it is to the caller's own.
   */
  readonly answeredId?: string | null;
  /** How old the reply is; null for one that comes from the backend. */
  readonly ageMillis: number | null;
  /**
   * Called once, when the reply is read or failed. Returns for how many milliseconds the reply is
   * fresh.
   */
  finish(use: ReplyUse): number;
}

/** One call of one caller. */
export interface CallParts extends BackendCall {
  readonly exchange: Exchange;
  /** Null where the call cannot be compared with others. */
  readonly message: ComparedMessage | null;
  /** The bytes of the reply are not repaired: in monitor mode. */
  readonly keepsBytes?: boolean;
  /** Absent or null for a request without an idempotency key. */
  readonly keyed?: KeyedRequest | null;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /** The owner of the key. */
  readonly client: Client;
  /** The arguments, as the message has them. */
  readonly content: string;
  /** The parts of the message that tell its sender: proven ones by name, others by content. */
  readonly sender: readonly unknown[];
  /** The id of the message; null for none. */
  readonly messageId: string | null;
  /** Null where the request makes one call under its key. */
  readonly group: KeyGroup | null;
}

/** The calls that one request makes under one key. */
export interface KeyGroup {
  /** Tells the request from others that the key may not be used for. */
  readonly request: readonly string[];
  /** The most calls that it may make under the key. */
  readonly callsMax: number;
  /** The call, by its place in the request. */
  readonly member: string;
}

/** The message of a call that may be shared, and the client that it is for. */
export interface ComparedMessage {
  readonly client: Client;
  readonly content: MessageContent;
}

/** The key of a call, made of all that goes into it (`callKey`). */
export interface CallKey {
  readonly text: string;
  /** Whether it may join a call under way: not where the reply may name its own request. */
  readonly mayJoin: boolean;
}

/** A call that has begun. */
export interface BegunCall {
  readonly call: UpstreamCall;
  /** That call, where its operation is declared to read or to write; else null. */
  readonly declared: DeclaredCall | null;
}

/** Makes one call for all requests under one idempotency key. */
export interface KeyedStarter {
  /** `make` calls the backend, if no request has before. */
  start(
    claim: KeyClaim,
    receiver: UpstreamReceiver,
    make: (receiver: UpstreamReceiver) => BegunCall,
  ): DeclaredCall;
}

/** Calls the backend for one caller. */
export function callUpstream(parts: CallParts): UpstreamCall {
  parts.exchange.upstream.calls++;
  const { chosen, shadow } = parts.service;
  if (chosen !== null) return WatchedCall.begin(parts, chosen, callService);
  return shadow === null ? callService(parts) : callWithShadow(parts, shadow, callService);
}

function callService(parts: CallParts): UpstreamCall {
  const { session } = parts.service;
  const made = withBackOff(inspected(recorded(repaired(parts))));
  return session === null ? callBackend(made) : new SessionCall(made, session).begin();
}

/**
 * The call, whose reply is repaired where a deviation of its bytes is tolerated, or it may be
 * blank.
 */
function repaired(parts: CallParts): CallParts {
  const { service, operation, exchange, keepsBytes = false } = parts;
  const kinds = service.toleranceOf(operation);
  const isRepaired =
    tolerated.repairsBytes(kinds) || mayBePackage(service, kinds) || mayBeBlank(service, operation);
  if (keepsBytes || !isRepaired) return parts;
  const tolerance = new ReplyTolerance(service, operation, exchange);
  return { ...parts, onRepaired: (deviation) => tolerance.note(deviation) };
}

/** The rule of a write, and how it is applied. */
export interface DeclaredWrite {
  readonly rule: WriteRule;
  readonly invalidator: Invalidator;
}

/**
 * A call that is never shared. A write invalidates before and after: when the backend acts is not
 * known.
 */
export class UncachedCall implements DeclaredCall {
  readonly isMade = true;
  readonly ageMillis = null;
  readonly #recoveryMillis: number;
  readonly #write: DeclaredWrite | null;
  readonly #call: UpstreamCall;

  constructor(parts: CallParts, write: DeclaredWrite | null) {
    this.#write = write;
    this.#recoveryMillis = parts.service.upstream.rulesOf(parts.request).totalMillis;
    write?.invalidator.invalidate(write.rule);
    this.#call = callUpstream(parts);
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  abort(refusal: Refusal): void {
    // The backend may have the request, and take as long as any call may.
    this.#write?.invalidator.pause(this.#write.rule, this.#recoveryMillis);
    this.#call.abort(refusal);
  }

  finish(): number {
    this.#write?.invalidator.invalidate(this.#write.rule);
    return 0;
  }
}
