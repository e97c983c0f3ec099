import { Buffer } from 'node:buffer';
import { type CipherGCM, createCipheriv, randomBytes } from 'node:crypto';
import { type ContentCipher, GCM_IV_BYTES, GCM_NAMES, GCM_TAG_BYTES } from './cipher-names.js';

/** Bytes that four letters of base64 stand for. */
const GROUP_BYTES = 3;

/**
 * Encrypts the content of a CipherValue while it comes, with a fresh IV: base64 of the IV, what
 * AES-GCM has encrypted, and its tag (XML Encryption 1.1 section 5.2.4).
 */
export class ContentEncipher {
  readonly #cipher: CipherGCM;
  /** Bytes that are no whole group yet. */
  #rest: Buffer;

  constructor(cipher: ContentCipher, key: Buffer) {
    this.#rest = randomBytes(GCM_IV_BYTES);
    const name = GCM_NAMES[cipher];
    this.#cipher = createCipheriv(name, key, this.#rest, { authTagLength: GCM_TAG_BYTES });
  }

  /** Encrypts the next bytes. Returns letters of base64. */
  update(bytes: Buffer): Buffer {
    const known = Buffer.concat([this.#rest, this.#cipher.update(bytes)]);
    const whole = known.length - (known.length % GROUP_BYTES);
    // A copy: the rest of a long chunk would be kept with it.
    this.#rest = Buffer.from(known.subarray(whole));
    return lettersOf(known.subarray(0, whole));
  }

  /** The last letters. */
  final(): Buffer {
    const last = [this.#rest, this.#cipher.final(), this.#cipher.getAuthTag()];
    return lettersOf(Buffer.concat(last));
  }
}

/** Encrypts bytes that are not written as base64: IV, what AES-GCM has encrypted, and its tag. */
export function encryptBytes(cipher: ContentCipher, key: Buffer, content: Buffer): Buffer {
  const iv = randomBytes(GCM_IV_BYTES);
  const made = createCipheriv(GCM_NAMES[cipher], key, iv, { authTagLength: GCM_TAG_BYTES });
  return Buffer.concat([iv, made.update(content), made.final(), made.getAuthTag()]);
}

const lettersOf = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('base64'), 'latin1');
