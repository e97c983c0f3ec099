import { X509Certificate } from 'node:crypto';
import type { VerificationRules } from '../../src/wss/header-verification.js';
import { SignerCertificates } from '../../src/wss/signer-certificates.js';
import { CertificateTrust, parseCertificate } from '../../src/wss/x509/certificate-trust.js';

/**
 * The rules that trust an authority, and demand signatures of Body and Timestamp by this algorithm.
 */
export function rulesTrusting(
  authority: string,
  algorithm: 'rsa-sha256' | 'ecdsa-sha256',
): VerificationRules {
  const trusted = parseCertificate(new X509Certificate(authority));
  if (trusted === null) throw new Error('no certificate');
  const signature = {
    algorithms: {
      signatures: new Set([algorithm]),
      digests: new Set(['sha256', 'sha512']),
      canonicalizations: new Set(['exclusive'] as const),
    },
    certificates: new SignerCertificates({
      trust: new CertificateTrust({
        authorities: [trusted],
        intermediates: [],
        revocations: null,
        digests: new Set(['sha256']),
      }),
      known: [],
      references: new Set(['token'] as const),
      takesKnownKeys: false,
      subjects: null,
    }),
    required: ['Body', 'Timestamp'] as const,
  };
  return {
    signature: () => signature,
    timestamp: { isRequired: true, toleranceMillis: 300_000, maxAgeMillis: null },
    usernameToken: null,
    saml: null,
    role: null,
    once: false,
    encrypted: 'refuse',
    isDecrypted: false,
    confirmations: 'refuse',
  };
}
