import { Buffer } from 'node:buffer';

import { Refusal } from '../base/refusal.js';
import type { Identifier } from './access.js';
import { type Caller, type Client, type ClientCertificate, type ClientClass, clientOf, type Head } from './client.js';
import { labelOf } from './label.js';
import type { Networks } from './networks.js';

export interface CertificateClient {
  readonly name: string;
  readonly rights: ClientClass;
  /** As the proxy writes it; or the subject, an alternative name or the fingerprint of a certificate verified here. */
  readonly subject: string;
}

/**
 * Identifies clients by a certificate that the gateway has verified itself, or that a trusted proxy has verified and
 * writes into a header field. From other peers the field is ignored.
 */
export class Certificates implements Identifier {
  readonly #header: string;
  readonly #bySubject: ReadonlyMap<string, Client>;
  /** Of those that are not listed; null: they are refused. */
  readonly #others: ClientClass | null;
  readonly #proxies: Networks;

  constructor(header: string, clients: readonly CertificateClient[], others: ClientClass | null, proxies: Networks) {
    this.#header = header.toLowerCase();
    this.#others = others;
    this.#proxies = proxies;
    this.#bySubject = new Map(
      clients.map(({ name, rights, subject }) => [
        subject,
        Object.freeze(subjectOf(`certificate:${name}`, name, rights)),
      ]),
    );
  }

  identify({ headers, address, certificate = null }: Caller): Client | null {
    // The certificate of a proxy is its own, and no client's.
    if (certificate !== null && !this.#proxies.has(address)) return this.#ofCertificate(certificate);
    const subject = headers[this.#header];
    // A proxy whose client has no certificate writes nothing.
    if (subject === undefined || subject === '' || !this.#proxies.has(address)) return null;
    if (typeof subject !== 'string') throw new Refusal('UNAUTHENTICATED', 'certificate');
    const known = this.#bySubject.get(subject);
    if (known !== undefined) return known;
    if (this.#others === null) throw new Refusal('UNAUTHENTICATED', 'certificate');
    return subjectOf(`subject:${subject}`, null, this.#others);
  }

  #ofCertificate({ subject, names, fingerprint }: ClientCertificate): Client {
    for (const text of [fingerprint, subject, escaped(subject), ...names]) {
      const known = this.#bySubject.get(text);
      if (known !== undefined) return known;
    }
    if (this.#others === null) throw new Refusal('UNAUTHENTICATED', 'certificate');
    return subjectOf(`subject:${subject}`, null, this.#others);
  }

  /** A certificate is no secret, but backends may trust the field: only a proxy may write it. */
  withhold({ headers, address }: Head): void {
    if (!this.#proxies.has(address)) delete headers[this.#header];
  }
}

/** A name as openssl prints it by RFC 2253: each byte beyond ASCII in hexadecimal. */
const escaped = (name: string): string =>
  name.replace(/[^\0-\x7f]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${byte.toString(16).toUpperCase()}`).join(''),
  );

const subjectOf = (id: string, name: string | null, rights: ClientClass): Client =>
  clientOf('certificate', { id, name, label: name === null ? labelOf('certificate', id) : id }, rights);
