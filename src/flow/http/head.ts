import type { IncomingMessage } from 'node:http';
import type { HttpLimits } from '../../config/listen/http-limits.js';
import { Refusal, refuseByLimit } from '../../core/index.js';

/**
 * Checks what every endpoint wants of a head and Node's parser does not see to: sizes, the version,
 * and that there is one way only to read it. Throws a refusal of the HTTP layer. In one pass and in
 * bits, because this runs for every field of every request.
 */
export function checkHead(request: IncomingMessage, limits: HttpLimits): void {
  const { url = '', method = '', httpVersion, rawHeaders, headers } = request;
  if (url.length > limits.uriBytes) {
    throw refuseByLimit('HTTP_URI_TOO_LONG', 'limits.http.uriBytes', limits.uriBytes, url.length);
  }
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw new Refusal('HTTP_VERSION', null, { found: httpVersion });
  }
  if (rawHeaders.length > 2 * limits.headerCount) {
    const { headerCount } = limits;
    throw refuseByLimit(
      'HTTP_HEADER_LIMIT',
      'limits.http.headerCount',
      headerCount,
      rawHeaders.length / 2,
    );
  }
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const bit = BITS_AS_WRITTEN.get(name) ?? bitOf(name);
    if ((seen & bit) !== 0) throw repeated(bit);
    seen |= bit;
  }
  seen &= CHECKED_BITS;
  if ((seen & HOST) === 0) {
    if (httpVersion === '1.1') throw new Refusal('HTTP_BAD_REQUEST', 'no Host');
  } else if (!AUTHORITY.test(headers.host ?? '')) {
    throw new Refusal('HTTP_BAD_REQUEST', 'Host');
  }
  if ((seen & ~HOST) !== 0) {
    checkFields(request, seen, limits);
  }
  // A body there is a smuggling primitive: one server reads it as a body, the next as a request.
  if ((seen & FRAMING) !== 0 && BODILESS.has(method) && headers['content-length'] !== '0') {
    throw new Refusal('HTTP_BAD_REQUEST', 'a body on a method that has none');
  }
  if (method === 'TRACE') throw new Refusal('HTTP_METHOD');
}

function checkFields(
  { httpVersion, headers }: IncomingMessage,
  seen: number,
  limits: HttpLimits,
): void {
  if ((seen & TRANSFER_ENCODING) !== 0) {
    if ((seen & CONTENT_LENGTH) !== 0) throw new Refusal('HTTP_BAD_REQUEST', 'two framings');
    // RFC 9112 section 6.1: a body with another coding, or from an old sender, ends where the
    // reader thinks.
    if (httpVersion === '1.0') {
      throw new Refusal('HTTP_BAD_REQUEST', 'Transfer-Encoding in HTTP/1.0');
    }
    if (headers['transfer-encoding']?.toLowerCase() !== 'chunked') {
      throw new Refusal('HTTP_TRANSFER_CODING');
    }
  }
  if ((seen & EXPECT) !== 0 && headers.expect?.toLowerCase() !== '100-continue') {
    throw new Refusal('HTTP_EXPECTATION');
  }
  if ((seen & CONNECTION) !== 0) {
    checkNominations(headers.connection ?? '');
  }
  if ((seen & SOAP_ACTION) !== 0 && String(headers['soapaction']).length > limits.soapActionBytes) {
    const { soapActionBytes } = limits;
    throw refuseByLimit(
      'HTTP_BAD_REQUEST',
      'limits.http.soapActionBytes',
      soapActionBytes,
      null,
      'SOAPAction',
    );
  }
}

/** RFC 9110 section 7.2, without user information. */
const AUTHORITY = /^(?:[\w.~-]{1,255}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/** Those whose body, where they may have one at all, has no meaning. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

const HOST = 1;
const CONTENT_LENGTH = 2;
const TRANSFER_ENCODING = 4;
const EXPECT = 8;
const CONNECTION = 16;
const SOAP_ACTION = 32;
const CONTENT_ENCODING = 128;
const FRAMING = CONTENT_LENGTH | TRANSFER_ENCODING;
const CHECKED_BITS = 63;

/**
 * Fields of routing, framing or content type. Node takes the first of several, another server the
 * last.
 */
const SINGLE: ReadonlyMap<string, number> = new Map([
  ['host', HOST],
  ['content-length', CONTENT_LENGTH],
  ['transfer-encoding', TRANSFER_ENCODING],
  ['expect', EXPECT],
  ['connection', CONNECTION],
  ['soapaction', SOAP_ACTION],
  ['content-type', 64],
  ['content-encoding', CONTENT_ENCODING],
  ['authorization', 256],
]);

/** Fields that every client sends and no rule is about. */
const COMMON = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'cookie',
  'pragma',
  'user-agent',
];

/** The common spellings of a name: a search by the text as it came makes no other text. */
const BITS_AS_WRITTEN: ReadonlyMap<string, number> = new Map([
  ...[...SINGLE, ...COMMON.map((name): [string, number] => [name, 0])].flatMap(
    ([name, bit]): [string, number][] => [
      [name, bit],
      [name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()), bit],
    ],
  ),
  ['SOAPAction', SOAP_ACTION],
]);

function bitOf(name: string): number {
  // Servers that turn `-` into `_` (CGI, WSGI, PHP) cannot distinguish such a field from the one it
  // imitates.
  if (name.includes('_')) {
    throw new Refusal('HTTP_BAD_REQUEST', 'an underscore in the name of a field');
  }
  return SINGLE.get(name.toLowerCase()) ?? 0;
}

function repeated(bit: number): Refusal {
  if (bit === EXPECT) return new Refusal('HTTP_EXPECTATION', 'twice');
  // Two fields are two codings (RFC 9110 section 5.3).
  if (bit === CONTENT_ENCODING) return new Refusal('HTTP_MEDIA_TYPE', 'content coding twice');
  return new Refusal('HTTP_BAD_REQUEST', 'a field that must be single comes twice');
}

/**
 * A sender may name hop-by-hop fields only; naming anything else takes it away from the next
 * server.
 */
function checkNominations(value: string): void {
  if (value === 'keep-alive' || value === 'close' || value === 'Keep-Alive') return;
  for (const part of value.toLowerCase().split(',')) {
    if (END_TO_END.test(part.trim())) {
      throw new Refusal('HTTP_BAD_REQUEST', 'Connection names a field of the message');
    }
  }
}

/**
 * Fields of the message itself: whatever frames, routes, describes or authorizes it, or follows it
 * about.
 */
const END_TO_END =
  /^(?:host|authorization|cookie|expect|soapaction|user-agent|date|from|origin|referer|via|forwarded|range|mime-version|accept.*|content-.*|cache-control|pragma|if-.*|x-forwarded-.*|x-real-ip|x-request-id|traceparent|tracestate|sec-.*)$/;
