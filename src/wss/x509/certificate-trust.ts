import type { KeyObject, X509Certificate } from 'node:crypto';

import { collections } from '../../core/index.js';
import { type CertificateFields, readCertificateFields } from './certificate-fields.js';
import { attributeKey, rfc2253Name } from './distinguished-name.js';
import { serialText } from './revocation-list.js';
import { digestName, isDigestAccepted } from './signature-digest.js';
import type { SignedList } from './signed-list.js';

/** A certificate with its fields, parsed once. */
export interface ParsedCertificate {
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
  /** The subject as in RFC 2253: `CN=erp,O=Bank`. */
  readonly subject: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  readonly fields: CertificateFields;
  /** The attributes of its subject, each as a key of `attributeKey`. */
  readonly attributes: ReadonlySet<string>;
  readonly startMillis: number;
  readonly endMillis: number;
}

/**
 * Reads what is asked of a certificate; null for one whose encoding is not understood. Throws where
 * its key cannot be read.
 */
export function parseCertificate(certificate: X509Certificate): ParsedCertificate | null {
  // The key is read first: without one, `toLegacyObject` ends the process (Node 24.21).
  const { publicKey, fingerprint256: fingerprint } = certificate;
  const fields = readCertificateFields(certificate.raw);
  if (fields === null) return null;
  const attributes = new Set<string>();
  for (const [type, values] of Object.entries(certificate.toLegacyObject().subject ?? {})) {
    for (const value of Array.isArray(values) ? values : [values]) {
      attributes.add(attributeKey(type, String(value)));
    }
  }
  const [startMillis, endMillis] = [
    Date.parse(certificate.validFrom),
    Date.parse(certificate.validTo),
  ];
  const subject = rfc2253Name(certificate.subject);
  return {
    certificate,
    publicKey,
    subject,
    fingerprint,
    fields,
    attributes,
    startMillis,
    endMillis,
  };
}

export interface TrustOptions {
  readonly authorities: readonly ParsedCertificate[];
  /** Certificates of authorities below those, by which chains are built. A message brings none. */
  readonly intermediates: readonly ParsedCertificate[];
  /** Every authority of a chain has to have a list; null: revocation is not checked. */
  readonly revocations: readonly SignedList[] | null;
  /**
   * Digests by which the certificates of a chain may be signed. That of an authority itself does
   * not count.
   */
  readonly digests: ReadonlySet<string>;
}

/** Certificates between the one of a signature and that of the authority. */
const PATH_MAX = 8;
const CACHED_MAX = 1024;

/** The result for one certificate: why it is not trusted, or null; and when that may change. */
interface Verdict {
  readonly problem: string | null;
  readonly startMillis: number;
  readonly endMillis: number;
}

/**
 * Decides which certificates are trusted: a chain to a configured authority (RFC 5280 section 6).
 * Signatures of certificates are verified by OpenSSL. Constraints of names are not understood, so
 * authorities with critical ones are not trusted.
 */
export class CertificateTrust {
  readonly #options: TrustOptions;
  readonly #verdicts = new collections.BoundedCache<Verdict>({ size: CACHED_MAX, sizeOf: () => 1 });

  constructor(options: TrustOptions) {
    this.#options = options;
  }

  /** Why the certificate is not trusted at this time, for the log; null where it is. */
  problemOf(leaf: ParsedCertificate, nowMillis: number): string | null {
    const key = leaf.fingerprint;
    const known = this.#verdicts.get(key);
    if (known !== undefined && nowMillis >= known.startMillis && nowMillis < known.endMillis) {
      return known.problem;
    }
    const { problem, path } = this.#validate(leaf, nowMillis);
    // A refused one is validated again: its time may come.
    if (problem === null) {
      this.#verdicts.set(key, { problem, ...this.#timesOf(path) });
    }
    return problem;
  }

  #timesOf(path: readonly ParsedCertificate[]): Pick<Verdict, 'startMillis' | 'endMillis'> {
    const lists = (this.#options.revocations ?? []).flatMap(({ endMillis }) =>
      endMillis === null ? [] : [endMillis],
    );
    return {
      startMillis: Math.max(...path.map(({ startMillis }) => startMillis)),
      endMillis: Math.min(...path.map(({ endMillis }) => endMillis), ...lists),
    };
  }

  #validate(
    leaf: ParsedCertificate,
    nowMillis: number,
  ): { problem: string | null; path: readonly ParsedCertificate[] } {
    const path = [leaf];
    if (leaf.fields.keyUses?.signs === false) {
      return { problem: 'its key is not for signatures', path };
    }
    for (let last = leaf; path.length <= PATH_MAX; ) {
      const problem = this.#problemAt(path.length - 1, last, nowMillis);
      if (problem !== null) return { problem, path };
      if (this.#isAuthority(last)) return { problem: null, path };
      const weak = this.#weaknessOf(path.length - 1, last);
      if (weak !== null) return { problem: weak, path };
      const issuer = this.#issuerOf(last, nowMillis);
      if (issuer === null) return { problem: 'no chain to an authority', path };
      const revoked = this.#revocationOf(last, issuer, nowMillis);
      if (revoked !== null) return { problem: revoked, path };
      path.push(issuer);
      last = issuer;
    }
    return { problem: 'the chain is too long', path };
  }

  /** `below`: certificates of the chain below this one. */
  #problemAt(
    below: number,
    { certificate, fields, startMillis, endMillis }: ParsedCertificate,
    nowMillis: number,
  ): string | null {
    if (!(nowMillis >= startMillis && nowMillis < endMillis)) {
      return below === 0 ? 'it is not valid now' : 'an authority is not valid now';
    }
    if (fields.hasUnknownCritical) return 'a critical extension is not understood';
    if (below === 0) return null;
    if (!certificate.ca || fields.keyUses?.signsCertificates === false) {
      return 'its issuer is no authority';
    }
    // The certificate of the signature does not count.
    return fields.pathLengthMax !== null && below - 1 > fields.pathLengthMax
      ? 'the chain is longer than its authority allows'
      : null;
  }

  #weaknessOf(below: number, { fields }: ParsedCertificate): string | null {
    if (isDigestAccepted(fields.signatureDigest, this.#options.digests)) return null;
    const what = below === 0 ? 'it' : 'an authority';
    return `${what} is signed with ${digestName(fields.signatureDigest)}`;
  }

  #isAuthority({ certificate }: ParsedCertificate): boolean {
    return this.#options.authorities.some((authority) =>
      authority.certificate.raw.equals(certificate.raw),
    );
  }

  /** Finds the first that is valid: several have one name while keys roll over. */
  #issuerOf({ certificate }: ParsedCertificate, nowMillis: number): ParsedCertificate | null {
    const { authorities, intermediates } = this.#options;
    const issuers = [...authorities, ...intermediates].filter(
      (one) => certificate.checkIssued(one.certificate) && certificate.verify(one.publicKey),
    );
    return (
      issuers.find((one) => nowMillis >= one.startMillis && nowMillis < one.endMillis) ??
      issuers[0] ??
      null
    );
  }

  /** The list was verified at start-up, with the key of an authority of this name. */
  #revocationOf(
    { certificate }: ParsedCertificate,
    issuer: ParsedCertificate,
    nowMillis: number,
  ): string | null {
    const { revocations } = this.#options;
    if (revocations === null) return null;
    const lists = revocations.filter(
      (list) => list.issuer.equals(issuer.fields.subject) && list.isSignedBy(issuer.publicKey),
    );
    if (lists.length === 0) return 'its authority has no revocation list';
    if (lists.every(({ endMillis }) => endMillis !== null && endMillis <= nowMillis)) {
      return 'the revocation list is out of date';
    }
    const serial = serialText(certificate.serialNumber);
    return lists.some(({ serials }) => serials.has(serial)) ? 'it is revoked' : null;
  }
}
