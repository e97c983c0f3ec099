import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

import { x509 } from '../wss/index.js';

/** Certificates in a chain, at most. */
const CHAIN_MAX = 10;

/**
 * Verifies certificates of clients again, after their handshake: by authorities and revocation
 * lists that have changed. What it does not know is no good: the client can connect again, and the
 * handshake decides.
 */
export class ClientVerification {
  readonly #authorities: readonly X509Certificate[];
  readonly #revoked: ReadonlySet<string>;

  /** Both as PEM; `lists` null where none are checked. */
  constructor(authorities: string, lists: string | null) {
    this.#authorities = certificatesIn(authorities);
    this.#revoked = lists === null ? new Set() : x509.revokedSerials(lists);
  }

  /** Whether the client of a connection would pass a handshake now. True without a certificate. */
  accepts(socket: TLSSocket): boolean {
    const own = socket.getPeerX509Certificate();
    if (own === undefined) return true;
    try {
      return this.#isGood(own, chainOf(socket));
    } catch {
      // A certificate that cannot be read.
      return false;
    }
  }

  /** `sent` are the certificates that came with it. */
  #isGood(own: X509Certificate, sent: readonly X509Certificate[]): boolean {
    let certificate = own;
    for (let depth = 0; depth < CHAIN_MAX; depth++) {
      if (this.#isRevoked(certificate) || hasEnded(certificate)) return false;
      const authority = this.#authorities.find((each) => hasIssued(each, certificate));
      if (authority !== undefined && isSelfSigned(authority)) return !hasEnded(authority);
      const issuer = authority ?? sent.find((each) => hasIssued(each, certificate));
      if (issuer === undefined) return false;
      certificate = issuer;
    }
    return false;
  }

  #isRevoked({ serialNumber }: X509Certificate): boolean {
    return this.#revoked.has(x509.serialText(serialNumber));
  }
}

const certificatesIn = (pem: string): readonly X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );

/** The certificates that a client has sent beside its own. */
function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let { issuerCertificate: next } = socket.getPeerCertificate(true);
  // The last one is its own issuer.
  for (
    let last: unknown = null;
    next !== undefined && next !== last && chain.length < CHAIN_MAX;
  ) {
    chain.push(new X509Certificate(next.raw));
    last = next;
    next = next.issuerCertificate;
  }
  return chain;
}

const hasIssued = (issuer: X509Certificate, certificate: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate);

const hasEnded = ({ validTo }: X509Certificate): boolean => Date.parse(validTo) <= Date.now();
