import type { IncomingMessage } from 'node:http';
import type { SoapService } from '../../compile/soap/service.js';
import { Refusal, refuseByLimit } from '../../core/index.js';
import { type GateOptions, mime, mimeTypes, readSoapAction } from '../../soap/index.js';
import { decoderOf } from '../../xml/index.js';

/** The two fields that describe the content of a request; null for a field that is not sent. */
export interface ContentFields {
  readonly contentType: string | null;
  readonly soapAction: string | null;
}

/** As the caller wrote them. */
export const asWritten = ({ headers }: IncomingMessage): ContentFields => ({
  contentType: headers['content-type'] ?? null,
  soapAction: typeof headers['soapaction'] === 'string' ? headers['soapaction'] : null,
});

/** The checked head of a SOAP request, for the XML reader and the upstream. */
export type SoapRequestHead =
  | { readonly method: 'GET' }
  | {
      readonly method: 'POST';
      /**
       * The media type of the envelope, also in a package; `multipart/related` where only its part
       * has one.
       */
      readonly mediaType: mimeTypes.MediaType;
      /** Null for an envelope that comes as it is. */
      readonly package: mime.PackageType | null;
      /** The action in SOAPAction, or null. */
      readonly soapAction: string | null;
      /** It comes as gzip. */
      readonly isCompressed: boolean;
      /** The length was announced. */
      readonly hasLength: boolean;
      /** Bytes of the body as it is validated and sent on; null when they are not known. */
      readonly bodyBytes: number | null;
      /** Monitor mode: the head describes the body wrongly, so it goes on unread. */
      readonly isUnread: boolean;
    };

/** The head of a request with an envelope. */
export type PostHead = Extract<SoapRequestHead, { readonly method: 'POST' }>;

/**
 * Checks the head of a SOAP request. Throws a refusal of the HTTP layer: no SOAP message exists
 * yet. `onViolation`, of monitor mode, is called instead for fields that describe the body; wrong
 * framing is always refused.
 */
export function readSoapRequestHead(
  request: IncomingMessage,
  service: SoapService,
  onViolation: GateOptions['onViolation'],
): SoapRequestHead {
  const { method, headers } = request;
  const hasBody =
    headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (method === 'GET') {
    // A body on GET is a smuggling primitive: one server reads it as a body, the next as a request.
    if (hasBody) throw new Refusal('HTTP_BAD_REQUEST', 'GET with a body');
    return { method };
  }
  if (method !== 'POST') throw new Refusal('HTTP_METHOD');
  const contentLength =
    headers['content-length'] === undefined ? null : Number(headers['content-length']);
  try {
    return readPostHead(request, service, contentLength);
  } catch (caught) {
    if (onViolation === null || !(caught instanceof Refusal)) throw caught;
    onViolation(caught);
    const hasLength = contentLength !== null;
    return { ...UNREAD, hasLength, bodyBytes: contentLength };
  }
}

const UNREAD = {
  method: 'POST',
  mediaType: { name: '', charset: null, action: null },
  package: null,
  soapAction: null,
  isCompressed: false,
  isUnread: true,
} as const;

function readPostHead(
  request: IncomingMessage,
  service: SoapService,
  contentLength: number | null,
): PostHead {
  const { headers } = request;
  const type = readMessageType(headers['content-type'], service);
  const isCompressed = checkCoding(headers['content-encoding']);
  const { messageBytes } = service.xmlLimits;
  if (contentLength !== null && contentLength > messageBytes) {
    throw refuseByLimit('HTTP_TOO_LARGE', 'limits.xml.messageBytes', messageBytes, contentLength);
  }
  return {
    method: 'POST',
    ...type,
    soapAction: readSoapAction(asWritten(request).soapAction),
    isCompressed,
    hasLength: contentLength !== null,
    // The length of decrypted content is not known before its end.
    bodyBytes: isCompressed || decrypts(service) ? null : contentLength,
    isUnread: false,
  };
}

/** Reads a Content-Type. Throws `HTTP_MEDIA_TYPE` for one that the service does not take. */
export function readMessageType(
  written: string | undefined,
  service: SoapService,
): Pick<PostHead, 'mediaType' | 'package'> {
  const packageType = readPackage(written, service);
  const mediaType =
    packageType === null ? mimeTypes.readMediaType(written) : envelopeOf(packageType);
  if (
    mediaType === null ||
    (mediaType.name !== mime.PACKAGE && !service.mediaTypes.has(mediaType.name))
  ) {
    const rule = mimeTypes.contentTypeRule(written, (name) => service.mediaTypes.has(name));
    throw new Refusal('HTTP_MEDIA_TYPE', mediaType === null ? rule : null, {
      found: written ?? 'no Content-Type',
    });
  }
  const { charset } = mediaType;
  if (charset !== null && decoderOf(charset) === null) {
    throw new Refusal('HTTP_MEDIA_TYPE', 'charset', { found: charset });
  }
  return { mediaType, package: packageType };
}

const decrypts = ({ verification }: SoapService): boolean =>
  verification !== null && verification.decryption !== null;

function readPackage(header: string | undefined, service: SoapService): mime.PackageType | null {
  if (header === undefined || !MULTIPART.test(header)) return null;
  const isPackage = mimeTypes.readMediaType(header)?.name === mime.PACKAGE;
  if (!isPackage || !service.acceptsPackages) {
    throw new Refusal('HTTP_MEDIA_TYPE', 'multipart', { found: header });
  }
  return mime.readPackageType(header, service.mimeLimits);
}

const MULTIPART = /^\s*multipart\//i;

/**
 * The media type of the envelope in a package, or that of the package where only the part itself
 * has it.
 */
const envelopeOf = ({ envelopeType, action }: mime.PackageType): mimeTypes.MediaType => ({
  name: envelopeType ?? mime.PACKAGE,
  charset: null,
  action,
});

/**
 * True for gzip. A second coding, or one we do not read, cannot be validated: RFC 9110 section 8.4.
 */
function checkCoding(header: string | undefined): boolean {
  if (header === undefined) return false;
  const coding = header.toLowerCase();
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  if (coding === 'identity') return false;
  throw new Refusal('HTTP_MEDIA_TYPE', 'content coding', { found: header });
}
