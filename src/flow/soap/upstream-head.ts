import type { IncomingMessage } from 'node:http';

import type { Dialect } from '../../soap/dialect.js';
import { type MediaType, printContentType } from '../../soap/media-type.js';
import type { Encoding } from '../../xml/transcode.js';
import type { RequestPolicy } from './request-policy.js';

/** The two fields by which a request says what it is, as the backend hears them; null for a field that is not sent. */
export interface SaidUpstream {
  readonly contentType: string | null;
  readonly soapAction: string | null;
}

/** As the caller wrote them. */
export const asWritten = ({ headers }: IncomingMessage): SaidUpstream => ({
  contentType: headers['content-type'] ?? null,
  soapAction: typeof headers['soapaction'] === 'string' ? headers['soapaction'] : null,
});

/**
 * What is said of a validated message: one spelling of the media type, which some stacks compare letter by letter, the
 * charset the message is in, and the action the WSDL gives the operation, quoted. What monitor mode lets pass is not changed. A package
 * keeps its own type, whose parameters say how to take it apart.
 */
export function saidOf(
  request: IncomingMessage,
  isEnforced: boolean,
  policy: RequestPolicy,
  dialect: Dialect | null,
  mediaType: MediaType | null,
  encoding: Encoding | null,
): SaidUpstream {
  const written = asWritten(request);
  if (!isEnforced || dialect === null) return written;
  const { action } = policy;
  const mustSay = dialect.actionHeader && (action !== null || policy.known !== null);
  const soapAction =
    written.soapAction !== null || mustSay ? (policy.known?.soapActionField ?? `"${action ?? ''}"`) : null;
  if (mediaType === null) return { contentType: written.contentType, soapAction };
  // The one the reader has seen, by its usual name: other servers may guess, or know no other name.
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  const charset = isWide ? mediaType.charset : (encoding ?? mediaType.charset);
  const inType = dialect.actionHeader && mediaType.action === null ? null : action;
  return { contentType: printContentType(mediaType.name, charset, inType), soapAction };
}
