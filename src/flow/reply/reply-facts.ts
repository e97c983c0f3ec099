import type { Buffer } from 'node:buffer';
import { contentValidity } from '../../codec/index.js';
import type { SoapService } from '../../compile/soap/service.js';
import { KIB, Refusal, type refusals, type tolerated } from '../../core/index.js';
import { EnvelopeValidator } from '../../soap/index.js';
import type { ReplyHead } from '../../upstream/index.js';
import { expandedName } from '../../xml/index.js';
import { beginsAsPackage } from './package-receiver.js';
import { takeReaders } from './readers.js';
import { noEnvelope, type ReplyForm, replyForm } from './reply-head.js';
import { type ReplyTolerance, UNTYPED } from './reply-tolerance.js';

/** What is known of a reply when it is refused. */
export interface SeenReply {
  readonly head: ReplyHead | null;
  readonly form: ReplyForm | null;
  readonly envelope: EnvelopeValidator | null;
  readonly tolerance: ReplyTolerance;
  /** The first bytes of it that were read; null for none. */
  readonly first: Buffer | null;
  /** The signature of the reply is verified, and this one was not. */
  readonly isUnverified: boolean;
}

/**
 * Adds to a refusal of a reply what was found, for the log, and the name of `tolerate` that would
 * let it pass.
 */
export function explainReply(refusal: Refusal, seen: SeenReply): Refusal {
  const { head, form, envelope, tolerance } = seen;
  const isOfReply = refusal.kind.blame === 'upstream' && head !== null;
  if (!isOfReply) return refusal;
  const explained = orNoEnvelope(refusal, head, form, envelope);
  const deviation = deviationOf(refusal, seen);
  if (deviation !== null && !tolerance.has(deviation)) {
    tolerance.suggest(deviation);
  }
  explained.reply ??= factsOf(seen, head);
  return explained;
}

/** Content under no media type of an envelope is refused by the status, as where it is not read. */
function orNoEnvelope(
  refusal: Refusal,
  head: ReplyHead,
  form: ReplyForm | null,
  envelope: EnvelopeValidator | null,
): Refusal {
  const isAnything = form?.isUntyped === true && envelope?.dialect == null;
  return isAnything && refusal.code === 'UPSTREAM_INVALID_RESPONSE' ? noEnvelope(head) : refusal;
}

/** The most bytes of a reply that are read for the log alone. */
const PEEKED_BYTES = 16 * KIB;

/**
 * What the beginning of a reply shows that is refused before it is read: the name of its content,
 * the Fault in it.
 */
export function peekReply(
  service: SoapService,
  head: ReplyHead,
  form: ReplyForm,
  chunk: Buffer,
): refusals.ReplyFacts {
  const envelope = new EnvelopeValidator(service.replyRules, null, 'no detail', {
    onHeadValid: () => {},
    openBody: () => null,
  });
  const { xml, reader } = takeReaders(service, envelope, form.type.charset, form.package);
  try {
    reader.write(chunk.subarray(0, PEEKED_BYTES));
  } catch {
    // As far as it can be read.
  } finally {
    service.readers.give(xml);
  }
  return factsOf({ envelope, isUnverified: service.replyVerification !== null }, head);
}

/**
 * The refusal of a reply by its head, which waits for the content: a Fault there is for the log.
 */
export class HeadRefusal {
  readonly refusal: Refusal;
  readonly #service: SoapService;
  readonly #head: ReplyHead;

  private constructor(refusal: Refusal, service: SoapService, head: ReplyHead) {
    this.refusal = refusal;
    this.#service = service;
    this.#head = head;
  }

  /** Null for a refusal that does not wait. */
  static of(caught: unknown, service: SoapService, head: ReplyHead): HeadRefusal | null {
    const isAuth = caught instanceof Refusal && caught.code === 'UPSTREAM_AUTH';
    return isAuth ? new HeadRefusal(caught, service, head) : null;
  }

  /** The refusal with what the first bytes show. */
  with(chunk: Buffer): Refusal {
    try {
      const form = replyForm(this.#head, this.#service);
      if (form !== null) {
        this.refusal.reply = peekReply(this.#service, this.#head, form, chunk);
      }
    } catch {
      // A head that cannot be read says nothing of the content.
    }
    return this.refusal;
  }
}

function factsOf(
  { envelope, isUnverified }: Pick<SeenReply, 'envelope' | 'isUnverified'>,
  head: ReplyHead,
): refusals.ReplyFacts {
  const fault = envelope?.fault ?? null;
  const element = envelope?.operation ?? null;
  return {
    status: head.status,
    mediaType: head.header('content-type'),
    coding: head.header('content-encoding'),
    version: envelope?.dialect?.name ?? null,
    element: element === null ? null : expandedName(element),
    fault:
      fault === null ? null : { code: fault.parts.code, string: fault.parts.string, isUnverified },
  };
}

/** The rules of the reader that a name of `tolerate` is about. */
const BY_RULE: ReadonlyMap<string, tolerated.Deviation> = new Map([
  ['a character that XML does not have', 'control-characters'],
  ['a reference to a character that XML does not have', 'control-characters'],
  ['NUL outside the document element', 'trailing-bytes'],
]);

function deviationOf(
  { cause, code, rule: broken }: Refusal,
  { envelope, first }: SeenReply,
): tolerated.Deviation | null {
  if (
    code === 'UPSTREAM_SCHEMA_INVALID' &&
    broken?.startsWith(contentValidity.FURTHER_ELEMENTS) === true
  ) {
    return 'missing';
  }
  if (cause instanceof Refusal && cause.rule === UNDECLARED_PREFIX) return 'undeclared-prefix';
  if (cause instanceof Refusal && first !== null && envelope?.dialect == null) {
    if (beginsAsPackage(first)) return 'media-type';
    if (isOfEncoding(cause) && declaresEncoding(first)) return 'declared-encoding';
    return hasLeadingSpace(first) ? 'leading-space' : null;
  }
  const rule = cause instanceof Refusal ? cause.rule : null;
  const deviation = rule === null ? null : (BY_RULE.get(rule) ?? null);
  // Before the envelope there is nothing to repair but white space, and behind it NUL.
  if (deviation === 'control-characters' && envelope?.dialect == null) return null;
  if (deviation === 'trailing-bytes' && envelope?.isHeadValid !== true) return null;
  return deviation;
}

const UNDECLARED_PREFIX = 'a prefix that is not declared';

const isOfEncoding = ({ code, rule }: Refusal): boolean =>
  code === 'XML_ENCODING' && rule !== null && OF_ENCODING.has(rule);

const OF_ENCODING: ReadonlySet<string> = new Set([
  'Content-Type, byte order mark and XML declaration name different encodings',
  'bytes that are not UTF-16',
]);

/** Whether an XML declaration at the beginning names an encoding. */
const declaresEncoding = (chunk: Buffer): boolean =>
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?<\?xml[^>]*encoding/.test(textOf(chunk));

/** Whether white space is before the XML declaration. */
const hasLeadingSpace = (chunk: Buffer): boolean =>
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[ \t\r\n]+(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?<(?:\?xml[ \t\r\n]|[\w.-]*:?Envelope)/.test(
    textOf(chunk),
  );

/** The beginning of a message as text; characters of UTF-16 without their zero. */
const textOf = (chunk: Buffer): string => chunk.toString('latin1', 0, 4096).replaceAll('\0', '');

/** The refusal of content that is not read, because its media type is none of an envelope. */
export function refuseUnread(
  head: ReplyHead | null,
  chunk: Buffer,
  tolerance: ReplyTolerance,
): Refusal {
  const refusal = noEnvelope(head);
  if (!beginsAsEnvelope(chunk) && !beginsAsPackage(chunk)) return refusal;
  tolerance.suggest('media-type');
  const { facts } = refusal;
  return refusal.code === 'UPSTREAM_OVERLOADED' ? refusal : new Refusal(...UNTYPED, { facts });
}

/** Whether content that has no media type of an envelope begins as one. */
function beginsAsEnvelope(chunk: Buffer): boolean {
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[ \t\r\n]*(?:<\?xml[ \t\r\n][^>]*\?>\s*)?<(?:[\w.-]+:)?Envelope[\s>]/.test(
    textOf(chunk),
  );
}
