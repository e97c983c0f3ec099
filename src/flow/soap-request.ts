import type { IncomingMessage } from 'node:http';

import { Refusal } from '../base/refusal.js';
import type { SoapService } from '../compile/service.js';
import { type MediaType, readMediaType } from '../soap/media-type.js';

/** The head of a SOAP request, judged: what the XML reader and the upstream need of it. */
export type SoapRequestHead =
  | { readonly method: 'GET' }
  | {
      readonly method: 'POST';
      readonly mediaType: MediaType;
      /** Null when the length was not announced. */
      readonly contentLength: number | null;
    };

/** Judges the head of a SOAP request. Throws a refusal of the HTTP layer: no SOAP message exists yet. */
export function readSoapRequestHead(request: IncomingMessage, service: SoapService): SoapRequestHead {
  const { method, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (method === 'GET') {
    // A body on GET is a smuggling primitive: what one server reads as a body the next takes for a request.
    if (hasBody) throw new Refusal('HTTP_BAD_REQUEST', 'GET with a body');
    return { method };
  }
  if (method !== 'POST') throw new Refusal('HTTP_METHOD');
  const mediaType = readMediaType(headers['content-type']);
  if (mediaType === null || !service.mediaTypes.has(mediaType.name)) throw new Refusal('HTTP_MEDIA_TYPE');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw new Refusal('HTTP_MEDIA_TYPE', 'content coding');
  }
  const contentLength = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  if (contentLength !== null && contentLength > service.xmlLimits.messageBytes) throw new Refusal('HTTP_TOO_LARGE');
  return { method, mediaType, contentLength };
}

/** Header fields of a caller that reach the backend, if it sent them. Everything else is ours to say. */
const PASSED = [
  'accept',
  'accept-language',
  'authorization',
  'content-type',
  'soapaction',
  'user-agent',
  'x-request-id',
  'traceparent',
  'tracestate',
] as const;

/** The head sent upstream: an allow-list of the caller's fields, and exactly one framing. */
export function upstreamHeaders(request: IncomingMessage, contentLength: number | null): string[] {
  const headers: string[] = [];
  for (const name of PASSED) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.push(name, value);
  }
  if (contentLength !== null) headers.push('content-length', String(contentLength));
  return headers;
}
