import type { IncomingMessage } from 'node:http';

import { Refusal } from '../../core/index.js';

export interface Target {
  readonly path: string;
  /** '' or a query with its question mark. */
  readonly query: string;
}

/** The absolute form (RFC 9112 section 3.2.2), without user information. */
const ABSOLUTE = /^http:\/\/([^/?#@\\]{1,261})([/?].*)?$/i;

/**
 * The target of a request, taken apart. A whole address becomes a path when it names the host that
 * is asked; another host is refused with `HTTP_BAD_REQUEST`, for nothing here is a proxy for other
 * people's addresses, and so is a path that one server reads differently from the next.
 */
export function readTarget(request: IncomingMessage): Target {
  let { url = '' } = request;
  if (!url.startsWith('/')) {
    const [, authority, rest = '/'] = ABSOLUTE.exec(url) ?? [];
    if (
      authority === undefined ||
      authority.toLowerCase() !== request.headers.host?.toLowerCase()
    ) {
      throw new Refusal('HTTP_BAD_REQUEST', 'target');
    }
    url = rest.startsWith('/') ? rest : `/${rest}`;
    // Later readers of the target, a proxied route above all, must see the path alone.
    request.url = url;
  }
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!ORDINARY.test(path) && (AMBIGUOUS.test(path) || UNPRINTABLE.test(path))) {
    throw new Refusal('HTTP_BAD_REQUEST', 'path');
  }
  const query = mark < 0 ? '' : url.slice(mark);
  if (query !== '' && UNPRINTABLE.test(query)) throw new Refusal('HTTP_BAD_REQUEST', 'query');
  return { path, query };
}

/** Almost every path: no segment that begins with a dot, nothing encoded. */
const ORDINARY = /^(?:\/[\w~-][\w.~-]*)+$/;

/**
 * Empty segments and those of dots (with parameters too, which some servers take off before they
 * look), encoded dots, slashes and NUL, percent signs that encode nothing, and what ends or begins
 * something else in an address.
 */
const AMBIGUOUS =
  /\/\/|\/\.{1,2}(?:[/;]|%3b|$)|%(?:2e|2f|5c|00|25(?:2e|2f|5c|00))|%(?![0-9a-f]{2})|[\\@]/i;

/**
 * Blanks, controls and what is not US-ASCII; and `#`, for a fragment is not sent (RFC 9112 section
 * 3.2).
 */
const UNPRINTABLE = /[^!"$-~]/;
