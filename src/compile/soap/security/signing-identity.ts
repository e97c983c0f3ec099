import { Buffer } from 'node:buffer';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ConfigSection } from '../../../config/section.js';
import type { ConfigurationError } from '../../../core/index.js';
import {
  type ParsedCertificate,
  parseCertificate,
  problemOfKey,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type SignatureName,
  type SigningIdentity,
} from '../../../wss/index.js';
import { madeAnew } from '../../made-anew.js';

/** Keys of a certificate and its private key. */
interface IdentityConfig {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string | undefined;
  readonly algorithm?: SignatureName | undefined;
}

/**
 * The certificate and key that a section names, as its files are now. Throws `ConfigurationError`.
 */
export function compileIdentity(
  section: ConfigSection<IdentityConfig>,
  owner: string,
): () => SigningIdentity {
  const { cert, key, passphrase } = section.value;
  const texts = [section.text(['cert'], cert), section.text(['key'], key)];
  // One of the two files may still be that of before.
  return madeAnew(texts, (contents) => signingIdentity(section, owner, contents, passphrase));
}

function signingIdentity(
  section: ConfigSection<IdentityConfig>,
  owner: string,
  [certificateText = '', keyText = '']: readonly string[],
  passphrase?: string,
): SigningIdentity {
  const broken = (path: string, what: string): ConfigurationError =>
    section.error(
      [path],
      what,
      'Write PEM: the certificate, and the private key that belongs to it.',
    );
  let certificate: ParsedCertificate | null;
  let key: KeyObject;
  try {
    certificate = parseCertificate(new X509Certificate(Buffer.from(certificateText)));
  } catch {
    certificate = null;
  }
  if (certificate === null) throw broken('cert', `The certificate of ${owner} cannot be read.`);
  try {
    key = createPrivateKey({
      key: keyText,
      format: 'pem',
      ...(passphrase === undefined ? {} : { passphrase }),
    });
  } catch {
    throw broken('key', `The private key of ${owner} cannot be read.`);
  }
  if (!certificate.certificate.checkPrivateKey(key)) {
    throw broken('key', 'The private key is not that of the certificate.');
  }
  const weak = problemOfKey(certificate.publicKey);
  if (weak !== null) throw broken('cert', `The certificate has ${weak}.`);
  const algorithm = algorithmFor(certificate.publicKey, section.value.algorithm ?? null);
  if (algorithm === null) {
    throw section.error(
      ['algorithm'],
      'The algorithm is not one of this kind of key.',
      'Leave it out, or write one of its kind.',
    );
  }
  return { certificate, key, algorithm };
}

/**
 * The algorithm of this name for this key, or the usual one; null where the key is of another kind.
 */
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
  const found =
    SIGNATURE_ALGORITHMS.find((algorithm) => algorithm.name === (name ?? usual)) ?? null;
  if (found === null) return null;
  return found.kind === type || (found.kind === 'rsa-pss' && type === 'rsa') ? found : null;
}

const CURVE_ALGORITHMS: ReadonlyMap<string, SignatureName> = new Map([
  ['prime256v1', 'ecdsa-sha256'],
  ['secp384r1', 'ecdsa-sha384'],
  ['secp521r1', 'ecdsa-sha512'],
]);
