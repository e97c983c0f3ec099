import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { takesGzip } from '../../base/compress.js';
import type { Exchange } from '../../base/exchange.js';
import type { Asset } from '../../graphql/page/assets.js';
import { PAGE_POLICY } from '../../graphql/page/page.js';
import { endLingering } from '../http/linger.js';

const PAGE_FIELDS = [
  ...['content-type', 'text/html; charset=utf-8'],
  ...['content-security-policy', PAGE_POLICY],
  ...['referrer-policy', 'no-referrer'],
  ...['cache-control', 'no-cache'],
  ...['vary', 'accept'],
];

/** Sends the page itself, for browsers. */
export const sendPage = (exchange: Exchange, response: ServerResponse, html: Buffer): void =>
  send(exchange, response, 200, PAGE_FIELDS, html);

/** Sends a file of the page, which never changes under its path. `tag`: of all files, with its quotes. */
export function sendAsset(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  { type, plain, gzipped }: Asset,
  tag: string,
): void {
  const { headers } = request;
  // Weak, for it vouches for the file in either coding.
  const fields = [
    'cache-control',
    'public, max-age=31536000, immutable',
    'etag',
    `W/${tag}`,
    'vary',
    'accept-encoding',
  ];
  if (headers['if-none-match']?.includes(tag) === true) {
    send(exchange, response, 304, fields, null);
    return;
  }
  fields.push('content-type', type);
  if (takesGzip(headers['accept-encoding'])) {
    send(exchange, response, 200, [...fields, 'content-encoding', 'gzip'], gzipped);
  } else send(exchange, response, 200, fields, plain);
}

function send(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  fields: readonly string[],
  body: Buffer | null,
): void {
  exchange.status = status;
  exchange.bytesOut = body?.length ?? 0;
  const length = body === null ? [] : ['content-length', String(body.length)];
  endLingering(exchange, response, status, [...fields, 'x-content-type-options', 'nosniff', ...length], body);
}
