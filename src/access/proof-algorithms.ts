/**
 * The algorithms of proofs: those of public keys alone (RFC 9449 section 4.2), with the name of RFC
 * 9864 for the curve of EdDSA.
 */
export const PROOF_ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
  'EdDSA',
  'Ed25519',
] as const;
