/** WS-Security: messages verified while they stream, signatures of calls, certificates. */

export {
  algorithmFor,
  DIGEST_NAMES,
  problemOfKey,
  SIGNATURE_NAMES,
} from './algorithms.js';
export { issueAssertion } from './assertion-writer.js';
export * as encryption from './encryption/index.js';
export type { RequiredPart, SignatureRules, VerificationRules } from './header-verification.js';
export { type SigningIdentity, type SigningRules, signMessage } from './message-signer.js';
export { MessageVerifier, type VerifiedMessage } from './message-verifier.js';
export { signPackage } from './package-signer.js';
export { WSS_REFUSALS } from './refusals.js';
export { CONFIRMATIONS, type SamlRules } from './saml-assertion.js';
export { invalidSecurity, unsupportedAlgorithm } from './security-refusals.js';
export type { AlgorithmRules } from './signature-form.js';
export { KEY_REFERENCES, SignerCertificates } from './signer-certificates.js';
export type { UsernameTokenRules } from './username-token.js';
export { isProven, isVerifiedBlock } from './verified-block.js';
export { SAML2 } from './wsse-names.js';
export * as x509 from './x509/index.js';
