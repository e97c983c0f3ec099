/** WS-Security: messages verified while they stream, signatures of calls, certificates. */

export {
  DIGEST_NAMES,
  problemOfKey,
  SIGNATURE_ALGORITHMS,
  SIGNATURE_NAMES,
  type SignatureAlgorithm,
  type SignatureName,
} from './algorithms.js';
export { issueAssertion } from './assertion-writer.js';
export {
  isForRole,
  type RequiredPart,
  type SignatureRules,
  type VerificationRules,
} from './header-verification.js';
export { type SigningIdentity, type SigningRules, signMessage } from './message-signer.js';
export { MessageVerifier, type VerifiedMessage } from './message-verifier.js';
export { signPackage } from './package-signer.js';
export { WSS_REFUSALS } from './refusals.js';
export { CONFIRMATIONS, type SamlRules } from './saml-assertion.js';
export { invalidSecurity, unsupportedAlgorithm } from './security-refusals.js';
export type { AlgorithmRules } from './signature-form.js';
export { KEY_REFERENCES, SignerCertificates } from './signer-certificates.js';
export type { UsernameTokenRules } from './username-token.js';
export { DS, SAML1, SAML2, WSSE, WSSE11, WSU, X509_V3 } from './wsse-names.js';
export {
  CertificateTrust,
  type ParsedCertificate,
  parseCertificate,
} from './x509/certificate-trust.js';
export {
  attributeKeys,
  configuredNameKey,
  nameKey,
  rfc2253Name,
} from './x509/distinguished-name.js';
export { listsIn, nextUpdate, revokedSerials, serialText } from './x509/revocation-list.js';
export { digestName, isDigestAccepted } from './x509/signature-digest.js';
export { type SignedList, signedListsIn } from './x509/signed-list.js';
