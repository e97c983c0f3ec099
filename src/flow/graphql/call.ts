import { createHash } from 'node:crypto';
import { type Decoded, requestEncoding } from '../../codec/index.js';
import { KIB, Refusal, TimeSlices } from '../../core/index.js';
import type { FieldCall } from '../../graphql/index.js';
import type { UpstreamRequest } from '../../upstream/index.js';
import { affinityOf, textInRequest } from '../calls/affinity.js';
import { pushCallerFields } from '../calls/caller-fields.js';
import { callUpstream, type KeyedRequest } from '../calls/declared-call.js';
import { envelopeContent } from '../calls/message-content.js';
import { observeRequest } from '../calls/observation.js';
import { blocksOfField } from '../calls/own-blocks.js';
import { keyIn } from '../idempotency/keyed-request.js';
import type { CallContext } from './call-context.js';
import { type CallMessage, withLength, writeCallMessage } from './call-message.js';
import { DecodedReply } from './decoded-reply.js';

/** A call for a longer request, or with a longer message, shares the event loop. */
const LONG_BYTES = 128 * KIB;
/** To read, to write and to send a megabyte in one turn would hold the event loop. */
const slices = new TimeSlices();

/**
 * Calls one operation for a GraphQL field: encode, call, validate, decode while it streams. Rejects
 * with a `Refusal`, which is a `SoapFaultError` where the backend answered with a Fault.
 */
export async function callOperation(field: FieldCall, context: CallContext): Promise<Decoded> {
  const { service, exchange } = context;
  if (exchange.bytesIn > LONG_BYTES) {
    await slices.pause();
  }
  const isAddressed = service.addressing?.has(field.bound.operation) === true;
  const messageId = isAddressed ? requestEncoding.newMessageId() : null;
  const message = writeCallMessage(field, context, messageId);
  if (message.envelope.length > LONG_BYTES) {
    await slices.pause();
  }
  // What is signed has to be whole.
  const bufferBytes = service.signing === null ? service.bufferBytes : service.heldBytes;
  const whole = message.hasFiles ? await withLength(message, bufferBytes) : message;
  return sendMessage(field, context, whole, messageId);
}

function sendMessage(
  field: FieldCall,
  context: CallContext,
  written: CallMessage,
  messageId: string | null,
): Promise<Decoded> {
  const {
    service,
    exchange,
    signal,
    headers: callerHeaders,
    rawHeaders = null,
    subject = null,
    sharing = null,
  } = context;
  const { operation, requestPlan } = field.bound;
  const { envelope, headers, body } = written;
  const observation = context.observers?.begin(service.name, operation.name) ?? null;
  if (observation !== null) {
    observeRequest(observation, service, operation, written.hasFiles ? envelope : written.plain());
  }
  const spellings = pushCallerFields(headers, service, {
    headers: callerHeaders,
    rawHeaders,
    address: exchange.peer,
    isTls: exchange.isTls,
  });
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Refusal('CLIENT_GONE'));
    const sent = {
      operation,
      messageId: requestEncoding.writesMessageId(requestPlan) ? null : messageId,
    };
    const reply = new DecodedReply(context, observation, sent, field, resolve, reject);
    const textAtPath = textInRequest(service, operation, envelope);
    const affinity = affinityOf(
      service.reach,
      callerHeaders,
      sharing === null ? null : sharing.client,
      textAtPath,
    );
    const request: UpstreamRequest = {
      method: 'POST',
      query: '',
      headers,
      spellings,
      body,
      operation: operation.name,
      isIdempotent: service.isIdempotent(operation),
      affinity,
      className: exchange.caller.className,
      caller: exchange.caller.label,
      rules: service.callRules(operation),
      subject,
      observer: exchange.observer?.call(service.name, operation.name) ?? null,
    };
    const rule = written.isCompared ? (sharing?.calls.rule(service, operation) ?? null) : null;
    const { action } = service.callHead(operation);
    const isAddressed = messageId !== null;
    const content =
      rule === null
        ? null
        : envelopeContent(rule, service, written.plain(), { action, isAddressed });
    const message =
      content === null || sharing === null ? null : { client: sharing.client, content };
    const blocks = blocksOfField(service, written, context.claims);
    const keyed = keyedRequest(field, context, written, sent.messageId);
    const parts = {
      exchange,
      service,
      operation,
      request,
      message,
      keyed,
      receiver: reply,
      blocks,
    };
    const declared = context.relay?.(parts) ?? sharing?.calls.start(parts) ?? null;
    const call = declared ?? callUpstream(parts);
    const onAbort = (): void => reply.abort(new Refusal('CLIENT_GONE'));
    signal.addEventListener('abort', onAbort, { once: true });
    reply.begin(call, declared, () => signal.removeEventListener('abort', onAbort));
  });
}

/** The request of a field under its idempotency key; null without one. */
function keyedRequest(
  { bound: { operation }, key: field }: FieldCall,
  { service, headers, sharing = null, keyed = null }: CallContext,
  message: CallMessage,
  messageId: string | null,
): KeyedRequest | null {
  if (sharing === null || keyed === null || field === undefined) return null;
  const key = keyIn(service, operation, headers, keyed.ownKey);
  if (key === null) return null;
  // A file cannot be compared before it is sent.
  if (message.hasFiles) {
    throw new Refusal('BAD_REQUEST', 'A file cannot be sent under an idempotency key.');
  }
  return {
    key,
    client: sharing.client,
    content: createHash('sha256').update(message.keyed()).digest('base64url'),
    // The gateway has written the message: credentials that go with it are header fields.
    sender: [],
    messageId,
    group: keyed.groupOf(field),
  };
}
