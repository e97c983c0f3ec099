import { Buffer } from 'node:buffer';
import { createDecipheriv, type DecipherGCM } from 'node:crypto';
import { type ContentCipher, KEY_BYTES } from './cipher-names.js';

const IV_BYTES = 12;
const TAG_BYTES = 16;

const WHITE = /[ \t\r\n]+/g;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decrypts a CipherValue while it comes: base64 of the IV, what AES-GCM has encrypted, and its tag
 * (XML Encryption 1.1 section 5.2.4). The last 16 bytes are held, for they may be the tag. Nothing
 * that it gives is verified before `verify` has answered.
 */
export class ContentDecipher {
  readonly #decipher: (iv: Buffer) => DecipherGCM;
  #cipher: DecipherGCM | null = null;
  /** Letters that are no whole group of four yet. */
  #letters = '';
  #isPadded = false;
  #isBroken = false;
  /** The beginning of the IV, then what may be the tag. */
  #held: Buffer = Buffer.alloc(0);

  constructor(cipher: ContentCipher, key: Buffer) {
    const bits = KEY_BYTES[cipher] * 8;
    const name = `aes-${bits === 128 ? 128 : bits === 192 ? 192 : 256}-gcm` as const;
    this.#decipher = (iv) => createDecipheriv(name, key, iv, { authTagLength: TAG_BYTES });
  }

  /** Decrypts the next letters of base64. Returns what is known of the content. */
  update(chars: string): Buffer {
    const letters = this.#letters + chars.replace(WHITE, '');
    const whole = letters.length - (letters.length % 4);
    this.#letters = letters.slice(whole);
    if (whole === 0) return Buffer.alloc(0);
    const group = letters.slice(0, whole);
    if (this.#isPadded || !BASE64.test(group)) {
      this.#isBroken = true;
    }
    this.#isPadded ||= group.endsWith('=');
    return this.#decrypt(Buffer.from(group, 'base64'));
  }

  /** Whether all of it was base64, and the tag is that of the content. */
  verify(): boolean {
    const cipher = this.#cipher;
    if (cipher === null || this.#held.length !== TAG_BYTES) return false;
    cipher.setAuthTag(this.#held);
    try {
      cipher.final();
    } catch {
      return false;
    }
    return !this.#isBroken && this.#letters === '';
  }

  #decrypt(bytes: Buffer): Buffer {
    let held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    if (this.#cipher === null) {
      if (held.length < IV_BYTES) {
        this.#held = held;
        return Buffer.alloc(0);
      }
      this.#cipher = this.#decipher(held.subarray(0, IV_BYTES));
      held = held.subarray(IV_BYTES);
    }
    const known = Math.max(0, held.length - TAG_BYTES);
    // A copy: the rest of a long chunk would be kept with it.
    this.#held = Buffer.from(held.subarray(known));
    return this.#cipher.update(held.subarray(0, known));
  }
}
