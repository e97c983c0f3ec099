import { Buffer } from 'node:buffer';
import { createDecipheriv, type Decipher, type DecipherGCM } from 'node:crypto';
import {
  type AcceptedCipher,
  CBC_NAMES,
  type ContentCipher,
  GCM_IV_BYTES,
  GCM_NAMES,
  GCM_TAG_BYTES,
  isUnsafeCipher,
  type UnsafeCipher,
} from './cipher-names.js';
import { CipherValueDecoder } from './cipher-value-decoder.js';

const NOTHING = Buffer.alloc(0);
const WRONG: ContentEnd = { rest: NOTHING, isRight: false };

/** The end of the content. */
export interface ContentEnd {
  readonly rest: Buffer;
  /** It is what was encrypted, as far as its cipher tells: by the tag, or by the padding. */
  readonly isRight: boolean;
}

/** Decrypts the bytes of a CipherValue while they come. */
interface ByteDecipher {
  /** Returns what is known of the content. */
  update(bytes: Buffer): Buffer;
  end(): ContentEnd;
}

/**
 * Decrypts a CipherValue while it comes, in base64 or as bytes. Nothing that it gives is verified
 * before `end` has answered.
 */
export class ContentDecipher {
  readonly #letters = new CipherValueDecoder();
  readonly #bytes: ByteDecipher;

  constructor(cipher: AcceptedCipher, key: Buffer) {
    this.#bytes = isUnsafeCipher(cipher)
      ? new CbcDecipher(cipher, key)
      : new GcmDecipher(cipher, key);
  }

  /** Decrypts the next letters of base64. */
  update(chars: string): Buffer {
    return this.#bytes.update(this.#letters.decode(chars));
  }

  /** Decrypts bytes that stand in place of letters. */
  updateBytes(bytes: Buffer): Buffer {
    return this.#bytes.update(bytes);
  }

  end(): ContentEnd {
    const { rest, isRight } = this.#bytes.end();
    return { rest, isRight: isRight && this.#letters.isWhole };
  }
}

/** The IV in front, then bytes of which the last are held: they may be the tag, or padding. */
abstract class HoldingDecipher<C extends Decipher> implements ByteDecipher {
  readonly #ivBytes: number;
  readonly #heldBytes: number;
  protected cipher: C | null = null;
  /** The beginning of the IV, then what may be the last bytes. */
  protected held: Buffer = NOTHING;

  constructor(ivBytes: number, heldBytes: number) {
    this.#ivBytes = ivBytes;
    this.#heldBytes = heldBytes;
  }

  update(bytes: Buffer): Buffer {
    let held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    if (this.cipher === null) {
      if (held.length < this.#ivBytes) {
        this.held = Buffer.from(held);
        return NOTHING;
      }
      this.cipher = this.begin(held.subarray(0, this.#ivBytes));
      held = held.subarray(this.#ivBytes);
    }
    const known = Math.max(0, held.length - this.#heldBytes);
    // A copy: the rest of a long chunk would be kept with it.
    this.held = Buffer.from(held.subarray(known));
    return this.cipher.update(held.subarray(0, known));
  }

  protected abstract begin(iv: Buffer): C;
  abstract end(): ContentEnd;
}

/** AES-GCM: the tag comes last (XML Encryption 1.1 section 5.2.4). */
class GcmDecipher extends HoldingDecipher<DecipherGCM> {
  readonly #make: (iv: Buffer) => DecipherGCM;

  constructor(cipher: ContentCipher, key: Buffer) {
    super(GCM_IV_BYTES, GCM_TAG_BYTES);
    this.#make = (iv) =>
      createDecipheriv(GCM_NAMES[cipher], key, iv, { authTagLength: GCM_TAG_BYTES });
  }

  protected begin(iv: Buffer): DecipherGCM {
    return this.#make(iv);
  }

  end(): ContentEnd {
    if (this.cipher === null || this.held.length !== GCM_TAG_BYTES) return WRONG;
    this.cipher.setAuthTag(this.held);
    try {
      return { rest: this.cipher.final(), isRight: true };
    } catch {
      return WRONG;
    }
  }
}

const BLOCK_BYTES = 16;

/** AES-CBC: the last byte of the last block says how many of it are padding (section 5.2). */
class CbcDecipher extends HoldingDecipher<Decipher> {
  readonly #make: (iv: Buffer) => Decipher;

  constructor(cipher: UnsafeCipher, key: Buffer) {
    super(BLOCK_BYTES, BLOCK_BYTES);
    this.#make = (iv) => createDecipheriv(CBC_NAMES[cipher], key, iv).setAutoPadding(false);
  }

  protected begin(iv: Buffer): Decipher {
    return this.#make(iv);
  }

  end(): ContentEnd {
    if (this.cipher === null || this.held.length !== BLOCK_BYTES) return WRONG;
    const block = this.cipher.update(this.held);
    const padding = block.at(-1) ?? 0;
    const isRight = padding >= 1 && padding <= BLOCK_BYTES && hasEnded(this.cipher);
    return { rest: block.subarray(0, isRight ? BLOCK_BYTES - padding : BLOCK_BYTES), isRight };
  }
}

/** Whether there were whole blocks. */
function hasEnded(cipher: Decipher): boolean {
  try {
    return cipher.final().length === 0;
  } catch {
    return false;
  }
}
