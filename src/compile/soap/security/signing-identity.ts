import { Buffer } from 'node:buffer';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type FindingsError, invalid } from '../../../config/keys/finding.js';
import type { IdentityPlan } from '../../../config/plans/security-plan.js';
import { algorithmFor, problemOfKey, type SigningIdentity, x509 } from '../../../wss/index.js';
import { madeAnew } from '../../made-anew.js';

/**
 * The certificate and key of the gateway as a signer, as their files are now. Throws
 * `FindingsError`.
 */
export const compileIdentity = (plan: IdentityPlan, owner: string): (() => SigningIdentity) =>
  // One of the two files may still be that of before.
  madeAnew([plan.cert, plan.key], (contents) => signingIdentity(plan, owner, contents));

function signingIdentity(
  { passphrase, algorithm: named }: IdentityPlan,
  owner: string,
  [certificateText = '', keyText = '']: readonly string[],
): SigningIdentity {
  const broken = (path: string, what: string): FindingsError =>
    invalid([path], what, 'Write PEM: the certificate, and the private key that belongs to it.');
  const certificate = certificateIn(certificateText);
  let key: KeyObject;
  if (certificate === null) throw broken('cert', `The certificate of ${owner} cannot be read.`);
  try {
    key = createPrivateKey({
      key: keyText,
      format: 'pem',
      ...(passphrase === null ? {} : { passphrase }),
    });
  } catch {
    throw broken('key', `The private key of ${owner} cannot be read.`);
  }
  if (!certificate.certificate.checkPrivateKey(key)) {
    throw broken('key', 'The private key is not that of the certificate.');
  }
  const weak = problemOfKey(certificate.publicKey);
  if (weak !== null) throw broken('cert', `The certificate has ${weak}.`);
  const algorithm = algorithmFor(certificate.publicKey, named);
  if (algorithm === null) {
    throw invalid(
      ['algorithm'],
      'The algorithm is not one of this kind of key.',
      'Leave it out, or write one of its kind.',
    );
  }
  return { certificate, key, algorithm };
}

/** The certificate of a PEM text; null for one that cannot be read. */
export function certificateIn(pem: string): x509.ParsedCertificate | null {
  try {
    return x509.parseCertificate(new X509Certificate(Buffer.from(pem)));
  } catch {
    return null;
  }
}
