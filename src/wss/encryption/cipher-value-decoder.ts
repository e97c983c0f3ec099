import { Buffer } from 'node:buffer';

const SPACE = /[ \t\r\n]/;
const WHITE = /[ \t\r\n]+/g;
const NOTHING = Buffer.alloc(0);

/** Decodes base64 while it comes, with white space anywhere. */
export class CipherValueDecoder {
  /** Letters that are no whole group of four yet. */
  #letters = '';
  #isPadded = false;
  #isBroken = false;

  decode(chars: string): Buffer {
    const letters = this.#letters + (SPACE.test(chars) ? chars.replace(WHITE, '') : chars);
    const whole = letters.length - (letters.length % 4);
    this.#letters = letters.slice(whole);
    if (whole === 0) return NOTHING;
    const group = letters.slice(0, whole);
    const bytes = Buffer.from(group, 'base64');
    // What the decoder passes over is not written again, nor bits behind the last byte.
    if (this.#isPadded || bytes.toString('base64') !== group) {
      this.#isBroken = true;
    }
    this.#isPadded ||= group.endsWith('=');
    return bytes;
  }

  /** Whether all of it was base64. */
  get isWhole(): boolean {
    return !this.#isBroken && this.#letters === '';
  }
}
