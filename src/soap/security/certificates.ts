import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

import { BoundedCache } from '../../base/bounded-cache.js';
import { type CertificateTrust, type ParsedCertificate, parseCertificate } from '../../base/x509/certificate-trust.js';
import { attributeKeys, nameKey } from '../../base/x509/distinguished-name.js';
import { serialText } from '../../base/x509/revocation-list.js';
import { problemOfKey } from './algorithms.js';
import type { KeyName } from './key-info.js';
import { failedAuthentication, invalidToken, tokenUnavailable, unsupportedToken } from './refusals.js';

/** Ways to name a key that the configuration can allow. */
export const KEY_REFERENCES = ['token', 'issuerSerial', 'keyIdentifier', 'thumbprint', 'embedded', 'x509Data'] as const;
export type KeyReference = (typeof KEY_REFERENCES)[number];

export interface CertificateRules {
  readonly trust: CertificateTrust;
  /** Certificates that a message names without bringing them. */
  readonly known: readonly ParsedCertificate[];
  readonly references: ReadonlySet<KeyReference>;
  /** A bare key is taken where it is that of a known certificate. */
  readonly takesKnownKeys: boolean;
  /** Subjects that may sign, each by keys of its attributes; null: all of the authorities. */
  readonly subjects: readonly (readonly string[])[] | null;
}

/** A certificate is a few KiB; longer tokens are none. */
const TOKEN_BYTES_MAX = 16 * 1024;
const CACHED_MAX = 1024;

/** Finds and judges the certificates of messages. Trusted ones are kept by the hash of their encoding. */
export class Certificates {
  readonly #rules: CertificateRules;
  readonly #trusted = new BoundedCache<ParsedCertificate>({ size: CACHED_MAX, sizeOf: () => 1 });

  constructor(rules: CertificateRules) {
    this.#rules = rules;
  }

  /**
   * The certificate that a signature names, which is trusted now. `tokenOf` finds the token of the message with an Id.
   * Throws `wsse:FailedAuthentication`, `wsse:InvalidSecurityToken`, `wsse:UnsupportedSecurityToken`,
   * `wsse:SecurityTokenUnavailable`.
   */
  find(name: KeyName, tokenOf: (id: string) => Buffer, nowMillis: number): ParsedCertificate {
    const found = this.#locate(name, tokenOf);
    const problem = this.#rules.trust.problemOf(found, nowMillis);
    if (problem !== null) throw failedAuthentication(`the certificate of the signature: ${problem}`);
    const weak = problemOfKey(found.certificate.publicKey);
    if (weak !== null) throw failedAuthentication(`the certificate of the signature has ${weak}`);
    if (!this.maySign(found))
      throw failedAuthentication('the subject of the certificate is not among those that may sign');
    this.#trusted.set(found.certificate.fingerprint256, found);
    return found;
  }

  maySign({ attributes }: ParsedCertificate): boolean {
    const { subjects } = this.#rules;
    return subjects === null || subjects.some((keys) => keys.every((key) => attributes.has(key)));
  }

  #locate(name: KeyName, tokenOf: (id: string) => Buffer): ParsedCertificate {
    switch (name.by) {
      case 'token':
        return this.#parse('token', tokenOf(name.id));
      case 'embedded':
        return this.#parse('embedded', name.der);
      case 'x509Data':
        return this.#parse('x509Data', name.der);
      case 'issuerSerial': {
        if (name.der !== null && this.#rules.references.has('x509Data')) return this.#parse('x509Data', name.der);
        this.#allow(name.isBare ? 'x509Data' : 'issuerSerial');
        const issuer = nameKey(name.issuer);
        return this.#knownOne(
          ({ certificate }) =>
            serialText(certificate.serialNumber) === serialText(name.serial) &&
            issuer !== null &&
            nameKey(inLine(certificate.issuer)) === issuer,
        );
      }
      case 'keyIdentifier':
        this.#allow('keyIdentifier');
        return this.#knownOne(({ fields }) => fields.keyIdentifier?.equals(name.identifier) === true);
      case 'thumbprint':
        this.#allow('thumbprint');
        return this.#knownOne(({ certificate }) =>
          createHash('sha1').update(certificate.raw).digest().equals(name.sha1),
        );
      case 'keyValue': {
        if (!this.#rules.takesKnownKeys) throw unsupportedToken('a bare key');
        const key = keyOf(name);
        return this.#knownOne(({ certificate }) => key !== null && certificate.publicKey.equals(key));
      }
      case 'assertion':
        throw unsupportedToken('the key of an assertion');
    }
  }

  #allow(reference: KeyReference): void {
    if (!this.#rules.references.has(reference)) throw unsupportedToken(`a key by ${reference}`);
  }

  /** Exactly one of those that are known. */
  #knownOne(matches: (one: ParsedCertificate) => boolean): ParsedCertificate {
    const [found, ...others] = this.#rules.known.filter(matches);
    if (found === undefined || others.length > 0)
      throw tokenUnavailable('the certificate of the signature is not known');
    return found;
  }

  #parse(reference: KeyReference, der: Buffer): ParsedCertificate {
    this.#allow(reference);
    if (der.length > TOKEN_BYTES_MAX) throw invalidToken('a certificate that is too long');
    const known = this.#trusted.get(fingerprintOf(der));
    if (known !== undefined) return known;
    let parsed: ParsedCertificate | null;
    try {
      parsed = parseCertificate(new X509Certificate(der));
    } catch {
      parsed = null;
    }
    // Bytes behind the certificate would be cached, and signed, under another name.
    if (parsed === null || !parsed.certificate.raw.equals(der)) throw invalidToken('the token is no certificate');
    return parsed;
  }
}

/** As `X509Certificate.fingerprint256`. */
const fingerprintOf = (der: Buffer): string =>
  (createHash('sha256').update(der).digest('hex').toUpperCase().match(/../g) ?? []).join(':');

/** A name of Node, an attribute in each line, as one text. */
const inLine = (name: string): string => name.trim().split('\n').join(',').replaceAll(' + ', '+');

function keyOf({ node }: Extract<KeyName, { readonly by: 'keyValue' }>): KeyObject | null {
  const text = (local: string): string => {
    for (const part of [node, ...node.elements, ...node.elements.flatMap(({ elements }) => elements)]) {
      if (part.local === local) return part.ownText.replaceAll(/[ \t\r\n]/g, '');
    }
    return '';
  };
  try {
    if (node.local === 'DEREncodedKeyValue')
      return createPublicKey({ key: Buffer.from(text('DEREncodedKeyValue'), 'base64'), format: 'der', type: 'spki' });
    const [n, e] = [text('Modulus'), text('Exponent')].map((value) =>
      Buffer.from(value, 'base64').toString('base64url'),
    );
    return createPublicKey({ key: { kty: 'RSA', n: n ?? '', e: e ?? '' }, format: 'jwk' });
  } catch {
    return null;
  }
}

/** A configured subject as keys of its attributes; null for a text that is none. */
export const subjectKeys = (text: string): readonly string[] | null => attributeKeys(text);
