import { createHash } from 'node:crypto';
import { claimsOf } from '../../access/client.js';
import type { Policy } from '../../access/policy.js';
import type { SoapService } from '../../compile/soap/service.js';
import { type observing, Refusal, type sharedState } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import type { fieldRights } from '../../graphql/index.js';
import type { UpstreamRequest } from '../../upstream/index.js';
import { encryption } from '../../wss/index.js';
import { affinityOf } from '../calls/affinity.js';
import { authorizeAndChargeOther, CallGuard } from '../calls/authorize.js';
import { subjectOf } from '../calls/caller-parts.js';
import { backendOf } from '../calls/canary-choice.js';
import { soapConsultation } from '../calls/consult-policy.js';
import type { KeyedRequest } from '../calls/declared-call.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import type { Observers } from '../calls/observation.js';
import { blocksOfSoapCall } from '../calls/own-blocks.js';
import type { SharedCalls } from '../calls/shared-calls.js';
import { keyedBytes, keyIn } from '../idempotency/keyed-request.js';
import { refusalOfEncrypted } from '../reply/decrypting-gate.js';
import { SoapAnswer } from './answer.js';
import type { SoapContext } from './context.js';
import { forward } from './forward.js';
import { type Intake, intakeEnvelope } from './intake.js';
import { boundUpstream, isHandshake } from './passthrough.js';
import { type PostHead, readSoapRequestHead } from './request-head.js';
import { checkBareRequest } from './request-policy.js';
import { contentFieldsOf, upstreamHeaders } from './upstream-head.js';

/** The shared parts of the SOAP services of one generation. */
export interface SoapEndpoint {
  readonly calls: SharedCalls;
  /** Null where no subscription waits for what calls bring. */
  readonly observers: Observers | null;
  /** The nonces that all processes know; null where each is alone. */
  readonly nonces: sharedState.NonceStore | null;
  /** Null where none is asked. */
  readonly decisionPoint: Policy | null;
  /**
   * The rules that callers must meet to get the replies of an operation, by `service.operation`.
   */
  readonly closedReplies: ReadonlyMap<string, fieldRights.FieldRule>;
  /** Clients are configured, so there are rights and budgets to check. */
  readonly isGuarded: boolean;
  /** A service in monitor mode let through what it would have refused. */
  readonly onViolation: (exchange: Exchange) => (refusal: Refusal) => void;
}

/**
 * Answers one SOAP request with the reply of its backend; `written` is the query of its target, ''
 * for none. Rejects with a refusal, to be answered by `refuseSoap`.
 */
export async function answerSoap(
  { calls, observers, nonces, decisionPoint, closedReplies, isGuarded, onViolation }: SoapEndpoint,
  asked: HttpExchange,
  service: SoapService,
  written: string,
): Promise<void> {
  const { caller, exchange, request } = asked;
  // The backend may read an invalid message as another operation: only clients with all rights may
  // send one.
  const guard = isGuarded
    ? new CallGuard(caller, service, closedReplies, decisionPoint !== null)
    : null;
  const isRestricted = guard?.isRestricted === true;
  const isStep = isHandshake(request, service);
  // A backend may choose the operation by it, which no right could follow, and no Security block
  // that is not there.
  const query = isRestricted || (isStep && service.verification !== null) ? '' : written;
  const isEnforced = service.mode === 'enforce' || isRestricted;
  const gate = isEnforced ? service.gate : { ...service.gate, onViolation: onViolation(exchange) };
  const affinity = affinityOf(service.reach, request.headers, caller.client);
  const upstream = boundUpstream(request, service);
  // Written out and not spread: a copy of a context took 8 µs of each request, and look-ups in it
  // missed their caches.
  const context: SoapContext = {
    exchange,
    service,
    gate,
    answer: new SoapAnswer(asked),
    calls,
    affinity,
    blocks: null,
    upstream,
    observation: null,
  };
  if (isStep) {
    if (isGuarded) {
      authorizeAndChargeOther(caller, caller.client.rights.permitsSome(service.name));
    }
    return forwardStep(context, asked, query);
  }

  const head = readSoapRequestHead(request, service, gate.onViolation);
  const consult = soapConsultation(decisionPoint, asked, service);
  if (head.method === 'GET') {
    checkBareRequest(service, query, gate.onViolation);
    guard?.authorizeAndCharge(null);
    await consult?.(null);
    asked.ending.throwIfGone();
    return forwardGet(await called(context, asked), asked, query);
  }

  const keptBytes = keyedBytes(service, request.headers);
  const intake = await intakeEnvelope(asked, head, {
    service,
    gate,
    guard,
    observers,
    calls,
    consult,
    nonces,
    bufferBytes: bufferBytesOf(service, head, keptBytes),
    isRequest: true,
    isKeyed: keptBytes !== null,
  });
  const { decrypting, received } = intake;
  const bodyKey = decrypting?.decryption.bodyKey ?? null;
  if (service.encryptsAnswers && bodyKey !== null) {
    context.answer.changeBy(() => encryption.encryptAnswer(bodyKey, service.readers));
  }
  const isKeyed = isEnforced && keptBytes !== null;
  context.answer.verification = decrypting;
  try {
    const chosen = service.canary === null ? context : await called(context, asked);
    await forwardEnvelope(chosen, asked, head, intake, { query, isEnforced, isKeyed });
  } catch (caught) {
    const body = received.kind === 'flowing' ? received.body : null;
    throw decrypting === null
      ? caught
      : await refusalOfEncrypted(caught, decrypting, exchange, body);
  }
  if (intake.received.kind === 'flowing') {
    exchange.bytesIn = intake.reader.bytes;
  }
}

/** The context with the service as it is called for this caller, where it has two backends. */
async function called(context: SoapContext, asked: HttpExchange): Promise<SoapContext> {
  const { service } = context;
  if (service.canary === null) return context;
  const {
    caller: { client },
    exchange,
    request: { headers },
  } = asked;
  const chosen = await backendOf(service, { client, headers, exchange });
  return { ...context, service: chosen, affinity: affinityOf(chosen.reach, headers, client) };
}

/** What a call reports to; null where nothing observes calls. */
const observerOf = (
  { exchange, service }: SoapContext,
  operation: string,
  method = 'POST',
): observing.CallObserver | null =>
  exchange.observer === null ? null : exchange.observer.call(service.name, operation, method);

/** Forwards a step of NTLM or Negotiate, which has no content. */
function forwardStep(
  context: SoapContext,
  { request }: HttpExchange,
  query: string,
): Promise<void> {
  const fields = upstreamHeaders(request, context.service, context.exchange, null, null);
  const observer = observerOf(context, '');
  return forward(context, { method: 'POST', query, ...fields, body: null, observer }, null);
}

function forwardGet(context: SoapContext, { request }: HttpExchange, query: string): Promise<void> {
  const { affinity, service, exchange } = context;
  const fields = upstreamHeaders(request, service, exchange, null, null);
  const observer = observerOf(context, '', 'GET');
  const call: UpstreamRequest = { method: 'GET', query, ...fields, body: null, affinity, observer };
  return forward(context, call, null);
}

/** How many bytes of a message are collected before it is sent on; null: it flows. */
function bufferBytesOf(
  service: SoapService,
  head: PostHead,
  keptBytes: number | null,
): number | null {
  const { signing, encryption, replacesSecurity, bridged, dialects } = service;
  const isSealed = replacesSecurity && (signing !== null || encryption !== null);
  const isUnknown = head.bodyBytes === null || (replacesSecurity && encryption !== null);
  const decrypts = service.verification !== null && service.verification.decryption !== null;
  const isEncrypted = encryption !== null && (replacesSecurity || decrypts);
  if (head.package !== null && isEncrypted && keptBytes === null) return service.heldBytes;
  // The dialect of calls may need a length that the dialect of the caller does not.
  const isOther = bridged.size > 0 || encryption !== null;
  const needsLength = isOther && dialects[0].needsContentLength;
  if (needsLength && isUnknown && keptBytes === null) return service.heldBytes;
  return keptBytes ?? (isUnknown || isSealed ? service.bufferBytes : null);
}

interface EnvelopeCall {
  readonly query: string;
  readonly isEnforced: boolean;
  /** The request may have an idempotency key. */
  readonly isKeyed: boolean;
}

/** Forwards an envelope that passed the gate. */
function forwardEnvelope(
  context: SoapContext,
  asked: HttpExchange,
  head: PostHead,
  intake: Intake,
  { query, isEnforced, isKeyed }: EnvelopeCall,
): Promise<void> {
  const { service, exchange, gate, upstream } = context;
  const { caller, request } = asked;
  const { received, envelope, policy } = intake;
  const { known, textAtPath } = policy;
  const affinity =
    textAtPath === null && caller.client.decided === null
      ? context.affinity
      : affinityOf(service.reach, request.headers, caller.client, textAtPath);
  const { headers, spellings } = forwardedHeaders(asked, service, head, intake, isEnforced);
  const { encoding, decrypting } = intake;
  const wasEncrypted = decrypting?.decryption.isEncrypted === true;
  const form = { encoding, packageType: head.package, wasEncrypted };
  const blocks = blocksOfSoapCall(envelope, service, form, claimsOf(caller.client));
  const isAlone =
    head.package !== null || query !== '' || gate.onViolation !== null || service.bound !== null;
  const content = received.kind === 'whole' && !isAlone ? policy.content(envelope) : null;
  const operation = known?.operation ?? null;
  const { className, label } = exchange.caller;
  // Written out, as above.
  const sent = callOf(query, {
    headers,
    spellings,
    body: received.kind === 'whole' ? received.message : received.body,
    operation: operation?.name ?? null,
    affinity,
    className,
    caller: label,
    isIdempotent: known?.candidates.every(service.isIdempotent) === true,
    rules: upstream === null ? service.callRules(operation) : null,
    subject: subjectOf(service, caller.client),
    observer: observerOf(context, exchange.operation),
  });
  const { answer, calls } = context;
  const { observation } = policy;
  return forward(
    { exchange, service, gate, answer, calls, affinity, blocks, upstream, observation },
    sent,
    operation,
    envelope.addressing?.messageId ?? null,
    content === null ? null : { client: caller.client, content },
    isKeyed ? keyedRequest(asked, service, intake) : null,
  );
}

type PostCall = Required<Omit<UpstreamRequest, 'method' | 'insertion' | 'query'>>;

/** The members in an order that all calls have. */
const callOf = (
  query: string,
  {
    headers,
    spellings,
    body,
    operation,
    affinity,
    className,
    caller,
    isIdempotent,
    rules,
    subject,
    observer,
  }: PostCall,
): UpstreamRequest => ({
  method: 'POST',
  query,
  headers,
  spellings,
  body,
  operation,
  isIdempotent,
  affinity,
  className,
  caller,
  rules,
  subject,
  observer,
});

/**
 * A message under its key; null without one. Throws `HTTP_TOO_LARGE` for one that cannot be held
 * whole.
 */
function keyedRequest(
  { caller, request: { headers } }: HttpExchange,
  service: SoapService,
  { received, envelope, policy, encoding }: Intake,
): KeyedRequest | null {
  const operation = policy.known?.operation ?? null;
  const key = keyIn(service, operation, headers, null);
  if (operation === null || key === null) return null;
  if (received.kind !== 'whole') {
    throw new Refusal('HTTP_TOO_LARGE', 'a message with an idempotency key');
  }
  const { message } = received;
  const digest = policy.contentDigest ?? createHash('sha256').update(message).digest('base64url');
  return {
    key,
    client: caller.client,
    // The kept answer is one of this version.
    content: JSON.stringify([envelope.dialect?.name, policy.action, digest]),
    sender: policy.sender({ envelope, message, encoding }),
    messageId: envelope.addressing?.messageId ?? null,
    group: null,
  };
}

/** The header fields that the message is sent on with. */
function forwardedHeaders(
  { request, exchange }: HttpExchange,
  service: SoapService,
  head: PostHead,
  { received, envelope, policy, encoding }: Intake,
  isEnforced: boolean,
): ReturnType<typeof upstreamHeaders> {
  const mediaType = head.package === null ? head.mediaType : null;
  const fields = contentFieldsOf(request, isEnforced, policy, envelope, mediaType, encoding);
  let { bodyBytes } = head;
  if (received.kind === 'whole') {
    bodyBytes = received.message.length;
  } else if (bodyBytes !== null) {
    bodyBytes += received.growthBytes;
  }
  const upstream = upstreamHeaders(request, service, exchange, fields, bodyBytes);
  const coding = head.isUnread ? request.headers['content-encoding'] : undefined;
  if (coding !== undefined) {
    upstream.headers.push('content-encoding', coding);
  }
  return upstream;
}
