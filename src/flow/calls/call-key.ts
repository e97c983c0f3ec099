import { createHash } from 'node:crypto';
import type { ReadRule } from '../../cache/rules.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { ReplyHead, UpstreamRequest } from '../../upstream/reply.js';
import type { CallKey, CallParts } from './declared-call.js';

/** A value of JSON that stands for one part in the key of a call. */
type KeyPart<T, Whole> = (part: T, whole: Whole) => unknown;

/** How each part gets into the key. A part that is added to `Whole` does not compile until its table has it. */
type KeyParts<Whole, Context = Whole> = {
  readonly [Name in keyof Required<Whole>]: KeyPart<Whole[Name], Context>;
};

/** A part that changes no reply: who waits for it, which of several equal addresses is asked, and how long. */
const NO_PART: KeyPart<unknown, unknown> = () => null;

/** What is sent. The blocks that the gateway inserts are a part of the call. */
const REQUEST_PARTS: KeyParts<UpstreamRequest, CallParts> = {
  method: (method) => method,
  query: (query) => query,
  headers: (headers, { service }) => comparedFields(headers, service),
  // Names of fields are compared whatever their case.
  spellings: NO_PART,
  // The body is compared by the content of the message, for it may be written in several ways.
  body: NO_PART,
  insertion: NO_PART,
  // The operation of the call counts.
  operation: NO_PART,
  isIdempotent: NO_PART,
  affinity: NO_PART,
  className: NO_PART,
  rules: NO_PART,
  // The backend sees the subject.
  subject: (subject) => subject?.key ?? null,
  observer: NO_PART,
};

/** All that goes into a call. */
const CALL_PARTS: KeyParts<CallParts> = {
  service: ({ name }) => name,
  operation: (operation) => operation?.name ?? null,
  request: (request, whole) => keyParts(REQUEST_PARTS, request, whole),
  // All calls of a service that the gateway writes blocks into get the same ones about one subject, with another nonce.
  blocks: (blocks) => (blocks === null ? null : [blocks.writers.length, blocks.subject]),
  message: (message) => message?.content.text ?? null,
  // No call over a connection that belongs to one caller has a key.
  // A call that writes has no key of this kind.
  keyed: NO_PART,
  upstream: NO_PART,
  exchange: NO_PART,
  receiver: NO_PART,
};

function keyParts<Whole extends object, Context>(
  table: KeyParts<Whole, Context>,
  whole: Whole,
  context: Context,
): readonly unknown[] {
  const parts: unknown[] = [];
  for (const name in table) parts.push(table[name](whole[name], context));
  return parts;
}

/**
 * The key of a call by all that goes into it: calls with one key are the same to the backend, whichever caller they are
 * for. With the scope `client` each client has keys of its own. Null where calls cannot be compared.
 */
export function callKey(rule: ReadRule, call: CallParts): CallKey | null {
  const { message, upstream = null, service } = call;
  // A reply to a call with cookies may set some.
  if (message === null || upstream !== null || service.callerFields.passesCookies) return null;
  const client = rule.isShared ? null : message.client.id;
  const text = JSON.stringify([client, ...keyParts(CALL_PARTS, call, call)]);
  return {
    text: createHash('sha256').update(text).digest('base64url'),
    mayJoin: !message.content.isNumbered,
  };
}

/** Fields that describe the message, whose content is compared. */
const DESCRIBING: ReadonlySet<string> = new Set(['content-type', 'content-length', 'soapaction']);

/**
 * Fields that name a program or a request and not its caller: with them hardly two calls would be alike. A reply that
 * depends on one says so in its Vary, and is not shared.
 */
const UNCOMPARED: ReadonlySet<string> = new Set([
  'accept',
  'user-agent',
  'x-request-id',
  'traceparent',
  'tracestate',
]);

/** The header fields that calls are compared by, in alphabetical order. Any that is not known is one of them. */
function comparedFields(
  headers: readonly string[],
  { callerFields }: SoapService,
): readonly string[] {
  const fields: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? '';
    const value = headers[at + 1] ?? '';
    if (DESCRIBING.has(name) || (UNCOMPARED.has(name) && !callerFields.varying.includes(name)))
      continue;
    // Many libraries send `*`, which means the same as no field (RFC 9110 section 12.5.4).
    if (name === 'accept-language' && value === '*') continue;
    fields.push(`${name}: ${value}`);
  }
  return fields.sort();
}

/** Whether a reply depends on what calls are not compared by (RFC 9111 section 4.1). */
export function variesBeyondKey(head: ReplyHead, { callerFields }: SoapService): boolean {
  const field = head.header('vary');
  if (field === null) return false;
  const names = field.split(',').map((name) => name.trim().toLowerCase());
  return names.some(
    (name) => name === '*' || (UNCOMPARED.has(name) && !callerFields.varying.includes(name)),
  );
}
