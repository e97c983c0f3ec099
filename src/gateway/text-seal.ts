import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const CIPHER = 'aes-256-gcm';

/**
 * Seals texts that callers keep: they can neither read nor change them. AES-256-GCM (NIST SP
 * 800-38D), with a key of its own for each text (HKDF, RFC 5869), so that no pair of key and nonce
 * comes twice.
 */
export class TextSeal {
  readonly #purpose: string;
  readonly #keys: readonly [string, ...string[]];

  /**
   * The first key seals; texts of all of them are opened. What is sealed for one purpose is not
   * opened for another.
   */
  constructor(purpose: string, keys: readonly [string, ...string[]]) {
    this.#purpose = purpose;
    this.#keys = keys;
  }

  seal(text: string): string {
    const salt = randomBytes(SALT_BYTES);
    const { key, iv } = derived(this.#keys[0], salt, this.#purpose);
    const cipher = createCipheriv(CIPHER, key, iv);
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([salt, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** Null for what none of the keys has sealed. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    const start = SALT_BYTES + TAG_BYTES;
    // One text has one form.
    if (bytes.length <= start || bytes.toString('base64url') !== sealed) return null;
    for (const secret of this.#keys) {
      const { key, iv } = derived(secret, bytes.subarray(0, SALT_BYTES), this.#purpose);
      const decipher = createDecipheriv(CIPHER, key, iv);
      decipher.setAuthTag(bytes.subarray(SALT_BYTES, start));
      const text = decipher.update(bytes.subarray(start));
      try {
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        // Sealed with another key, or with none.
      }
    }
    return null;
  }
}

function derived(
  secret: string,
  salt: Buffer,
  purpose: string,
): { readonly key: Buffer; readonly iv: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, purpose, KEY_BYTES + IV_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), iv: bytes.subarray(KEY_BYTES) };
}
