import { hostNames, nameInHost } from '../../gateway/host-name.js';
import type { CallerIdentity } from '../client.js';
import { forwardedScheme } from './forwarded-scheme.js';
import type { Networks } from './networks.js';

/** How callers reach the gateway. */
export interface ReachedBy {
  /** Null: the requests themselves name its address. */
  readonly publicUrl: string | null;
  readonly hosts: readonly string[];
  /** The hosts that it listens on. */
  readonly listenHosts: readonly string[];
  readonly proxies: Networks;
}

type Sent = Pick<CallerIdentity, 'headers' | 'address' | 'isTls'>;

/**
 * Compares the URI that a client says it has sent its request to with that of the request (RFC 9449
 * section 4.3): below `publicUrl`, or as its connection and its Host have it. A trusted proxy names
 * scheme and host. Where the configuration names hosts, no other one counts: a client may have sent
 * the same proof to the server of another name.
 */
export class TargetUris {
  readonly #base: string | null;
  readonly #names: ReadonlySet<string>;
  readonly #isOfAnyName: boolean;
  readonly #proxies: Networks;

  constructor({ publicUrl, hosts, listenHosts, proxies }: ReachedBy) {
    const published = publicUrl === null ? [] : [new URL(publicUrl).hostname];
    this.#base = publicUrl?.replace(/\/+$/, '') ?? null;
    this.#names = hostNames([...hosts, ...published, ...listenHosts]);
    this.#isOfAnyName = publicUrl === null && hosts.length === 0;
    this.#proxies = proxies;
  }

  /** Whether a URI, without its query and its fragment, is that of a request for `path`. */
  isTarget(uri: string, sent: Sent, path: string): boolean {
    const named = normalForm(uri);
    if (named === null) return false;
    if (this.#base !== null && normalForm(this.#base + path) === named) return true;
    const origin = this.#originOf(sent);
    return origin !== null && normalForm(origin + path) === named;
  }

  #originOf({ headers, address, isTls = false }: Sent): string | null {
    const isTrusted = this.#proxies.has(address);
    const forwarded = isTrusted ? this.#named(headers['x-forwarded-host']) : null;
    const { host } = headers;
    const own = this.#isOfAnyName && typeof host === 'string' ? host : this.#named(host);
    const name = forwarded ?? own;
    if (name === null || nameInHost(name) === null) return null;
    const scheme = isTrusted ? forwardedScheme(headers['x-forwarded-proto']) : null;
    return `${scheme ?? (isTls ? 'https' : 'http')}://${name}`;
  }

  /** A host that the configuration names; null for any other. */
  #named(field: string | readonly string[] | undefined): string | null {
    if (typeof field !== 'string') return null;
    const name = nameInHost(field);
    return name !== null && this.#names.has(name) ? field : null;
  }
}

/** WebSockets are opened by a request of HTTP. */
const SCHEMES: Readonly<Record<string, string>> = {
  'http:': 'http:',
  'https:': 'https:',
  'ws:': 'http:',
  'wss:': 'https:',
};

/** A URI has signs of US-ASCII only. */
const ASCII = /^[!-~]+$/;

/**
 * A URI in the one form of RFC 3986 sections 6.2.2 and 6.2.3, without query and fragment; null for
 * another thing, and for one with user information.
 */
function normalForm(uri: string): string | null {
  if (!ASCII.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, username, password, host, pathname } = new URL(uri);
  const scheme = SCHEMES[protocol];
  if (scheme === undefined || username !== '' || password !== '') return null;
  const path = pathname.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const sign = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(sign) ? sign : escaped.toUpperCase();
  });
  return `${scheme}//${host}${path}`;
}
