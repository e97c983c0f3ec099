import type { IncomingMessage } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import type { httpFields } from '../../core/index.js';
import type { Exchange } from '../../gateway/exchange.js';
import { type Dialect, type EnvelopeValidator, mime, mimeTypes } from '../../soap/index.js';
import type { Encoding } from '../../xml/index.js';
import { pushNamed, withoutOwnCookie } from '../calls/caller-fields.js';
import { asWritten, type ContentFields } from './request-head.js';
import type { RequestPolicy } from './request-policy.js';

/**
 * The description of a validated message: one spelling of the media type, which some stacks compare
 * letter by letter, the charset the message is in, and the action of the operation in the WSDL,
 * quoted. Messages that monitor mode lets pass keep theirs. So does a package, whose parameters
 * tell how to take it apart.
 */
export function contentFieldsOf(
  request: IncomingMessage,
  isEnforced: boolean,
  policy: RequestPolicy,
  envelope: Pick<EnvelopeValidator, 'dialect' | 'bridge'>,
  mediaType: mimeTypes.MediaType | null,
  encoding: Encoding | null,
): ContentFields {
  const written = asWritten(request);
  const { dialect, bridge } = envelope;
  if (bridge !== null) return bridgedFields(written, bridge.to, policy, mediaType, encoding);
  if (!isEnforced || dialect === null) return written;
  const { action } = policy;
  const isRequired = dialect.actionHeader && (action !== null || policy.known !== null);
  const soapAction =
    written.soapAction !== null || isRequired
      ? (policy.known?.soapActionField ?? `"${action ?? ''}"`)
      : null;
  if (mediaType === null) return { contentType: written.contentType, soapAction };
  const charset = charsetOf(mediaType, encoding);
  const inType = dialect.actionHeader && mediaType.action === null ? null : action;
  return { contentType: mimeTypes.printContentType(mediaType.name, charset, inType), soapAction };
}

/**
 * The encoding the reader has seen, by its common name: other servers may guess, or know no other
 * name.
 */
export function charsetOf(
  { charset }: Pick<mimeTypes.MediaType, 'charset'>,
  encoding: Encoding | null,
): string | null {
  const isWide = encoding === 'utf-16le' || encoding === 'utf-16be';
  return isWide ? charset : (encoding ?? charset);
}

/**
 * The description of a message that was put into another version: the media type of that, and the
 * action where that has it.
 */
function bridgedFields(
  { contentType }: ContentFields,
  to: Dialect,
  { action, known }: RequestPolicy,
  mediaType: mimeTypes.MediaType | null,
  encoding: Encoding | null,
): ContentFields {
  const soapAction = to.actionHeader ? (known?.soapActionField ?? `"${action ?? ''}"`) : null;
  if (mediaType === null) {
    const type = contentType === null ? null : mime.bridgedPackageType(contentType, to, action);
    return { contentType: type, soapAction };
  }
  const charset = charsetOf(mediaType, encoding);
  const inType = to.actionHeader ? null : action;
  return { contentType: mimeTypes.printContentType(to.mediaType, charset, inType), soapAction };
}

/** The head sent upstream: an allow-list of the caller's fields, and exactly one framing. */
export function upstreamHeaders(
  request: IncomingMessage,
  { callerFields, bound }: SoapService,
  { peer: address, isTls }: Pick<Exchange, 'peer' | 'isTls'>,
  fields: ContentFields | null,
  contentLength: number | null,
): { readonly headers: string[]; readonly spellings: httpFields.FieldSpellings | null } {
  const headers: string[] = [];
  if (fields !== null && fields.contentType !== null) {
    headers.push('content-type', fields.contentType);
  }
  if (fields !== null && fields.soapAction !== null) {
    headers.push('soapaction', fields.soapAction);
  }
  const spellings = pushNamed(
    headers,
    callerFields.ofSoap,
    withoutOwnCookie(request.headers, callerFields),
    request.rawHeaders,
    bound !== null,
  );
  // Replies in gzip are decoded, and the caller's own field is not sent on.
  headers.push('accept-encoding', 'gzip');
  const { forwarding, via } = callerFields;
  if (via !== null) {
    headers.push('via', via.next(request.headers.via));
  }
  if (forwarding !== null) {
    headers.push(...forwarding.fields({ headers: request.headers, address, isTls }));
  }
  if (contentLength !== null) {
    headers.push('content-length', String(contentLength));
  }
  return { headers, spellings };
}
