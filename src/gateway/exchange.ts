import type { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { observing, Refusal, tolerated } from '../core/index.js';

/**
 * How a request ended. `aborted`: the client left before it had its answer, or the answer had to be
 * cut.
 */
export type Outcome = 'ok' | 'fault' | 'refused' | 'failed' | 'aborted';

/**
 * Content that broke the contract of a service. All texts are of the configuration, the WSDL or the
 * closed tables.
 */
export interface ContentViolation {
  readonly service: string;
  readonly operation: string;
  readonly direction: 'request' | 'reply';
  /** The class of the rule. */
  readonly rule: string;
  /** The rule in words. */
  readonly what: string;
  /** The place, like an XPath from the child of Body on. */
  readonly path: string;
}

/** The size of one reply of a backend. All names are of the configuration or the schema. */
export interface ReplySize {
  readonly service: string;
  readonly operation: string;
  /** Decoded. */
  readonly bytes: number;
  /** The lists in it that were asked for, by `Type.field`; '' for the answer itself. */
  readonly lists: ReadonlyMap<
    string,
    { readonly count: number; readonly items: number; readonly longest: number }
  >;
}

/** Replies that are remembered of one exchange. */
export const REPLIES_MAX = 100;

/**
 * The cache outcome of a call of an operation that is declared to read, or of a request with an
 * idempotency key.
 */
export interface CacheUse {
  readonly service: string;
  readonly operation: string;
  /**
   * `hit`: from memory. `coalesced`: the reply to a call of another request. `miss`: from the
   * backend. `stale`: from memory, because the backend failed. `bypass`: from the backend, because
   * the call cannot be compared with others. `kept`: the answer to another request under its key.
   */
  outcome: 'hit' | 'coalesced' | 'miss' | 'stale' | 'bypass' | 'kept';
}

/** Fields of a request that were withheld or masked, by the names of their rules. */
export interface FieldDecisions {
  readonly decision: 'withheld' | 'masked';
  readonly of: readonly string[];
}

/** Violations that are remembered of one exchange: GraphQL may call many operations in one. */
export const VIOLATIONS_MAX = 20;

/** The client of a request. */
export interface ExchangeCaller {
  /** The client class in the configuration; '' where it knows no clients. */
  readonly className: string;
  /** The caller, without secrets: a name, an address or a digest. */
  readonly label: string;
  /** The name of the caller in the configuration; '' where it has none there. */
  readonly name: string;
}

const UNKNOWN: ExchangeCaller = { className: '', label: '', name: '' };

/** The calls of backends in a request. */
class UpstreamRecord {
  /** Calls made: 1 for SOAP, any number for GraphQL. */
  calls = 0;
  millis = 0;
  /** Bytes of replies that were skipped because no query selected them. */
  bytesSkipped = 0;
  /** At most `REPLIES_MAX`. */
  replySizes: ReplySize[] | null = null;
  /** Calls of operations that are declared to read; null for none. */
  cacheUses: CacheUse[] | null = null;
  /** Which of two backends was called; null where the service has one. */
  backend: 'stable' | 'canary' | 'both' | null = null;
  /** Exchanges with backends that were to be recorded; null for none. */
  recordings: Recording[] | null = null;
}

/** Whether an exchange with a backend is recorded. */
interface Recording {
  readonly service: string;
  /** `skipped`: it is beyond a limit; `failed`: files cannot be written. */
  readonly outcome: 'taken' | 'skipped' | 'failed';
}

/** A request over GraphQL; as it is set here for any other. */
class GraphqlRecord {
  /** The name that the document gives the operation; '' for none. Of the caller. */
  operationName = '';
  /** The name and version that the client gives itself; '' for none. */
  clientName = '';
  clientVersion = '';
  cost: number | null = null;
  /** The cost by the size of the reply; null where it is not known. */
  actualCost: number | null = null;
  /** The uses of its operations; null where none was admitted. */
  used: observing.OperationUse[] | null = null;
  /** The call that failed last. */
  failedCall: { readonly service: string; readonly operation: string } | null = null;
  /** The limit that it was refused for. */
  exceededLimit: string | null = null;
  /** Fields that its caller got masked, or not at all; null for none. */
  decisions: FieldDecisions[] | null = null;
}

/**
 * The record of one request, filled in as it becomes known and read once, by `finish`. Every field
 * is set from the start, so that all exchanges have one shape.
 */
export class Exchange {
  readonly id: string;
  /** The address of the client: that of the connection, or the one that a trusted proxy names. */
  readonly client: string;
  /** The address of the connection. */
  readonly peer: string;
  readonly method: string;
  /** The connection is encrypted by the gateway itself. */
  isTls = false;
  /** Callers are told what was wrong with their request. Of the configuration. */
  explainsRefusals = true;
  readonly startedMillis: number = performance.now();
  /**
   * The route comes from the configuration, never from the request. It is a service's name,
   * `graphql`, `wsdl`, a plain route's path, or `none`.
   */
  route = 'none';
  /** The configured path that the request came to; '' where that is not one of the gateway. */
  path = '';
  /** The operation, as the WSDL or the schema names it, or `_other`; '' where there is none. */
  operation = '';
  dialect = '';
  /** The dialect that its message was put into for the backend; '' where it stayed in its own. */
  bridgedTo = '';
  caller: ExchangeCaller = UNKNOWN;
  status = 0;
  outcome: Outcome = 'ok';
  refusal: Refusal | null = null;
  /** The first `retryAfter` of its refusals: several fields, or items of a batch, may fail. */
  retryAfter: string | null = null;
  /** The local part of the fault code the backend answered with. */
  faultCode: string | null = null;
  /** What was not valid in the Fault of the answer and was written anew; null: nothing. */
  repairedFault: string | null = null;
  /**
   * Who sent the message by its Security block, verified up to Body: a subject, a user; null where
   * that is not verified.
   */
  sender: string | null = null;
  bytesIn = 0;
  bytesOut = 0;
  /** Written by calls of backends. */
  readonly upstream = new UpstreamRecord();
  /** Written by the GraphQL endpoint. */
  readonly graphql = new GraphqlRecord();
  /** Answers of the decision point; null for none. */
  policyResults: ('allowed' | 'denied' | 'failed')[] | null = null;
  /** Measured limits that it was beyond. */
  measuredLimits: readonly string[] | null = null;
  /** Deviations of replies that were tolerated; null for none. */
  tolerated: tolerated.ToleratedDeviation[] | null = null;
  /** Deviations of replies for which `tolerate` has a name that was not given; null for none. */
  tolerable: tolerated.ToleratedDeviation[] | null = null;
  /** Content of its messages that broke the schema; at most `VIOLATIONS_MAX`. */
  violations: ContentViolation[] | null = null;
  /** Time of the event loop spent on reading it, as far as that was measured. */
  workMillis = 0;
  /**
   * From the start until the head of a SOAP request was validated and the rest might stream; null
   * if that did not happen.
   */
  heldMillis: number | null = null;
  /** Encrypts a Fault of the gateway for the caller; null: it goes out as it is. */
  sealFault: ((fault: Buffer) => Buffer) | null = null;
  /** Follows the calls that are made for it; null for none. */
  observer: observing.RequestObserver | null = null;
  /** What an observer adds to the log line: JSON from a comma on; '' for nothing. */
  loggedFields = '';
  /** What metrics name as an example of their values; null for none. */
  exemplar: string | null = null;

  constructor(id: string, peer: string, method: string, client = peer) {
    this.id = id;
    this.peer = peer;
    this.client = client;
    this.method = method;
  }

  /** The record of work that is done later for the same caller, on the same route. */
  followUp(method: string): Exchange {
    const next = new Exchange(nextExchangeId(), this.peer, method, this.client);
    next.route = this.route;
    next.caller = { ...this.caller, name: '' };
    return next;
  }

  /** Adds the client, once it is known. */
  identify(client: {
    readonly className: string;
    readonly label: string;
    readonly name: string | null;
  }): void {
    this.caller = { className: client.className, label: client.label, name: client.name ?? '' };
  }

  refuse(refusal: Refusal): void {
    this.refusal = refusal;
    this.retryAfter ??= refusal.retryAfter;
    const { blame } = refusal.kind;
    if (refusal.code === 'SOAP_FAULT') {
      this.outcome = 'fault';
    } else if (refusal.code === 'CLIENT_GONE') {
      this.outcome = 'aborted';
    } else {
      this.outcome = blame === 'client' || blame === 'peer' ? 'refused' : 'failed';
    }
  }
}

const PREFIX = Math.floor(Math.random() * 0x7fff_ffff).toString(36);
let counter = 0;

/**
 * An id for one exchange: unique within and, very likely, across processes. It names no client and
 * holds no input.
 */
export function nextExchangeId(): string {
  counter = (counter + 1) % Number.MAX_SAFE_INTEGER;
  return `${PREFIX}-${counter.toString(36)}`;
}
