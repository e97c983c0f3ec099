import type { Client } from '../../access/client.js';
import type { CodecLimits, RequestContext, replyDecoding } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { CancelSignal, SubjectToken } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { Operation } from '../../wsdl/index.js';
import type { AnswerLifetime } from '../calls/answer-lifetime.js';
import type { RawFields } from '../calls/caller-fields.js';
import type { KeyGroup } from '../calls/declared-call.js';
import type { Observers } from '../calls/observation.js';
import type { CallRelay } from '../calls/relayed-call.js';
import type { SharedCalls } from '../calls/shared-calls.js';

/** The parts that a GraphQL field needs to call its operation. */
export interface CallContext {
  readonly exchange: Exchange;
  readonly service: SoapService;
  readonly signal: CancelSignal;
  /** Header fields of the caller's request, for what operations take from them. */
  readonly headers: RequestContext['headers'];
  /**
   * Names and values of these fields as they came; absent or null where they did not come with an
   * HTTP request.
   */
  readonly rawHeaders?: RawFields;
  /** The claims of the caller's token, for the same. */
  readonly claims: RequestContext['claims'];
  /** The token of the caller, where the service needs it; absent or null where not. */
  readonly subject?: SubjectToken | null;
  readonly limits: CodecLimits;
  /** Null or absent where nothing is observed. */
  readonly observers?: Observers | null;
  /** Null or absent where the backend is called. */
  readonly relay?: CallRelay | null;
  /** Makes the addresses of binary content in the reply; null or absent where none has any. */
  readonly makeAddress?: replyDecoding.AddressMaker | null;
  /** Null or absent for calls that are neither cached nor shared. */
  readonly sharing?: CallSharing | null;
  /**
   * The calls that the idempotency key in `headers` is for; null or absent where it is no key of
   * this operation.
   */
  readonly keyed?: KeyedFields | null;
}

/** The calls of one HTTP request under its idempotency key. */
export interface KeyedFields {
  /** The key that the caller gave in place of a header field; null for none. */
  readonly ownKey: string | null;
  /**
   * The group of a field, by its response key; null where the request makes no other call under the
   * key.
   */
  groupOf(field: string): KeyGroup | null;
}

/** The request that a reply must belong to. */
export interface SentRequest {
  readonly operation: Operation;
  /** The MessageID that the gateway gave the request; null for none. */
  readonly messageId: string | null;
}

/** The caller of a call that may be coalesced with others, or invalidate their answers. */
interface CallSharing {
  readonly client: Client;
  readonly calls: SharedCalls;
  /** Takes from each reply for how long it stays the same. */
  readonly lifetime: AnswerLifetime | null;
}
