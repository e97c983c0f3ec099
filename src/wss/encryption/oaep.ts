import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';

export type OaepHash = 'sha1' | 'sha256';

/** The parameters of one use of RSA-OAEP (RFC 8017 section 7.1), and the length of the key. */
export interface OaepParameters {
  readonly digest: OaepHash;
  /** The hash of the mask, which may be another one: `node:crypto` has one for both. */
  readonly mask: OaepHash;
  readonly label: Buffer;
  readonly keyBytes: number;
}

/**
 * Decodes what RSA without padding has decrypted. What is not encoded so gives a random key, in the
 * same time and steps: the caller learns nothing, and the tag of the content fails.
 */
export function decodeOaep(
  block: Buffer,
  { digest, mask, label, keyBytes }: OaepParameters,
): Buffer {
  const labelHash = createHash(digest).update(label).digest();
  const seedBytes = labelHash.length;
  const masked = block.subarray(1 + seedBytes);
  const seed = exclusiveOr(block.subarray(1, 1 + seedBytes), maskOf(masked, seedBytes, mask));
  const data = exclusiveOr(masked, maskOf(seed, masked.length, mask));
  // Lengths are public: the key has the one that its algorithm wants.
  const keyStart = data.length - keyBytes;
  let wrong = (block[0] ?? 1) | ((data[keyStart - 1] ?? 0) ^ 1);
  for (let at = 0; at < keyStart - 1; at++) {
    wrong |= (data[at] ?? 1) ^ (labelHash[at] ?? 0);
  }
  return keyOrRandom(data.subarray(keyStart), wrong);
}

/**
 * Decodes what RSA without padding has decrypted by PKCS #1 1.5 (RFC 8017 section 7.2.2), as
 * `decodeOaep` does: in the same time and steps, to a random key where it is not encoded so.
 */
export function decodePkcs1(block: Buffer, keyBytes: number): Buffer {
  const keyStart = block.length - keyBytes;
  let wrong = (block[0] ?? 1) | ((block[1] ?? 0) ^ 2) | (block[keyStart - 1] ?? 1);
  for (let at = 2; at < keyStart - 1; at++) {
    // All bits where the byte is zero, else none.
    wrong |= ((block[at] ?? 0) - 1) >> 31;
  }
  return keyOrRandom(block.subarray(keyStart), wrong & 0xff);
}

/** The key where no bit is wrong, else a random one. `wrong` is a byte. */
function keyOrRandom(key: Buffer, wrong: number): Buffer {
  // All bits where nothing is wrong, else none.
  const good = (wrong - 1) >> 31;
  const random = randomBytes(key.length);
  const chosen = Buffer.alloc(key.length);
  for (let at = 0; at < key.length; at++) {
    chosen[at] = ((key[at] ?? 0) & good) | ((random[at] ?? 0) & ~good);
  }
  return chosen;
}

/** Bytes of the padding of PKCS #1 1.5, at least, with those around it. */
export const PKCS1_BYTES = 11;

/** Whether a modulus of so many bytes has room for a key. */
export const hasRoom = (
  modulusBytes: number,
  { digest, keyBytes }: Pick<OaepParameters, 'digest' | 'keyBytes'>,
): boolean => modulusBytes >= keyBytes + 2 * createHash(digest).digest().length + 2;

/** MGF1 (RFC 8017 appendix B.2.1). */
function maskOf(seed: Buffer, bytes: number, hash: OaepHash): Buffer {
  const parts: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0; made < bytes; made += parts.at(-1)?.length ?? 1) {
    counter.writeUInt32BE(parts.length);
    parts.push(createHash(hash).update(seed).update(counter).digest());
  }
  return Buffer.concat(parts, bytes);
}

function exclusiveOr(one: Buffer, other: Buffer): Buffer {
  const bytes = Buffer.alloc(one.length);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = (one[at] ?? 0) ^ (other[at] ?? 0);
  }
  return bytes;
}
