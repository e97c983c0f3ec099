import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Exchange } from '../../base/exchange.js';
import { Refusal } from '../../base/refusal.js';
import type { Compiled } from '../../compile.js';
import { makePlainProxy, type PlainProxy } from '../../upstream/plain.js';
import { type Purse, passOther } from '../calls/authorize.js';
import { invite } from '../http/continue.js';
import { linger, REQUEST_ID } from '../http/linger.js';

/** Passes a request on whose path belongs to a plain route. Rejects with a refusal, `HTTP_NOT_FOUND` for other paths. */
export type PlainDoor = (
  purse: Purse,
  exchange: Exchange,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

interface Route {
  readonly path: string;
  readonly proxy: PlainProxy;
}

/** The doors of the paths that hold no envelope; the longest path that fits wins. */
export function makePlainDoor({ config }: Compiled): PlainDoor {
  const routes = config.routes
    .map(({ path, url }): Route => ({ path, proxy: makePlainProxy(url, config.limits.upstream.headersMillis, linger) }))
    .sort((one, other) => other.path.length - one.path.length);
  return async (purse, exchange, path, request, response) => {
    const route = routes.find((candidate) => isBelow(path, candidate.path));
    if (route === undefined) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
    exchange.route = route.path;
    passOther(purse, purse.client.rights.permitsRoute(route.path));
    invite(request, response);
    await route.proxy(request, response, [REQUEST_ID, exchange.id]);
    exchange.status = response.statusCode;
  };
}

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (prefix.endsWith('/') || path.length === prefix.length || path[prefix.length] === '/');
