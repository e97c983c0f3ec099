import { isXmlChar } from './chars.js';

/**
 * A character or entity reference, fed byte by byte after its `&`: the five entities of XML and no
 * others.
 */
export class ReferenceReader {
  /** The character it stands for, once complete. */
  code = 0;
  #kind: 'new' | 'named' | 'number' | 'decimal' | 'hexadecimal' = 'new';
  #digits = 0;
  #isEnded = false;

  begin(): void {
    this.code = 0;
    this.#digits = 0;
    this.#isEnded = false;
    this.#kind = 'new';
  }

  /** It is a reference to a character that XML does not have; once it was none. */
  get isForbidden(): boolean {
    const isNumber = this.#kind === 'decimal' || this.#kind === 'hexadecimal';
    return isNumber && this.#isEnded && this.#digits > 0 && this.code <= 0x10ffff;
  }

  /**
   * Takes one byte. True when the reference is complete, false when it goes on, null when it is
   * none.
   */
  take(byte: number): boolean | null {
    if (this.#kind === 'new' && byte === 0x23) {
      this.#kind = 'number';
      return false;
    }
    if (this.#kind === 'number' && byte === 0x78) {
      this.#kind = 'hexadecimal';
      return false;
    }
    if (this.#kind === 'new') {
      this.#kind = 'named';
    }
    if (this.#kind === 'number') {
      this.#kind = 'decimal';
    }
    if (byte === 0x3b) {
      this.#isEnded = true;
      return this.#complete();
    }
    if (this.#kind === 'named') return this.#letter(byte);
    return this.#digit(byte, this.#kind === 'decimal' ? 10 : 16);
  }

  #complete(): true | null {
    if (this.#digits === 0) return null;
    if (this.#kind === 'named') {
      this.code = ENTITIES.get(this.code) ?? 0;
    }
    return isXmlChar(this.code) ? true : null;
  }

  #letter(byte: number): false | null {
    if (byte < 0x61 || byte > 0x7a || ++this.#digits > 4) return null;
    this.code = this.code * 32 + (byte - 0x60);
    return false;
  }

  #digit(byte: number, base: number): false | null {
    const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
    if (digit < 0 || digit >= base || (byte > 0x39 && digit < 10)) return null;
    this.#digits = 1;
    this.code = Math.min(this.code * base + digit, 0x110000);
    return false;
  }
}

const ENTITIES = new Map(
  (
    [
      ['lt', '<'],
      ['gt', '>'],
      ['amp', '&'],
      ['apos', "'"],
      ['quot', '"'],
    ] as const
  ).map(([name, character]) => [
    [...name].reduce((code, letter) => code * 32 + (letter.charCodeAt(0) - 0x60), 0),
    character.charCodeAt(0),
  ]),
);

/**
 * The value of an attribute from what is written, which has been checked: XML 1.0 section 3.3.3 for
 * CDATA types.
 */
export const normaliseValue = (written: string): string =>
  resolveReferences(written.replace(LINE_ENDS_AND_SPACE, ' '));

/** Character data from what is written, which has been checked: XML 1.0 sections 2.11 and 4.1. */
export const resolveText = (written: string): string =>
  resolveReferences(written.replace(LINE_ENDS, '\n'));

const LINE_ENDS = /\r\n?/g;
const LINE_ENDS_AND_SPACE = /\r\n|[\t\n\r]/g;

function resolveReferences(text: string): string {
  let at = text.indexOf('&');
  if (at === -1) return text;
  const reference = new ReferenceReader();
  let resolved = '';
  let start = 0;
  while (at !== -1) {
    resolved += text.slice(start, at);
    reference.begin();
    while (reference.take(text.charCodeAt(++at)) === false);
    resolved += String.fromCodePoint(reference.code);
    start = at + 1;
    at = text.indexOf('&', start);
  }
  return resolved + text.slice(start);
}
