import type { SoapService } from '../../compile/soap/service.js';
import { asRefusal, Refusal, refusals, type sharedState, tolerated } from '../../core/index.js';
import { DIALECTS, mime, mimeTypes } from '../../soap/index.js';
import { checkAuthStatus, type ReplyHead } from '../../upstream/index.js';
import { decoderOf } from '../../xml/index.js';

/**
 * Media types of envelopes. The pairing with the envelope's namespace is not enforced: real stacks
 * mix them.
 */
const ENVELOPE_TYPES: ReadonlySet<string> = new Set([
  ...Object.values(DIALECTS).map(({ mediaType }) => mediaType),
  'application/xml',
]);

const EXPECTED_TYPES: readonly string[] = [...ENVELOPE_TYPES];

/** How a reply comes that may hold an envelope. */
export interface ReplyForm {
  readonly type: mimeTypes.MediaType;
  /** The package the envelope is in, or null for one that comes as it is. */
  readonly package: mime.PackageType | null;
  /** The media type is none of an envelope: what comes may be anything. */
  readonly isUntyped?: true;
}

/**
 * Checks the head of a reply: throws a refusal of the upstream for what no envelope can follow;
 * returns how an envelope may come, or null where only an empty body can be right.
 */
export function checkReplyHead(
  head: ReplyHead,
  service: SoapService,
  tolerance: tolerated.Tolerance = tolerated.STRICT,
): ReplyForm | null {
  const { status } = head;
  const isRedirect = status >= 300 && status <= 399;
  // Without an address it leads nowhere: what comes may be a Fault. A 304 has no content.
  if (isRedirect && (status === 304 || head.header('location') !== null)) throw redirected(status);
  checkAuthStatus(status);
  const form = replyForm(head, service, tolerance);
  if (isRedirect && (form === null || form.isUntyped === true)) throw redirected(status);
  return form;
}

const redirected = (status: number): Refusal =>
  new Refusal('UPSTREAM_REDIRECT', `status ${status}`);

/**
 * How the envelope of a reply may come, whatever its status; null where only an empty body can be
 * right.
 */
export function replyForm(
  head: ReplyHead,
  service: SoapService,
  tolerance: tolerated.Tolerance = tolerated.STRICT,
): ReplyForm | null {
  checkCoding(head.header('content-encoding'));
  const written = head.header('content-type');
  if (written !== null && !isPrintable(written)) {
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content type');
  }
  const type = mimeTypes.readMediaType(written ?? undefined);
  if (type !== null && ENVELOPE_TYPES.has(type.name)) return { type, package: null };
  if (written === null || type?.name !== mime.PACKAGE || !service.acceptsPackages) {
    const isPackage = written?.trimStart().toLowerCase().startsWith('multipart/') === true;
    return isPackage || !tolerance.has('media-type')
      ? null
      : { type: type ?? NO_TYPE, package: null, isUntyped: true };
  }
  try {
    return { type, package: mime.readPackageType(written, service.mimeLimits) };
  } catch (caught) {
    throw refusals.asUpstream(asRefusal(caught));
  }
}

const NO_TYPE: mimeTypes.MediaType = { name: '', charset: null, action: null };

/** Throws for a coding that is left: gzip is decoded before. */
function checkCoding(header: string | null): void {
  const coding = header?.trim().toLowerCase() ?? '';
  if (NO_CODINGS.has(coding) || decoderOf(coding) !== null) return;
  throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content coding', {
    found: header,
    facts: { expected: ['gzip', 'identity'] },
  });
}

/**
 * What names no coding of content: nothing, and what scripts write for the encoding of a part of
 * mail. They write charsets too. Clients that do not know a coding read the content as it is.
 */
const NO_CODINGS: ReadonlySet<string> = new Set([
  ...['', 'identity', 'none'],
  ...['7bit', '8bit', 'binary'],
]);

/** The refusal for a reply that holds no envelope at all. */
export const noEnvelope = (head: ReplyHead | null): Refusal =>
  unusable(head, 'no envelope', EXPECTED_TYPES);

/**
 * Throws unless a result, which is an envelope without a Fault, may come with the status of this
 * head: SOAP 1.2 part 2 section 7.5.1.2. Of the statuses of success these are the ones with a whole
 * content (RFC 9110 section 15.3).
 */
export function checkResultStatus(head: ReplyHead | null): void {
  if (head === null || head.status < 200 || head.status > 203) {
    throw unusable(head, 'result', ['a status from 200 to 203']);
  }
}

function unusable(head: ReplyHead | null, content: string, expected: readonly string[]): Refusal {
  const status = head?.status ?? 0;
  const detail = `${content}, status ${status}`;
  const facts = { expected };
  if (status !== 503) return new Refusal('UPSTREAM_INVALID_RESPONSE', detail, { facts });
  return new Refusal('UPSTREAM_OVERLOADED', detail, {
    facts,
    retryAfter: head === null ? null : retryAfterOf(head),
  });
}

/**
 * When a service wants to be asked again: Retry-After of RFC 9110 section 10.2.3, or null. A Fault
 * has it with 500, where the service is a gateway.
 */
export function retryAfterOf(head: ReplyHead): string | null {
  if (head.status < 400) return null;
  const value = head.header('retry-after');
  return value !== null && (SECONDS.test(value) || HTTP_DATE.test(value)) ? value : null;
}

/** Whether a field of a reply can be sent to the caller as it is. */
export const isPrintable = (value: string): boolean => PRINTABLE.test(value);

const PRINTABLE = /^[\t\x20-\x7e]*$/;
const SECONDS = /^\d{1,10}$/;
/** The one form of date that is still sent (RFC 9110 section 5.6.7). */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The source of a reply that is complete now; null where that is not known. */
export const answerSourceOf = ({ source = '' }: ReplyHead): sharedState.AnswerSource | null =>
  source === '' ? null : { address: source, atMillis: Date.now() };

/** A status of success. */
export const isSuccess = (head: ReplyHead | null): boolean =>
  head !== null && head.status >= 200 && head.status <= 299;
