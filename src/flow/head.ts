import type { IncomingMessage } from 'node:http';

import { Refusal } from '../base/refusal.js';
import type { HttpLimits } from '../config/http-limits.js';

/**
 * Judges what every door wants of a head and Node's parser does not see to: sizes, the version, and that there is one
 * way only to read it. Throws a refusal of the HTTP layer.
 */
export function judgeHead(request: IncomingMessage, limits: HttpLimits): void {
  const { url = '', httpVersion, rawHeaders, headers } = request;
  if (url.length > limits.uriBytes) throw new Refusal('HTTP_URI_TOO_LONG');
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new Refusal('HTTP_VERSION');
  if (rawHeaders.length > 2 * limits.headerCount) throw new Refusal('HTTP_HEADER_LIMIT');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    // RFC 9112 section 6.1: what follows another coding, or comes from an old sender, ends where the reader thinks.
    if (httpVersion === '1.0') throw new Refusal('HTTP_BAD_REQUEST', 'Transfer-Encoding in HTTP/1.0');
    if (coding.toLowerCase() !== 'chunked') throw new Refusal('HTTP_TRANSFER_CODING');
  }
  judgeRepeats(rawHeaders);
}

/** Fields that route or frame a message or say what it is. Node takes the first of several, another server the last. */
const SINGLE: ReadonlyMap<string, number> = new Map(
  [
    'host',
    'content-type',
    'content-length',
    'content-encoding',
    'transfer-encoding',
    'soapaction',
    'authorization',
  ].map((name, index): [string, number] => [name, 1 << index]),
);

/** In bits, because this runs for every field of every request. */
function judgeRepeats(rawHeaders: readonly string[]): void {
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const bit = SINGLE.get((rawHeaders[index] ?? '').toLowerCase());
    if (bit === undefined) continue;
    if ((seen & bit) !== 0) throw new Refusal('HTTP_BAD_REQUEST', 'a field that must be single comes twice');
    seen |= bit;
  }
}
