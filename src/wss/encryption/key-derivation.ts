import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { WrapLength } from './cipher-names.js';

/** Digests of key derivation. */
export type DerivationDigest = 'sha256' | 'sha384' | 'sha512';

/** How the key of a wrap is derived from the secret of a key agreement. */
export type Derivation =
  | {
      readonly kind: 'concat';
      readonly digest: DerivationDigest;
      /** AlgorithmID, PartyUInfo and PartyVInfo, and what else there is, one after the other. */
      readonly info: Buffer;
    }
  | {
      readonly kind: 'hkdf';
      readonly digest: DerivationDigest;
      readonly salt: Buffer;
      readonly info: Buffer;
    };

/** Derives a key: ConcatKDF (XML Encryption 1.1 section 5.4.1) or HKDF (RFC 5869). */
export function deriveKey(secret: Buffer, derivation: Derivation, bytes: WrapLength): Buffer {
  const { kind, digest, info } = derivation;
  if (kind === 'hkdf') {
    return Buffer.from(hkdfSync(digest, secret, derivation.salt, info, bytes));
  }
  // Each digest is at least as long as the longest key.
  const counter = Buffer.from([0, 0, 0, 1]);
  return createHash(digest).update(counter).update(secret).update(info).digest().subarray(0, bytes);
}

/** The initial value of RFC 3394 section 2.2.3.1. */
const INITIAL = Buffer.alloc(8, 0xa6);

const wrapName = (key: Buffer): string => `id-aes${key.length * 8}-wrap`;

/** Wraps a key by AES (RFC 3394). */
export function wrapKey(key: Buffer, wrappingKey: Buffer): Buffer {
  const cipher = createCipheriv(wrapName(wrappingKey), wrappingKey, INITIAL);
  return Buffer.concat([cipher.update(key), cipher.final()]);
}

/**
 * Unwraps a key. What was not wrapped by this key gives a random one, so that the content fails as
 * with any other wrong key.
 */
export function unwrapKey(value: Buffer, wrappingKey: Buffer, bytes: number): Buffer {
  if (value.length !== bytes + INITIAL.length) return randomBytes(bytes);
  try {
    const decipher = createDecipheriv(wrapName(wrappingKey), wrappingKey, INITIAL);
    return Buffer.concat([decipher.update(value), decipher.final()]);
  } catch {
    return randomBytes(bytes);
  }
}
