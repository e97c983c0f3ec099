import { performance } from 'node:perf_hooks';
import { hasPathPrefix } from '../../compile/listen/routes.js';
import type { Compiled } from '../../compile.js';
import { asRefusal, httpFields, Refusal } from '../../core/index.js';
import { makePlainProxy, type PlainProxy } from '../../upstream/index.js';
import { authorizeAndChargeOther } from '../calls/authorize.js';
import { consultAboutPath } from '../calls/consult-policy.js';
import type { HttpExchange } from '../calls/http-exchange.js';
import { invite } from '../http/invite-body.js';
import { linger, REQUEST_ID } from '../http/linger.js';

/**
 * Passes a request on whose path belongs to a plain route. Rejects with a refusal, `HTTP_NOT_FOUND`
 * for other paths.
 */
export type PlainEndpoint = (asked: HttpExchange, path: string) => Promise<void>;

interface Route {
  readonly path: string;
  readonly url: URL;
  readonly proxy: PlainProxy;
}

/** The endpoints of the paths that hold no envelope; the longest path that fits wins. */
export function makePlainEndpoint({ config, policy, via }: Compiled): PlainEndpoint {
  const requestId = config.headerCase === 'lower' ? REQUEST_ID : httpFields.usualName(REQUEST_ID);
  const routes = config.routes
    .map(
      ({ path, url }): Route => ({
        path,
        url: new URL(url),
        proxy: makePlainProxy(url, config.limits.upstream.headersMillis, linger, (received) =>
          via.next(received),
        ),
      }),
    )
    .sort((one, other) => other.path.length - one.path.length);
  return async (asked, path) => {
    const { caller, exchange, request, response } = asked;
    const route = routes.find((candidate) => hasPathPrefix(path, candidate.path));
    if (route === undefined) throw new Refusal('HTTP_NOT_FOUND', null, { found: path });
    exchange.route = route.path;
    exchange.path = route.path;
    authorizeAndChargeOther(caller, caller.client.rights.permitsRoute(route.path));
    await consultAboutPath(policy, asked, null, path);
    invite(request, response);
    const observer = exchange.observer?.call(route.path, '', exchange.method) ?? null;
    if (observer !== null) {
      const { name, value } = observer.begin(route.url, performance.now());
      request.headers[name] = value;
    }
    try {
      await route.proxy(request, response, [requestId, exchange.id]);
      observer?.end(response.statusCode, null);
    } catch (caught) {
      observer?.end(0, asRefusal(caught).code);
      throw caught;
    }
    exchange.status = response.statusCode;
  };
}
