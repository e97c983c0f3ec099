import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { KeyClaim } from '../../base/outcome-store.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { addressingBlocks, newMessageId, writesMessageId } from '../../codec/write/addressing-blocks.js';
import { encodeAttachments } from '../../codec/write/attachments.js';
import { encodeRequest } from '../../codec/write/encode.js';
import type { CallToCheck, FieldCall } from '../../graphql/run/field-call.js';
import { writePackage } from '../../soap/mime/write-package.js';
import type { UpstreamRequest } from '../../upstream/reply.js';
import { affinityOf, textInRequest } from '../calls/affinity.js';
import { pushCallerFields } from '../calls/caller-fields.js';
import { callUpstream } from '../calls/declared-call.js';
import { envelopeContent } from '../calls/message-content.js';
import { observeRequest } from '../calls/observation.js';
import { blocksOfField } from '../calls/own-blocks.js';
import { keyClaim, keyIn } from '../idempotency/keyed-request.js';
import type { CallContext } from './call-context.js';
import { DecodedReply } from './decoded-reply.js';

/** Throws `InputError`, or another `Refusal`, where the arguments of a call cannot be written. Sends nothing. */
export function checkCallArguments(
  { bound, arguments: values, headers: blocks }: CallToCheck,
  { service, headers, claims, limits }: Pick<CallContext, 'service' | 'headers' | 'claims' | 'limits'>,
): void {
  const { requestPlan } = bound;
  const context = { headers, claims };
  encodeRequest(requestPlan, service.dialects[0], { arguments: values, headers: blocks, context }, limits);
  encodeAttachments(requestPlan.attachments ?? [], { arguments: values, context }, limits);
}

/**
 * Calls one operation for a GraphQL field: encode, call, validate, decode while it streams. Rejects with a `Refusal`,
 * which is a `SoapFaultError` where the backend answered with a Fault.
 */
export function callOperation(field: FieldCall, context: CallContext): Promise<Decoded> {
  const { service, exchange, signal, headers: callerHeaders, claims, limits, subject = null } = context;
  const { operation, requestPlan } = field.bound;
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(operation) ?? null;
  const messageId = addressing === null ? null : newMessageId();
  const blocks = addressing === null || messageId === null ? [] : addressingBlocks(addressing, dialect, messageId);
  const requestContext = { headers: callerHeaders, claims, page: field.page ?? null };
  const values = { arguments: field.arguments, headers: field.headers, context: requestContext, blocks };
  const envelope = encodeRequest(requestPlan, dialect, values, limits);
  const attachments = encodeAttachments(requestPlan.attachments ?? [], values, limits);
  const observation = context.observers?.begin(service.name, operation.name) ?? null;
  if (observation !== null) observeRequest(observation, service, operation, envelope);
  const { action, fields, contentType } = service.callHead(operation);
  const packaged = attachments.length === 0 ? null : writePackage(envelope, contentType, attachments);
  const body = packaged?.body ?? envelope;
  const headers = packaged === null ? [...fields] : ['content-type', packaged.contentType, ...withoutType(fields)];
  pushCallerFields(headers, service, { headers: callerHeaders, address: exchange.peer, isTls: exchange.isTls });
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Refusal('CLIENT_GONE'));
    const sent = { operation, messageId: writesMessageId(requestPlan) ? null : messageId };
    const reply = new DecodedReply(context, observation, sent, field.plan, resolve, reject);
    const isIdempotent = service.isIdempotent(operation);
    const { sharing = null } = context;
    const textAtPath = textInRequest(service, operation, envelope);
    const affinity = affinityOf(service.reach, callerHeaders, sharing === null ? null : sharing.client, textAtPath);
    const rules = service.callRules(operation);
    const observer = exchange.observer?.call(service.name, operation.name) ?? null;
    const { name } = operation;
    const request: UpstreamRequest = {
      method: 'POST',
      query: '',
      headers,
      body,
      operation: name,
      isIdempotent,
      affinity,
      className: exchange.caller.className,
      rules,
      subject,
      observer,
    };
    // Attachments are not compared.
    const rule = packaged === null ? (sharing?.calls.rule(service, operation) ?? null) : null;
    // Without the MessageID, which is another in each call.
    const plain = (): Buffer =>
      addressing === null ? envelope : encodeRequest(requestPlan, dialect, { ...values, blocks: [] }, limits);
    const isAddressed = addressing !== null;
    const content = rule === null ? null : envelopeContent(rule, service, plain(), { action, isAddressed });
    const message = content === null || sharing === null ? null : { client: sharing.client, content };
    const blocks = blocksOfField(service, envelope, packaged?.envelopeOffset);
    const keyed = claimOf(field, context, request, plain);
    const parts = { exchange, service, operation, request, message, keyed, receiver: reply, blocks };
    const declared = context.relay?.(parts) ?? sharing?.calls.start(parts) ?? null;
    const call = declared ?? callUpstream(parts);
    const onAbort = (): void => reply.abort(new Refusal('CLIENT_GONE'));
    signal.addEventListener('abort', onAbort, { once: true });
    reply.begin(call, declared, () => signal.removeEventListener('abort', onAbort));
  });
}

/** What the idempotency key of the request claims for a field; null without one. Two fields of a request are two calls. */
function claimOf(
  { bound: { operation }, key: field }: FieldCall,
  { service, headers, sharing = null }: CallContext,
  request: UpstreamRequest,
  plain: () => Buffer,
): KeyClaim | null {
  if (sharing === null || field === undefined) return null;
  const key = keyIn(service, operation, headers);
  if (key === null) return null;
  const content = createHash('sha256').update(plain()).digest('base64url');
  const callMillis = service.upstream.totalMillis(request);
  return keyClaim(service, operation, key, sharing.client, { content, field }, callMillis);
}

/** Names and values in turn, without the media type. */
const withoutType = (fields: readonly string[]): readonly string[] =>
  fields.filter((_, at) => fields[at - (at % 2)] !== 'content-type');
