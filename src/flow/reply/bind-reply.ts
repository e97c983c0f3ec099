import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, type refusals, type tolerated } from '../../core/index.js';
import type { Dialect, EnvelopeValidator } from '../../soap/index.js';
import type { ReplyHead } from '../../upstream/index.js';
import type { ElementDeclaration, Operation } from '../../wsdl/index.js';
import { escapeText, expandedName, type QName, referencesFor } from '../../xml/index.js';
import { wrapperOfBarePart } from './bare-part.js';
import { checkResultStatus } from './reply-head.js';
import type { ReplyTolerance } from './reply-tolerance.js';

/**
 * Holds a reply to its request, as far as no name of `tolerate` lets it pass, before anything of it
 * is let through: it is a Fault or the declared output of the operation, and relates to the message
 * that was sent where both have ids. Throws `UPSTREAM_INVALID_RESPONSE` for a Body that is empty
 * and should not be, and for a result with the status of a failure; `UPSTREAM_SCHEMA_INVALID` for
 * an element that is the output of no operation; else `UPSTREAM_DESYNC`: the answer to another
 * request is never delivered (catalogue U01).
 */
export function bindReply(
  envelope: EnvelopeValidator,
  head: ReplyHead | null,
  service: SoapService,
  operation: Operation | null,
  messageId: string | null,
  tolerance: ReplyTolerance,
): void {
  const { operation: body, dialect, header } = envelope;
  const isFault = isFaultName(body, dialect);
  if (header !== null && header.unqualified !== null) {
    const { code, rule, facts } = header.unqualified;
    const broken = `${code}: ${rule}`;
    tolerance.allow(['unqualified-header'], 'UPSTREAM_INVALID_RESPONSE', broken, { facts });
  }
  const wrapper = tolerance.has('wrapper') ? wrapperOfBarePart(operation, body) : null;
  if (wrapper !== null && isOfNoOther(body, wrapper, service)) {
    tolerance.note('wrapper');
    tolerance.wrap(wrapper.name);
  } else if (!isFault && !service.isReply(operation, body)) {
    if (body === null) {
      const options = { facts: expectedOf(operation) };
      tolerance.allow(['empty-body'], 'UPSTREAM_INVALID_RESPONSE', EMPTY_BODY, options);
    } else {
      tolerateName(envelope, body, head, service, operation, tolerance);
    }
  }
  const relatesTo = envelope.addressing?.relatesTo ?? null;
  if (messageId !== null && relatesTo !== null && relatesTo !== messageId) {
    throw misdelivered(head, 'relates to another message');
  }
  if (isFault) return;
  checkResultStatus(head);
  envelope.expectParts(service.replyParts(operation));
}

/** Whether an element is the declared output of no other operation, nor has its local name. */
const isOfNoOther = (
  body: QName | null,
  { name }: ElementDeclaration,
  service: SoapService,
): boolean => body !== null && service.outputMatch(body, name.local) === 'none';

/** What the log says of an empty Body where a result is declared. */
const EMPTY_BODY = 'SOAP_STRUCTURE: empty Body';

/**
 * Another name than that of the declared output: the output of another operation is never
 * tolerated.
 */
function tolerateName(
  { operationTag }: EnvelopeValidator,
  body: QName,
  head: ReplyHead | null,
  service: SoapService,
  operation: Operation | null,
  tolerance: ReplyTolerance,
): void {
  const options = { found: expandedName(body), facts: expectedOf(operation) };
  const declared = operation?.output?.body ?? null;
  const match = service.outputMatch(body, declared?.name.local ?? null);
  // Without namespaces, the local name says which operation a reply is of.
  if (match === 'declared' || (match === 'local-name' && tolerance.has('wrapper'))) {
    throw misdelivered(head, 'reply of another operation', options);
  }
  if (declared === null || operationTag === null || match === 'local-name') {
    throw new Refusal('UPSTREAM_SCHEMA_INVALID', 'reply of no operation', options);
  }
  const { name } = declared;
  const deviations: tolerated.Deviation[] = [];
  if (body.uri !== name.uri) {
    deviations.push('wrapper');
  }
  if (body.local !== name.local) {
    deviations.push('wrapper-name');
  }
  tolerance.allow(deviations, 'UPSTREAM_SCHEMA_INVALID', 'reply of no operation', options);
  tolerance.rename(body, declared, operationTag);
}

/**
 * The refusal of an answer to another request. Its address is suspected here: in monitor mode the
 * answer passes, and one that is decoded or kept is read when its call is over. A challenge is read
 * for its Fault alone.
 */
function misdelivered(head: ReplyHead | null, detail: string, options = {}): Refusal {
  if (head !== null && head.status !== UNAUTHORIZED) {
    head.suspect?.();
  }
  return new Refusal('UPSTREAM_DESYNC', detail, options);
}

const UNAUTHORIZED = 401;

const expectedOf = (operation: Operation | null): refusals.Facts => {
  const name = operation?.output?.body?.name;
  return name === undefined ? {} : { expected: [expandedName(name)] };
};

/** Whether a child of Body is a Fault. */
const isFaultName = (body: QName | null, dialect: Dialect | null): boolean =>
  body !== null && body.local === 'Fault' && body.uri === dialect?.envelopeUri;

/**
 * Makes a reply that relates to another message relate to this one: callers refuse any other.
 * Within `onHeadValid`.
 */
export function relateTo(
  { addressing, header }: EnvelopeValidator,
  messageId: string | null,
): void {
  const range = addressing?.relatesToContent ?? null;
  if (range === null || messageId === null || addressing?.relatesTo === messageId) return;
  header?.edit({ ...range, replacement: referencesFor(escapeText(messageId)) });
}
