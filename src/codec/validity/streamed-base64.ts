/**
 * Validates base64 as it streams, in chunks cut anywhere: nothing of it is kept. XSD 1.0 part 2
 * section 3.2.16.
 */
export class StreamedBase64 {
  /** Characters before the padding. */
  #count = 0;
  /** Number of `=` behind them. */
  #padding = 0;
  /** The last character before the padding. */
  #last = '';
  #isBroken = false;

  begin(): void {
    this.#count = 0;
    this.#padding = 0;
    this.#last = '';
    this.#isBroken = false;
  }

  add(chars: string): void {
    if (this.#isBroken) return;
    const bare = SPACE.test(chars) ? chars.replace(SPACES, '') : chars;
    if (bare === '') return;
    const equals = bare.indexOf('=');
    const bits = equals < 0 ? bare : bare.slice(0, equals);
    if (bits !== '') {
      this.#isBroken = this.#padding > 0 || OTHER.test(bits);
      this.#count += bits.length;
      this.#last = bits.charAt(bits.length - 1);
    }
    if (equals < 0) return;
    this.#padding += bare.length - equals;
    if (this.#padding > 2 || (bare.length - equals > 1 && bare[equals + 1] !== '=')) {
      this.#isBroken = true;
    }
  }

  /** The public text of the rule that is broken, or null. */
  end(): string | null {
    // The unused bits of the last character are 0.
    const isTail =
      this.#padding === 0 || (this.#padding === 1 ? BEFORE_ONE : BEFORE_TWO).includes(this.#last);
    return this.#isBroken || !isTail || (this.#count + this.#padding) % 4 !== 0
      ? 'must be base64'
      : null;
  }
}

const SPACE = /[ \t\r\n]/;
const SPACES = /[ \t\r\n]+/g;
const OTHER = /[^A-Za-z0-9+/]/;
const BEFORE_ONE = 'AEIMQUYcgkosw048';
const BEFORE_TWO = 'AQgw';
