import { createPrivateKey, type KeyObject } from 'node:crypto';

/** A private key with the algorithm (RFC 7518 section 3.1) that it signs by. */
export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: string;
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Reads a private key in PEM. Null where it is none, and for a kind that no algorithm is for. */
export function readSigningKey(pem: string): SigningKey | null {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return null;
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') return { key, algorithm: 'RS256' };
  if (type === 'ed25519') return { key, algorithm: 'EdDSA' };
  const algorithm = type === 'ec' ? CURVES[details?.namedCurve ?? ''] : undefined;
  return algorithm === undefined ? null : { key, algorithm };
}
