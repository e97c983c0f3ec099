import { createPublicKey } from 'node:crypto';
import { isRecord, jsonValues } from '../../core/index.js';
import { JWT_ALGORITHMS } from './token-keys.js';

/** Why no token can ever be verified with a set of keys, and what to do. */
export interface KeySetFault {
  readonly what: string;
  readonly remedy: string;
}

/**
 * Validates a JSON Web Key Set (RFC 7517 section 5) against the accepted signatures: null where one
 * key at least can verify one of them. Others beside it are ignored: issuers also publish keys for
 * encryption.
 */
export function validateKeySet(text: string, algorithms: readonly string[]): KeySetFault | null {
  const keys = keysIn(text);
  if (keys === null) {
    return {
      what: 'is no JSON Web Key Set.',
      remedy: 'Write { "keys": [...] } as the issuer shows it, in a file of its own.',
    };
  }
  const verifies = (algorithm: string): boolean => keys.some((key) => isFor(key, algorithm));
  if (algorithms.some(verifies)) return null;
  const what = `has no public key for ${algorithms.join(' or ')}: no token could ever be verified.`;
  const others = JWT_ALGORITHMS.filter(verifies);
  if (others.length === 0) {
    return { what, remedy: 'Give the public keys of the issuer as it shows them.' };
  }
  const remedy =
    `Its keys are for ${others.join(', ')}: accept what the issuer signs with ` +
    'in its `algorithms`.';
  return { what, remedy };
}

function keysIn(text: string): readonly Record<string, unknown>[] | null {
  const value = jsonValues.parsedJson(text);
  const keys = isRecord(value) ? value['keys'] : null;
  return Array.isArray(keys) && keys.every(isRecord) ? keys : null;
}

/**
 * RFC 7518 section 3.1 and RFC 8037 section 3.1: the type of key each family of signatures needs,
 * and its curve.
 */
const KEY_TYPES: Readonly<Record<string, readonly [type: string, curve: string | null]>> = {
  RS: ['RSA', null],
  PS: ['RSA', null],
  ES256: ['EC', 'P-256'],
  ES384: ['EC', 'P-384'],
  ES512: ['EC', 'P-521'],
  EdDSA: ['OKP', 'Ed25519'],
};

/** RFC 7518 section 3.3. */
const MODULUS_BITS_MIN = 2048;

function isFor(key: Record<string, unknown>, algorithm: string): boolean {
  const [type, curve] = KEY_TYPES[algorithm] ?? KEY_TYPES[algorithm.slice(0, 2)] ?? [null, null];
  const { kty, crv, alg = algorithm, use = 'sig', key_ops: operations = ['verify'], d } = key;
  if (kty !== type || (curve !== null && crv !== curve) || alg !== algorithm || use !== 'sig') {
    return false;
  }
  // A private key would let its readers make tokens: it verifies nothing here.
  if (!Array.isArray(operations) || !operations.includes('verify') || d !== undefined) return false;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: textsOf(key), format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? MODULUS_BITS_MIN) >= MODULUS_BITS_MIN;
  } catch {
    return false;
  }
}

const textsOf = (key: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(key).filter(
      (member): member is [string, string] => typeof member[1] === 'string',
    ),
  );
