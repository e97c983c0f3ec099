import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../base/exchange.js';
import type { Compiled } from '../compile.js';
import { makePlainProxy, type PlainProxy } from '../upstream/plain.js';
import { linger, REQUEST_ID } from './body/linger.js';
import { invite } from './invite.js';

/** Passes a request on if its path belongs to a plain route; resolves to false if it does not. */
export type PlainDoor = (
  exchange: Exchange,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<boolean>;

interface Route {
  readonly path: string;
  readonly proxy: PlainProxy;
}

/** The doors of the paths that hold no envelope; the longest path that fits wins. */
export function makePlainDoor({ config }: Compiled): PlainDoor {
  const routes = config.routes
    .map(({ path, url }): Route => ({ path, proxy: makePlainProxy(url, config.limits.upstream.headersMillis, linger) }))
    .sort((one, other) => other.path.length - one.path.length);
  return async (exchange, path, request, response) => {
    const route = routes.find((candidate) => isBelow(path, candidate.path));
    if (route === undefined) return false;
    exchange.route = route.path;
    invite(request, response);
    await route.proxy(request, response, [REQUEST_ID, exchange.id]);
    exchange.status = response.statusCode;
    return true;
  };
}

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/');
