import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../core/index.js';
import { takesGzip } from '../../gateway/compress.js';
import type { Exchange } from '../../gateway/exchange.js';
import { pages } from '../../graphql/index.js';
import type { OpenEndpoint } from '../calls/http-exchange.js';
import { endLingering } from '../http/linger.js';

const PAGE_FIELDS = [
  ...['content-type', 'text/html; charset=utf-8'],
  ...['content-security-policy', pages.PAGE_POLICY],
  ...['referrer-policy', 'no-referrer'],
  ...['cache-control', 'no-cache'],
  ...['vary', 'accept'],
];

/**
 * Answers requests for the page at `pagePath`, for browsers, and for its files. They are read when
 * the first browser comes.
 */
export function pageAnswerer(
  pagePath: string,
  read: () => Promise<pages.Page>,
): OpenEndpoint['answer'] {
  let reading: Promise<pages.Page> | null = null;
  return async (exchange, path, request, response) => {
    exchange.operation = 'page';
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
    reading ??= read();
    const { html, tag, assets } = await reading;
    if (path === pagePath) return send(exchange, response, 200, PAGE_FIELDS, html);
    const asset = assets.get(path);
    if (asset === undefined) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
    sendAsset(exchange, request, response, asset, tag);
  };
}

/**
 * Sends a file of the page, which never changes under its path. `tag`: of all files, with its
 * quotes.
 */
function sendAsset(
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  { type, plain, gzipped }: pages.Asset,
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
  } else {
    send(exchange, response, 200, fields, plain);
  }
}

function send(
  exchange: Exchange,
  response: ServerResponse,
  status: number,
  fields: readonly string[],
  body: Buffer | null,
): void {
  exchange.bytesOut = body?.length ?? 0;
  const length = body === null ? [] : ['content-length', String(body.length)];
  endLingering(
    exchange,
    response,
    status,
    [...fields, 'x-content-type-options', 'nosniff', ...length],
    body,
  );
}
