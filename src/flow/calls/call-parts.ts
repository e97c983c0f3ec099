import { randomUUID } from 'node:crypto';
import { FORWARDING_FIELDS } from '../../access/network/forwarding.js';
import type { SoapService } from '../../compile/soap/service.js';
import type { Upstream, UpstreamRequest } from '../../upstream/index.js';
import type { CallParts } from './declared-call.js';

/*
 * The one list of the parts of a call. Every key of a call is a view of it, so that no key has a
 * list of its own:
 *
 *     reply    coalesced calls and cached replies, by all that changes what the backend receives
 *     asker    idempotency keys, by all that tells one asker from another
 *
 * A part that is added to a call does not compile until its row says how it counts in each view.
 * The parts of a caller that calls are made from, before there is one, are in `caller-parts.ts`:
 * for polls, downloads and pages.
 */

/** A value of JSON that stands for one part in a key. */
export type KeyPart<Part, Whole> = (part: Part, whole: Whole) => unknown;

/** How one part counts, by view. */
type PartRow<View extends string, Part, Whole> = {
  readonly [Name in View]: KeyPart<Part, Whole>;
};

/** A row for each part. A part that is added to `Parts` does not compile until the table has it. */
export type PartTable<View extends string, Parts, Whole = Parts> = {
  readonly [Name in keyof Required<Parts>]: PartRow<View, Parts[Name], Whole>;
};

/** The parts as one view has them, in the order of the table. */
export function viewOf<View extends string, Parts extends object, Whole>(
  view: View,
  table: PartTable<View, Parts, Whole>,
  parts: Parts,
  whole: Whole,
): readonly unknown[] {
  const values: unknown[] = [];
  for (const name in table) {
    values.push(table[name][view](parts[name], whole));
  }
  return values;
}

/** A part that tells nothing apart. */
export const NO_PART: KeyPart<unknown, unknown> = () => null;

/** The views of a call. */
export type CallView = 'reply' | 'asker';

type Row<Part> = PartRow<CallView, Part, CallParts>;

/** The waiter for a reply, the choice among equal addresses, and time-outs change no reply. */
const IN_NO_VIEW: Row<unknown> = { reply: NO_PART, asker: NO_PART };

const inBoth = <Part>(part: KeyPart<Part, CallParts>): Row<Part> => ({ reply: part, asker: part });

/** The request that is sent. */
const REQUEST_PARTS: PartTable<CallView, UpstreamRequest, CallParts> = {
  method: inBoth((method) => method),
  query: inBoth((query) => query),
  headers: {
    reply: (headers, { service }) => fieldsOfReply(headers, service),
    asker: (headers) => fieldsOfAsker(headers),
  },
  // Names of fields are compared whatever their case.
  spellings: IN_NO_VIEW,
  // The body is compared by the content of the message, for it may be written in several ways.
  body: IN_NO_VIEW,
  insertion: IN_NO_VIEW,
  // The operation of the call counts.
  operation: IN_NO_VIEW,
  isIdempotent: IN_NO_VIEW,
  affinity: IN_NO_VIEW,
  className: IN_NO_VIEW,
  caller: IN_NO_VIEW,
  rules: IN_NO_VIEW,
  // The backend sees the subject. Of an idempotency key the user is the owner (`callClaim`),
  // whatever the scopes.
  subject: { reply: (subject) => subject?.key ?? null, asker: NO_PART },
  observer: IN_NO_VIEW,
};

/** All parts of a call. */
export const CALL_PARTS: PartTable<CallView, CallParts> = {
  // Each of two backends has its own answers. Under an idempotency key the first answer counts,
  // wherever it came from: asked again elsewhere, a write would be done twice.
  service: {
    reply: ({ name, chosen }) => (chosen === null ? name : [name, chosen.digest]),
    asker: ({ name, chosen }) => (chosen?.isAsked === true ? [name, chosen.digest] : name),
  },
  operation: inBoth((operation) => operation?.name ?? null),
  request: {
    reply: (request, whole) => viewOf('reply', REQUEST_PARTS, request, whole),
    asker: (request, whole) => viewOf('asker', REQUEST_PARTS, request, whole),
  },
  // Calls of a service that the gateway writes blocks into get the same ones about one subject,
  // with another nonce.
  blocks: inBoth((blocks) => (blocks === null ? null : [blocks.writers.length, blocks.subject])),
  message: { reply: (message) => message?.content.text ?? null, asker: NO_PART },
  // A call that writes has no key of a reply.
  keyed: {
    reply: NO_PART,
    asker: (keyed) => (keyed == null ? null : [keyed.content, keyed.sender]),
  },
  // No call over a connection that belongs to one caller has a key of a reply.
  upstream: { reply: NO_PART, asker: (upstream) => nameOfBound(upstream ?? null) },
  exchange: IN_NO_VIEW,
  receiver: IN_NO_VIEW,
  onRepaired: IN_NO_VIEW,
  keepsBytes: IN_NO_VIEW,
};

/** Fields that describe the message, whose content is compared. */
const DESCRIBING: ReadonlySet<string> = new Set(['content-type', 'content-length', 'soapaction']);

/**
 * Fields that name a program or a request and not its caller: with them hardly two calls would be
 * alike. A reply that depends on one says so in its Vary, and is not shared.
 */
const UNCOMPARED: ReadonlySet<string> = new Set([
  'accept',
  'user-agent',
  'x-request-id',
  'traceparent',
  'tracestate',
  'via',
]);

/**
 * Fields that name one request, or its way, and nothing of its caller: a repeated request may have
 * others.
 */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set([
  'x-request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'baggage',
  'via',
  'dpop',
  ...FORWARDING_FIELDS,
]);

/** Whether a field, by its name in lower case, tells askers apart. */
export const isOfAsker = (name: string): boolean =>
  !OF_ONE_REQUEST.has(name) && !name.startsWith('x-forwarded-');

/**
 * Whether replies are compared by a field, by its name in lower case. Any that is not known is one
 * of them.
 */
export const isComparedField = (name: string, { callerFields }: SoapService): boolean =>
  !UNCOMPARED.has(name) || callerFields.varying.includes(name);

/** The header fields that replies are compared by, in alphabetical order. */
const fieldsOfReply = (headers: readonly string[], service: SoapService): readonly string[] =>
  namedFields(headers, (name) => isComparedField(name, service));

/** The header fields that askers are compared by, in alphabetical order. */
const fieldsOfAsker = (headers: readonly string[]): readonly string[] =>
  namedFields(headers, isOfAsker);

function namedFields(
  headers: readonly string[],
  isCompared: (name: string) => boolean,
): readonly string[] {
  const fields: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? '';
    const value = headers[at + 1] ?? '';
    if (DESCRIBING.has(name) || !isCompared(name)) continue;
    // Many libraries send `*`, which means the same as no field (RFC 9110 section 12.5.4).
    if (name === 'accept-language' && value === '*') continue;
    fields.push(`${name}: ${value}`);
  }
  return fields.sort();
}

/**
 * The names of connections that belong to one caller each: the backend knows the caller by the
 * connection.
 */
const BOUND_NAMES = new WeakMap<Upstream, string>();

function nameOfBound(upstream: Upstream | null): string | null {
  if (upstream === null) return null;
  const known = BOUND_NAMES.get(upstream);
  if (known !== undefined) return known;
  const name = randomUUID();
  BOUND_NAMES.set(upstream, name);
  return name;
}
