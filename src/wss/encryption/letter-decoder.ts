import { Buffer } from 'node:buffer';

const WHITE = /[ \t\r\n]+/g;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const NOTHING = Buffer.alloc(0);

/** Decodes base64 while it comes, with white space anywhere. */
export class LetterDecoder {
  /** Letters that are no whole group of four yet. */
  #letters = '';
  #isPadded = false;
  #isBroken = false;

  decode(chars: string): Buffer {
    const letters = this.#letters + chars.replace(WHITE, '');
    const whole = letters.length - (letters.length % 4);
    this.#letters = letters.slice(whole);
    if (whole === 0) return NOTHING;
    const group = letters.slice(0, whole);
    if (this.#isPadded || !BASE64.test(group)) {
      this.#isBroken = true;
    }
    this.#isPadded ||= group.endsWith('=');
    return Buffer.from(group, 'base64');
  }

  /** Whether all of it was base64. */
  get isWhole(): boolean {
    return !this.#isBroken && this.#letters === '';
  }
}
