import { Refusal } from '../base/refusal.js';
import { type MediaType, readMediaType } from '../soap/media-type.js';
import type { ReplyHead } from '../upstream/reply.js';

/** What an envelope may come as. The pairing with the envelope's namespace is not enforced: real stacks mix them. */
const ENVELOPE_TYPES: ReadonlySet<string> = new Set(['text/xml', 'application/soap+xml', 'application/xml']);

/**
 * Judges the head of a reply: throws a refusal of the upstream for what no envelope can follow; returns the media type
 * an envelope may come as, or null where only an empty body can be right.
 */
export function judgeReplyHead(head: ReplyHead): MediaType | null {
  const { status } = head;
  if (status >= 300 && status <= 399) throw new Refusal('UPSTREAM_REDIRECT', `status ${status}`);
  if (status === 401 || status === 407) throw new Refusal('UPSTREAM_AUTH', `status ${status}`);
  const coding = head.header('content-encoding');
  if (coding !== null && coding.trim().toLowerCase() !== 'identity') {
    // None was asked for (RFC 9110 section 12.5.3).
    throw new Refusal('UPSTREAM_INVALID_RESPONSE', 'content coding');
  }
  const type = readMediaType(head.header('content-type') ?? undefined);
  return type !== null && ENVELOPE_TYPES.has(type.name) ? type : null;
}

/** The refusal for a reply that holds no envelope at all. */
export function noEnvelope(head: ReplyHead | null): Refusal {
  const status = head?.status ?? 0;
  const code = status === 503 ? 'UPSTREAM_OVERLOADED' : 'UPSTREAM_INVALID_RESPONSE';
  return new Refusal(code, `no envelope, status ${status}`);
}

/** A status of success. */
export const isSuccess = (head: ReplyHead | null): boolean => head !== null && head.status >= 200 && head.status <= 299;
