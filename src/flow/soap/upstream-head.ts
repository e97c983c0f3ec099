import type { IncomingMessage } from 'node:http';

import type { Dialect } from '../../soap/dialect.js';
import { type MediaType, printContentType } from '../../soap/media-type.js';
import type { Encoding } from '../../xml/transcode.js';
import type { RequestPolicy } from './request-policy.js';

/** The two fields that describe the content of a request to the backend; null for a field that is not sent. */
export interface ContentFields {
  readonly contentType: string | null;
  readonly soapAction: string | null;
}

/** As the caller wrote them. */
export const asWritten = ({ headers }: IncomingMessage): ContentFields => ({
  contentType: headers['content-type'] ?? null,
  soapAction: typeof headers['soapaction'] === 'string' ? headers['soapaction'] : null,
});

/**
 * The description of a validated message: one spelling of the media type, which some stacks compare letter by letter,
 * the charset the message is in, and the action of the operation in the WSDL, quoted. Messages that monitor mode lets
 * pass keep theirs. So does a package, whose parameters tell how to take it apart.
 */
export function contentFieldsOf(
  request: IncomingMessage,
  isEnforced: boolean,
  policy: RequestPolicy,
  dialect: Dialect | null,
  mediaType: MediaType | null,
  encoding: Encoding | null,
): ContentFields {
  const written = asWritten(request);
  if (!isEnforced || dialect === null) return written;
  const { action } = policy;
  const mustSay = dialect.actionHeader && (action !== null || policy.known !== null);
  const soapAction =
    written.soapAction !== null || mustSay ? (policy.known?.soapActionField ?? `"${action ?? ''}"`) : null;
  if (mediaType === null) return { contentType: written.contentType, soapAction };
  // The encoding the reader has seen, by its common name: other servers may guess, or know no other name.
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  const charset = isWide ? mediaType.charset : (encoding ?? mediaType.charset);
  const inType = dialect.actionHeader && mediaType.action === null ? null : action;
  return { contentType: printContentType(mediaType.name, charset, inType), soapAction };
}
