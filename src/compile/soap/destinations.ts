import type { Config, ServiceConfig } from '../../config/schema.js';

/** Scheme, authority and the rest of an absolute address without user information and fragment. */
const ADDRESS = /^(https?):\/\/([^/?#@\\]{1,261})([/?][^#]*)?$/i;

/** The addresses that WS-Addressing `To` of a request may name. Made at start-up. */
export class Destinations {
  /** The address of the backend, as it goes into `To`. */
  readonly backend: string;
  readonly #path: string;
  readonly #own: string | null;
  readonly #permitted: ReadonlySet<string>;

  /**
   * `claimed` are the addresses in the WSDL: clients made from it before there was a gateway write
   * one of those.
   */
  constructor(service: ServiceConfig, publicUrl: Config['publicUrl'], claimed: readonly string[]) {
    const { urls } = service;
    this.backend = new URL(urls[0] ?? '').href;
    this.#path = service.path;
    this.#own =
      publicUrl === undefined ? null : normalForm(publicUrl.replace(/\/$/, '') + service.path);
    const addresses = [...urls, ...urls.map((url) => new URL(url).href)];
    this.#permitted = new Set([
      ...addresses.map((url) => normalForm(url) ?? url),
      ...[...service.addressing.destinations, ...claimed].map((url) => normalForm(url) ?? url),
    ]);
  }

  /**
   * Whether this is the gateway's own address for the service. `host` is the Host the caller named.
   */
  isOwn(to: string, host: string): boolean {
    const address = normalForm(to);
    if (address === null) return false;
    // A proxy that ends TLS in front of the gateway keeps the host and drops the scheme.
    return (
      address === this.#own ||
      address === normalForm(`http://${host}${this.#path}`) ||
      address === normalForm(`https://${host}${this.#path}`)
    );
  }

  /** Whether this is an address of the backend, or one the configuration lists. */
  permits(to: string): boolean {
    return this.#permitted.has(normalForm(to) ?? to);
  }
}

/**
 * An http address in normal form: no scheme, the host in lower case, no default port. Null for
 * other addresses.
 */
function normalForm(address: string): string | null {
  const [, scheme = '', authority, rest = '/'] = ADDRESS.exec(address) ?? [];
  if (authority === undefined) return null;
  const host = authority
    .toLowerCase()
    .replace(scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/, '');
  return host + (rest.startsWith('/') ? rest : `/${rest}`);
}
