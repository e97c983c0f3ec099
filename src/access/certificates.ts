import { Buffer, isUtf8 } from 'node:buffer';

import { Refusal } from '../core/index.js';
import { x509 } from '../wss/index.js';
import type { Identifier } from './access.js';
import {
  type CallerIdentity,
  type Client,
  type ClientCertificate,
  type ClientClass,
  clientOf,
  type Head,
} from './client.js';
import { labelOf } from './label.js';
import type { Networks } from './network/networks.js';

export interface CertificateClient {
  readonly name: string;
  readonly rights: ClientClass;
  /**
   * As the proxy writes it; or the subject, an alternative name or the fingerprint of a certificate
   * verified here.
   */
  readonly subject: string;
}

/**
 * Identifies clients by a certificate that the gateway has verified itself, or that a trusted proxy
 * has verified and writes into a header field. From other peers the field is ignored.
 */
export class Certificates implements Identifier {
  readonly #header: string;
  readonly #bySubject: ReadonlyMap<string, Client>;
  /** The listed clients by the attributes of the subject, in whatever order they were written. */
  readonly #byName: ReadonlyMap<string, Client>;
  /** The class of clients that are not listed; null: they are refused. */
  readonly #others: ClientClass | null;
  readonly #proxies: Networks;
  /** A connection has one certificate for all its requests. */
  readonly #byCertificate = new WeakMap<ClientCertificate, Client>();

  constructor(
    header: string,
    clients: readonly CertificateClient[],
    others: ClientClass | null,
    proxies: Networks,
  ) {
    this.#header = header.toLowerCase();
    this.#others = others;
    this.#proxies = proxies;
    const bySubject = new Map<string, Client>();
    const byName = new Map<string, Client>();
    for (const { name, rights, subject } of clients) {
      const client = Object.freeze(subjectOf(`certificate:${name}`, name, rights));
      bySubject.set(subject, client);
      const key = x509.configuredNameKey(subject);
      if (key !== null) {
        byName.set(key, client);
      }
    }
    this.#bySubject = bySubject;
    this.#byName = byName;
  }

  identify({ headers, address, certificate = null }: CallerIdentity): Client | null {
    // The certificate of a proxy is its own, and no client's.
    if (certificate !== null && !this.#proxies.has(address)) {
      const known = this.#byCertificate.get(certificate);
      if (known !== undefined) return known;
      // Long connections end with it.
      const client = Object.freeze({
        ...this.#ofCertificate(certificate),
        expiresMillis: certificate.endMillis,
      });
      this.#byCertificate.set(certificate, client);
      return client;
    }
    const field = headers[this.#header];
    const subject = typeof field === 'string' ? writtenText(field) : field;
    // A proxy whose client has no certificate writes nothing.
    if (subject === undefined || subject === '' || !this.#proxies.has(address)) return null;
    if (typeof subject !== 'string') throw new Refusal('UNAUTHENTICATED', 'certificate');
    const known = this.#bySubject.get(subject) ?? this.#named(subject);
    if (known !== undefined) return known;
    if (this.#others === null) throw notListed(`${shown(subject)}, as a proxy names it`);
    return subjectOf(`subject:${subject}`, null, this.#others);
  }

  /** A certificate has one subject in any order of its parts, which differs between programs. */
  #named(subject: string): Client | undefined {
    const key = this.#byName.size === 0 ? null : x509.nameKey(subject);
    return key === null ? undefined : this.#byName.get(key);
  }

  #ofCertificate({ subject, names, fingerprint }: ClientCertificate): Client {
    for (const text of [fingerprint, subject, ...names]) {
      const known = this.#bySubject.get(text);
      if (known !== undefined) return known;
    }
    const named = this.#named(subject);
    if (named !== undefined) return named;
    if (this.#others === null) throw notListed(`${shown(subject)}, SHA-256 ${fingerprint}`);
    return subjectOf(`subject:${subject}`, null, this.#others);
  }

  /** A certificate is no secret, but backends may trust the field: only a proxy may write it. */
  withhold({ headers, address }: Head): void {
    if (!this.#proxies.has(address)) {
      delete headers[this.#header];
    }
  }
}

/** The text of a field: Node reads each byte as a character, and proxies write names in UTF-8. */
function writtenText(field: string): string {
  if (!/[\x80-\xff]/.test(field)) return field;
  const bytes = Buffer.from(field, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : field;
}

/** The certificate is verified, and no client of the configuration has it. */
const notListed = (certificate: string): Refusal =>
  new Refusal('UNAUTHENTICATED', `the certificate is listed nowhere: ${certificate}`);

/** Characters of a subject in a line of the log. */
const SUBJECT_CHARS_MAX = 512;

/**
 * A subject is what its authority has signed, or what a proxy has written: any characters, of any
 * number.
 */
const shown = (subject: string): string =>
  subject.slice(0, SUBJECT_CHARS_MAX).replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?');

const subjectOf = (id: string, name: string | null, rights: ClientClass): Client =>
  clientOf(
    'certificate',
    { id, name, label: name === null ? labelOf('certificate', id) : id },
    rights,
  );
