import type { IncomingMessage } from 'node:http';

import { forwardedScheme } from '../../access/network/forwarded-scheme.js';
import type { Networks } from '../../access/network/networks.js';
import type { Compiled } from '../../compile.js';
import { Refusal } from '../../core/index.js';
import { hostNames } from '../../gateway/host-name.js';
import { isEncrypted } from '../../listen/peer-certificate.js';

/**
 * A Host as RFC 9110 section 7.2 has it, without user information; anything else is no place to
 * send callers to.
 */
const HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/**
 * The gateway's address as a caller reaches it: `publicUrl`, else that of the request. Of a trusted
 * proxy, `X-Forwarded-Proto` has the scheme, and `X-Forwarded-Host` the host where `hosts` names
 * it; of other peers neither counts.
 */
export class ServedAddress {
  readonly #publicUrl: string | null;
  readonly #proxies: Networks;
  readonly #hosts: ReadonlySet<string>;
  /** The request fields that the address depends on, besides Host. */
  readonly varies: string;

  constructor({ config, trustedProxies }: Pick<Compiled, 'config' | 'trustedProxies'>) {
    this.#publicUrl = config.publicUrl?.replace(/\/$/, '') ?? null;
    this.#proxies = trustedProxies;
    this.#hosts = hostNames(config.hosts);
    const depends = this.#publicUrl === null && !trustedProxies.isEmpty;
    this.varies = depends ? ', x-forwarded-proto, x-forwarded-host' : '';
  }

  /** `https://host:port`. Throws `HTTP_BAD_REQUEST` for a Host that is none. */
  of({ headers, socket }: IncomingMessage, peer: string): string {
    if (this.#publicUrl !== null) return this.#publicUrl;
    const isTrusted = this.#proxies.has(peer);
    const named = isTrusted ? this.#knownHost(headers['x-forwarded-host']) : null;
    const host = named ?? headers.host ?? '';
    if (!HOST.test(host)) throw new Refusal('HTTP_BAD_REQUEST', 'Host');
    const scheme = isTrusted ? forwardedScheme(headers['x-forwarded-proto']) : null;
    return `${scheme ?? (isEncrypted(socket) ? 'https' : 'http')}://${host}`;
  }

  #knownHost(field: string | readonly string[] | undefined): string | null {
    if (typeof field !== 'string') return null;
    const name = HOST.exec(field)?.[1] ?? '';
    return this.#hosts.has(name.toLowerCase().replace(/\.$/, '')) ? field : null;
  }
}
