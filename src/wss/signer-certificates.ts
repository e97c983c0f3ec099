import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

import { collections } from '../core/index.js';
import { problemOfKey } from './algorithms.js';
import type { KeyName } from './key-info.js';
import {
  failedAuthentication,
  invalidToken,
  tokenUnavailable,
  unsupportedToken,
} from './security-refusals.js';
import { decodeBase64 } from './strict-elements.js';
import {
  type CertificateTrust,
  type ParsedCertificate,
  parseCertificate,
} from './x509/certificate-trust.js';
import { nameKey, rfc2253Name } from './x509/distinguished-name.js';
import { serialText } from './x509/revocation-list.js';

/** Ways to name a key that the configuration can allow. */
export const KEY_REFERENCES = [
  'token',
  'issuerSerial',
  'keyIdentifier',
  'thumbprint',
  'embedded',
  'x509Data',
] as const;
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
const TOKEN_CHARS_MAX = 16 * 1024;
const CACHED_CHARS = 4 * 1024 * 1024;

/**
 * Finds and validates the certificates of messages. Parsing one costs six times as much as a
 * signature: they are kept.
 */
export class SignerCertificates {
  readonly #rules: CertificateRules;
  readonly #parsed = new collections.BoundedCache<ParsedCertificate>({
    size: CACHED_CHARS,
    sizeOf: (_, letters) => letters.length,
  });

  constructor(rules: CertificateRules) {
    this.#rules = rules;
  }

  /**
   * The certificate that a signature names, which is trusted now. `tokenOf` finds the token of the
   * message with an Id. Throws `wsse:FailedAuthentication`, `wsse:InvalidSecurityToken`,
   * `wsse:UnsupportedSecurityToken`, `wsse:SecurityTokenUnavailable`.
   */
  find(name: KeyName, tokenOf: (id: string) => string, nowMillis: number): ParsedCertificate {
    const found = this.#locate(name, tokenOf);
    const problem = this.#rules.trust.problemOf(found, nowMillis);
    if (problem !== null) {
      throw failedAuthentication(`the certificate of the signature: ${problem}`, found.subject);
    }
    const weak = problemOfKey(found.publicKey);
    if (weak !== null) {
      throw failedAuthentication(`the certificate of the signature has ${weak}`, found.subject);
    }
    if (!this.maySign(found)) {
      const what = 'the subject of the certificate is not among those that may sign';
      throw failedAuthentication(what, found.subject);
    }
    return found;
  }

  maySign({ attributes }: ParsedCertificate): boolean {
    const { subjects } = this.#rules;
    return subjects === null || subjects.some((keys) => keys.every((key) => attributes.has(key)));
  }

  #locate(name: KeyName, tokenOf: (id: string) => string): ParsedCertificate {
    switch (name.by) {
      case 'token':
        return this.#parse('token', tokenOf(name.id));
      case 'embedded':
      case 'x509Data':
        return this.#parse(name.by, name.letters);
      case 'issuerSerial': {
        this.#allow(name.isBare ? 'x509Data' : 'issuerSerial');
        const issuer = nameKey(name.issuer);
        return this.#knownOne(
          ({ certificate }) =>
            serialText(certificate.serialNumber) === serialText(name.serial) &&
            issuer !== null &&
            nameKey(rfc2253Name(certificate.issuer)) === issuer,
        );
      }
      case 'keyIdentifier':
        this.#allow('keyIdentifier');
        return this.#knownOne(
          ({ fields }) => fields.keyIdentifier?.equals(name.identifier) === true,
        );
      case 'thumbprint':
        this.#allow('thumbprint');
        return this.#knownOne(({ certificate }) =>
          createHash('sha1').update(certificate.raw).digest().equals(name.sha1),
        );
      case 'keyValue': {
        if (!this.#rules.takesKnownKeys) throw unsupportedToken('a bare key');
        const key = keyOf(name);
        return this.#knownOne(({ publicKey }) => key !== null && publicKey.equals(key));
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
    if (found === undefined || others.length > 0) {
      throw tokenUnavailable('the certificate of the signature is not known');
    }
    return found;
  }

  /** `letters`: in base64. */
  #parse(reference: KeyReference, letters: string): ParsedCertificate {
    this.#allow(reference);
    const known = this.#parsed.get(letters);
    if (known !== undefined) return known;
    if (letters.length > TOKEN_CHARS_MAX) throw invalidToken('a certificate that is too long');
    const der = decodeBase64(letters);
    const parsed = der === null ? null : parse(der);
    // Bytes behind the certificate would be signed and cached under another name.
    if (der === null || parsed === null || !parsed.certificate.raw.equals(der)) {
      throw invalidToken('the token is no certificate');
    }
    this.#parsed.set(letters, parsed);
    return parsed;
  }
}

function parse(der: Buffer): ParsedCertificate | null {
  try {
    return parseCertificate(new X509Certificate(der));
  } catch {
    return null;
  }
}

function keyOf({ node }: Extract<KeyName, { readonly by: 'keyValue' }>): KeyObject | null {
  const text = (local: string): string => {
    for (const part of [
      node,
      ...node.elements,
      ...node.elements.flatMap(({ elements }) => elements),
    ]) {
      if (part.local === local) return part.ownText.replaceAll(/[ \t\r\n]/g, '');
    }
    return '';
  };
  try {
    if (node.local === 'DEREncodedKeyValue') {
      return createPublicKey({
        key: Buffer.from(text('DEREncodedKeyValue'), 'base64'),
        format: 'der',
        type: 'spki',
      });
    }
    const [n, e] = [text('Modulus'), text('Exponent')].map((value) =>
      Buffer.from(value, 'base64').toString('base64url'),
    );
    return createPublicKey({ key: { kty: 'RSA', n: n ?? '', e: e ?? '' }, format: 'jwk' });
  } catch {
    return null;
  }
}
