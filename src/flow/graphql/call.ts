import { Refusal } from '../../base/refusal.js';
import type { Decoded } from '../../codec/plan/plan.js';
import { encodeRequest } from '../../codec/write/encode.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import { printMediaType } from '../../soap/media-type.js';
import { printableAction } from '../../soap/soap-action.js';
import type { UpstreamRequest } from '../../upstream/reply.js';
import { envelopeKey } from '../calls/call-key.js';
import { pushCallerFields } from '../calls/caller-fields.js';
import { callUpstream } from '../calls/declared-call.js';
import { observeRequest } from '../calls/observation.js';
import { type CallContext, DecodedReply } from './decoded-reply.js';

/**
 * Calls one operation for a GraphQL field: encode, call, validate, decode while it streams. Rejects with a `Refusal`,
 * which is a `SoapFaultError` where the backend answered with a Fault.
 */
export function callOperation(field: FieldCall, context: CallContext): Promise<Decoded> {
  const { service, exchange, signal, headers: callerHeaders, claims, limits } = context;
  const { operation, requestPlan } = field.bound;
  const [dialect] = service.dialects;
  const values = { arguments: field.arguments, headers: field.headers, context: { headers: callerHeaders, claims } };
  const body = encodeRequest(requestPlan, dialect, values, limits);
  const observation = context.observers?.begin(service.name, operation.name) ?? null;
  if (observation !== null) observeRequest(observation, service, operation, body);
  const action = printableAction(operation.soapAction);
  const headers = ['content-type', printMediaType(dialect, action), 'accept', dialect.mediaType];
  if (dialect.actionHeader) headers.push('soapaction', `"${action ?? ''}"`);
  pushCallerFields(headers, service, { headers: callerHeaders, address: exchange.client });
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Refusal('CLIENT_GONE'));
    const reply = new DecodedReply(context, observation, operation, field.plan, resolve, reject);
    const isIdempotent = service.isIdempotent(operation);
    const request: UpstreamRequest = { method: 'POST', query: '', headers, body, isIdempotent };
    const { sharing = null } = context;
    const rule = sharing?.calls.rule(service, operation) ?? null;
    const key =
      rule === null || sharing === null
        ? null
        : envelopeKey(rule, service, body, action, { client: sharing.client, headers: callerHeaders });
    const parts = { exchange, service, operation, request, key, receiver: reply };
    const declared = sharing?.calls.start(parts) ?? null;
    const call = declared ?? callUpstream(parts);
    const onAbort = (): void => reply.abort(new Refusal('CLIENT_GONE'));
    signal.addEventListener('abort', onAbort, { once: true });
    reply.begin(call, declared, () => signal.removeEventListener('abort', onAbort));
  });
}
