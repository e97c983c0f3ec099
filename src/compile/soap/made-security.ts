import { Buffer } from 'node:buffer';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

import { ConfigurationError } from '../../base/diagnostic.js';
import { type ParsedCertificate, parseCertificate } from '../../base/x509/certificate-trust.js';
import type { ServiceConfig } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { BlockWriter } from '../../soap/header/header-place.js';
import { securityWriter } from '../../soap/header/security-writer.js';
import {
  problemOfKey,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type SignatureName,
} from '../../soap/security/algorithms.js';
import type { SigningIdentity, SigningRules } from '../../soap/security/message-signer.js';
import { requiredPart } from './verification.js';

/** The writer of the Security block of a service; null where it has none. Throws `ConfigurationError`. */
export function compileMadeSecurity(service: ConfigSection<ServiceConfig>): BlockWriter | null {
  const { make } = service.value.security;
  if (make === undefined) return null;
  const { timestamp, expiresMillis, usernameToken, mustUnderstand, actor = null } = make;
  const section = service.at(make, 'security', 'make');
  if (!timestamp && usernameToken === undefined && make.signature === undefined) {
    const what = `Service \`${service.name}\`: \`security.make\` makes nothing.`;
    throw section.error([], what, 'Give it `timestamp: true`, a `usernameToken` or a `signature`.');
  }
  return securityWriter({
    timestampMillis: timestamp ? expiresMillis : null,
    usernameToken:
      usernameToken === undefined
        ? null
        : { ...usernameToken, password: section.text(['usernameToken', 'password'], usernameToken.password) },
    mustUnderstand,
    target: actor,
  });
}

/** The rules by which the gateway signs calls of a service; null where it does not. Throws `ConfigurationError`. */
export function compileSigning(service: ConfigSection<ServiceConfig>): SigningRules | null {
  const { make } = service.value.security;
  if (make?.signature === undefined) return null;
  const section = service.at(make.signature, 'security', 'make', 'signature');
  const { cert, key, passphrase, parts, keyReference, digest } = make.signature;
  for (const [part, isMade] of [
    ['Timestamp', make.timestamp],
    ['UsernameToken', make.usernameToken !== undefined],
  ] as const) {
    if (parts.includes(part) && !isMade)
      throw section.error(
        ['parts'],
        `Service \`${service.name}\`: \`security.make\` signs a ${part} that it does not write.`,
        `Add the ${part} to \`make\`, or take it out of \`parts\`.`,
      );
  }
  const [certificateText, keyText] = [section.text(['cert'], cert), section.text(['key'], key)];
  let contents = [certificateText(), keyText()];
  let identity = signingIdentity(section, contents, passphrase);
  if (keyReference === 'keyIdentifier' && identity.certificate.fields.keyIdentifier === null)
    throw section.error(
      ['keyReference'],
      'The certificate has no subject key identifier.',
      'Name it in another way: `keyReference: token`.',
    );
  return {
    identity() {
      const next = [certificateText(), keyText()];
      if (next.every((content, index) => content === contents[index])) return identity;
      try {
        identity = signingIdentity(section, next, passphrase);
        contents = next;
      } catch (error) {
        // One of the two files is still that of before.
        if (!(error instanceof ConfigurationError)) throw error;
      }
      return identity;
    },
    digest,
    parts: parts.map(requiredPart),
    keyReference,
    xmlLimits: service.value.limits.xml,
  };
}

type SignatureConfig = NonNullable<NonNullable<ServiceConfig['security']['make']>['signature']>;

function signingIdentity(
  section: ConfigSection<SignatureConfig>,
  [certificateText = '', keyText = '']: readonly string[],
  passphrase?: string,
): SigningIdentity {
  const broken = (path: string, what: string): ConfigurationError =>
    section.error([path], what, 'Write PEM: the certificate, and the private key that belongs to it.');
  let certificate: ParsedCertificate | null;
  let key: KeyObject;
  try {
    certificate = parseCertificate(new X509Certificate(Buffer.from(certificateText)));
  } catch {
    certificate = null;
  }
  if (certificate === null) throw broken('cert', 'The certificate of `security.make.signature` cannot be read.');
  try {
    key = createPrivateKey({ key: keyText, format: 'pem', ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    throw broken('key', 'The private key of `security.make.signature` cannot be read.');
  }
  if (!certificate.certificate.checkPrivateKey(key))
    throw broken('key', 'The private key is not that of the certificate.');
  const weak = problemOfKey(certificate.publicKey);
  if (weak !== null) throw broken('cert', `The certificate has ${weak}.`);
  const algorithm = algorithmFor(certificate.publicKey, section.value.algorithm ?? null);
  if (algorithm === null)
    throw section.error(
      ['algorithm'],
      'The algorithm is not one of this kind of key.',
      'Leave it out, or write one of its kind.',
    );
  return { certificate, key, algorithm };
}

/** The algorithm of this name for this key, or the usual one; null where the key is of another kind. */
function algorithmFor(key: KeyObject, name: SignatureName | null): SignatureAlgorithm | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const usual: SignatureName =
    type === 'ed25519'
      ? 'ed25519'
      : type === 'ec'
        ? (CURVE_ALGORITHMS.get(details?.namedCurve ?? '') ?? 'ecdsa-sha256')
        : type === 'rsa-pss'
          ? 'rsa-pss-sha256'
          : 'rsa-sha256';
  const found = SIGNATURE_ALGORITHMS.find((algorithm) => algorithm.name === (name ?? usual)) ?? null;
  if (found === null) return null;
  return found.kind === type || (found.kind === 'rsa-pss' && type === 'rsa') ? found : null;
}

const CURVE_ALGORITHMS: ReadonlyMap<string, SignatureName> = new Map([
  ['prime256v1', 'ecdsa-sha256'],
  ['secp384r1', 'ecdsa-sha384'],
  ['secp521r1', 'ecdsa-sha512'],
]);
