import type { IncomingMessage } from 'node:http';

import { Refusal } from '../base/refusal.js';

export interface Target {
  readonly path: string;
  /** '' or a query with its question mark. */
  readonly query: string;
}

/** The absolute form (RFC 9112 section 3.2.2), without user information. */
const ABSOLUTE = /^http:\/\/([^/?#@\\]{1,261})([/?].*)?$/i;

/**
 * The target of a request, taken apart. A whole address becomes a path when it names the host that is asked; another
 * host is refused with `HTTP_BAD_REQUEST`: nothing here is a proxy for other people's addresses.
 */
export function readTarget(request: IncomingMessage): Target {
  const { url = '' } = request;
  if (url.startsWith('/')) return split(url);
  const [, authority, rest = '/'] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== request.headers.host?.toLowerCase()) {
    throw new Refusal('HTTP_BAD_REQUEST', 'target');
  }
  // Whoever reads the target after this, a proxied route above all, must see the path alone.
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return split(request.url);
}

function split(url: string): Target {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark) };
}
