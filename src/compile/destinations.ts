import type { Config, ServiceConfig } from '../config/schema.js';

/** Scheme, authority and the rest of an absolute address without user information and fragment. */
const ADDRESS = /^(https?):\/\/([^/?#@\\]{1,261})([/?][^#]*)?$/i;

/** What the WS-Addressing `To` of a request may name. Made at start-up. */
export class Destinations {
  /** The address of the backend, as it goes into `To`. */
  readonly backend: string;
  readonly #path: string;
  readonly #own: string | null;
  readonly #permitted: ReadonlySet<string>;

  /** `claimed` are the addresses in the WSDL: clients made from it before there was a gateway write one of those. */
  constructor(service: ServiceConfig, publicUrl: Config['publicUrl'], claimed: readonly string[]) {
    const { urls } = service;
    this.backend = new URL(urls[0] ?? '').href;
    this.#path = service.path;
    this.#own = publicUrl === undefined ? null : placeOf(publicUrl.replace(/\/$/, '') + service.path);
    const addresses = [...urls, ...urls.map((url) => new URL(url).href)];
    this.#permitted = new Set([
      ...addresses.map((url) => placeOf(url) ?? url),
      ...[...service.addressing.destinations, ...claimed].map((url) => placeOf(url) ?? url),
    ]);
  }

  /** Whether this is the gateway's own address for the service. `host` is the Host the caller named. */
  isOwn(to: string, host: string): boolean {
    const place = placeOf(to);
    if (place === null) return false;
    // Whoever ends TLS in front of the gateway keeps the host and drops the scheme.
    return (
      place === this.#own ||
      place === placeOf(`http://${host}${this.#path}`) ||
      place === placeOf(`https://${host}${this.#path}`)
    );
  }

  /** Whether this is an address of the backend, or one the configuration lists. */
  permits(to: string): boolean {
    return this.#permitted.has(placeOf(to) ?? to);
  }
}

/**
 * The place an http address names, the same text for the same place: no scheme, the host in lower case, no port that
 * goes without saying. Null for other addresses.
 */
function placeOf(address: string): string | null {
  const [, scheme = '', authority, rest = '/'] = ADDRESS.exec(address) ?? [];
  if (authority === undefined) return null;
  const host = authority.toLowerCase().replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '');
  return host + (rest.startsWith('/') ? rest : `/${rest}`);
}
