import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { takesGzip } from '../../base/compress.js';
import type { Exchange } from '../../base/exchange.js';
import { Refusal } from '../../base/refusals/refusal.js';
import type { Compiled } from '../../compile.js';
import type { Asset } from '../../graphql/page/assets.js';
import { assetsPath, PAGE_POLICY, type Page, readPage } from '../../graphql/page/page.js';
import type { OpenEndpoint } from '../calls/open-endpoint.js';
import { endLingering } from '../http/linger.js';
import { pageExample } from './page-example.js';

/** GraphiQL and its files, for browsers: people give their credentials on the page. Null where there is no page. Its files are read when the first browser comes. */
export function makePageEndpoint(compiled: Compiled): OpenEndpoint | null {
  const { config, graph, trusted } = compiled;
  const { graphiql, introspection } = config.graphql;
  // It asks in words of its own.
  if (!graphiql || trusted?.only === true) return null;
  // The example shows names of the schema: only where every caller may introspect it.
  const isOpen = introspection && config.clients?.classes === undefined;
  const folder = assetsPath(graph.path);
  let reading: Promise<Page> | null = null;
  return {
    isFor: (path, request) => (path === graph.path ? wantsPage(request) : path.startsWith(folder)),
    async answer(exchange, path, request, response) {
      exchange.route = 'graphql';
      exchange.operation = 'page';
      if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal('HTTP_METHOD');
      reading ??= readPage(graph.path, isOpen ? pageExample(compiled) : '');
      const page = await reading;
      if (path === graph.path) {
        send(exchange, response, 200, PAGE_FIELDS, page.html);
        return;
      }
      const asset = page.assets.get(path);
      if (asset === undefined) throw new Refusal('HTTP_NOT_FOUND');
      sendAsset(exchange, request, response, asset, page.tag);
    },
  };
}

/** A browser that was pointed here: it wants HTML first and asks nothing. */
const wantsPage = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' && !url.includes('?') && (headers.accept ?? '').startsWith('text/html');

const PAGE_FIELDS = [
  ...['content-type', 'text/html; charset=utf-8'],
  ...['content-security-policy', PAGE_POLICY],
  ...['referrer-policy', 'no-referrer'],
  ...['cache-control', 'no-cache'],
  ...['vary', 'accept'],
];

function sendAsset(
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
