import { Refusal, type RefusalCode, type refusals } from '../core/index.js';
import type { CallOutcome } from './breaker.js';
import { UNAVAILABLE } from './upstream-refusals.js';

/**
 * What a call that ended without a result shows of the address:
 *
 * - `unavailable`: no whole answer could be had.
 * - `overloaded`: the backend, or a proxy before it, answered that it cannot serve now.
 * - `misdelivered`: an answer belongs to another request.
 * - `unreadable`: an answer of HTTP that is no SOAP message, such as a page of HTML.
 * - `content`: a message was read and refused for what it holds.
 * - `answer`: an answer that is none of success, such as a Fault or a challenge.
 * - `oversize`: an answer is larger than the gateway reads.
 * - `unsent`: the address was not called.
 */
type Finding =
  | 'unavailable'
  | 'overloaded'
  | 'misdelivered'
  | 'unreadable'
  | 'content'
  | 'answer'
  | 'oversize'
  | 'unsent';

/** How the end of a call counts. The breaker, and the comparison of addresses, take `outcome`. */
export interface ReplyEffects {
  /**
   * `by status`: a failure without a status and with those of a proxy whose server fails; see
   * `outcomeByStatus`.
   */
  readonly outcome: CallOutcome | 'by status';
  /** The rest of the answer is read, if it is short, and the connection is used again. */
  readonly keepsConnection: boolean;
  /**
   * No connection to the address is used twice for a time, and what its answers left is dropped.
   */
  readonly isSuspect: boolean;
}

const EFFECTS: Readonly<Record<Finding, ReplyEffects>> = {
  unavailable: { outcome: 'failed', keepsConnection: false, isSuspect: false },
  overloaded: { outcome: 'failed', keepsConnection: true, isSuspect: false },
  misdelivered: { outcome: 'failed', keepsConnection: false, isSuspect: true },
  unreadable: { outcome: 'by status', keepsConnection: true, isSuspect: false },
  content: { outcome: 'answered', keepsConnection: true, isSuspect: false },
  answer: { outcome: 'answered', keepsConnection: true, isSuspect: false },
  oversize: { outcome: 'answered', keepsConnection: false, isSuspect: false },
  unsent: { outcome: 'none', keepsConnection: false, isSuspect: false },
};

/** Codes of one who is to blame. */
type CodesOf<B extends refusals.RefusalKind['blame']> = {
  [C in RefusalCode]: refusals.RefusalTable[C]['blame'] extends B ? C : never;
}[RefusalCode];

/**
 * Each refusal that the end of a call can have, with what it shows. A new code of the upstream, or
 * of a message, does not compile without a row. A refusal of a message that became
 * `UPSTREAM_INVALID_RESPONSE` has the row of its cause.
 */
const FINDINGS: Readonly<Record<CodesOf<'upstream' | 'peer'>, Finding>> = {
  UPSTREAM_UNREACHABLE: 'unavailable',
  UPSTREAM_CONNECT_TIMEOUT: 'unavailable',
  UPSTREAM_TLS: 'unavailable',
  UPSTREAM_TIMEOUT: 'unavailable',
  UPSTREAM_IDLE_TIMEOUT: 'unavailable',
  UPSTREAM_RESET: 'unavailable',
  UPSTREAM_TRUNCATED: 'unavailable',
  UPSTREAM_OVERLOADED: 'overloaded',
  UPSTREAM_DESYNC: 'misdelivered',
  UPSTREAM_INVALID_RESPONSE: 'unreadable',
  UPSTREAM_RESPONSE_LIMIT: 'oversize',
  UPSTREAM_SCHEMA_INVALID: 'content',
  UPSTREAM_REDIRECT: 'answer',
  UPSTREAM_AUTH: 'answer',
  SOAP_FAULT: 'answer',
  GRAPHQL_UPSTREAM_ERROR: 'answer',
  CIRCUIT_OPEN: 'unsent',
  POOL_EXHAUSTED: 'unsent',

  XML_NOT_WELLFORMED: 'unreadable',
  XML_DTD_FORBIDDEN: 'unreadable',
  XML_VERSION: 'unreadable',
  XML_ENCODING: 'unreadable',
  XML_NS_ERROR: 'unreadable',
  SOAP_NOT_ENVELOPE: 'unreadable',
  ENCODING_CORRUPT: 'unreadable',

  XML_PI_FORBIDDEN: 'content',
  XML_DEPTH_LIMIT: 'content',
  XML_CHILD_LIMIT: 'content',
  XML_ELEMENT_LIMIT: 'content',
  XML_ATTR_LIMIT: 'content',
  XML_ATTR_VALUE_LIMIT: 'content',
  XML_NAME_LIMIT: 'content',
  XML_NS_LIMIT: 'content',
  XML_TEXT_LIMIT: 'content',
  XML_COMMENT_LIMIT: 'content',
  XML_IDENTITY_LIMIT: 'content',
  XML_MESSAGE_LIMIT: 'oversize',
  SOAP_STRUCTURE: 'content',
  SOAP_HEADER_LIMIT: 'content',
  SOAP_MULTI_BODY: 'content',
  SOAP_FAULT_CODE: 'content',
  SOAP_ENCODING_NAMESPACE: 'content',
  SOAP_ARRAY_LIMIT: 'content',
  VERSION_MISMATCH: 'content',
  MUST_UNDERSTAND: 'content',
  RESERVED_HEADER: 'content',
  DATA_ENCODING_UNKNOWN: 'content',
  WSSE_STRUCTURE: 'content',
  WSSE_DUPLICATE_ID: 'content',
  MTOM_STRUCTURE: 'content',
  MTOM_EXTERNAL_HREF: 'content',
  DECOMPRESSION_LIMIT: 'oversize',
};

/** How a refusal counts that ended a call, where the answer had this status; 0 for none. */
export function effectsOf(refusal: Refusal, status: number): ReplyEffects {
  const effects = EFFECTS[findingOf(refusal)];
  if (status !== 0) return effects;
  // A refusal without an answer that is no failure says nothing of the address.
  const isFailure = effects.outcome === 'failed' || effects.outcome === 'by status';
  return isFailure && refusal.isOfBackend(status) ? effects : EFFECTS.unsent;
}

/** The end of a call as the breaker counts it. */
export function outcomeOf(refusal: Refusal, status: number): CallOutcome {
  const { outcome } = effectsOf(refusal, status);
  return outcome === 'by status' ? outcomeByStatus(status) : outcome;
}

/** Whether a call that ended with this code shows that answers of its address are mixed up. */
export const isSuspect = (code: RefusalCode): boolean =>
  isOfReply(code) && EFFECTS[FINDINGS[code]].isSuspect;

/**
 * Some stacks answer a caller's error with a 500 that is no envelope: it must not open the breaker.
 */
function outcomeByStatus(status: number): CallOutcome {
  if (status === 0 || UNAVAILABLE.has(status)) return 'failed';
  return status < 300 ? 'invalid' : 'answered';
}

function findingOf({ code, cause }: Refusal): Finding {
  if (!isOfReply(code)) return 'unsent';
  if (!OF_MESSAGES.has(code) || !(cause instanceof Refusal)) return FINDINGS[code];
  // Refusals of signatures and tokens are those of requests.
  return isOfReply(cause.code) ? FINDINGS[cause.code] : 'content';
}

/** The codes that the refusal of a message becomes (`asUpstream`). */
const OF_MESSAGES: ReadonlySet<RefusalCode> = new Set([
  'UPSTREAM_INVALID_RESPONSE',
  'UPSTREAM_RESPONSE_LIMIT',
]);

const isOfReply = (code: RefusalCode): code is keyof typeof FINDINGS =>
  Object.hasOwn(FINDINGS, code);
