import { type Interest, PRESENCE, SKIP, type StartTag, type XmlHandler } from '../xml/index.js';
import { invalidSecurity } from './security-refusals.js';

/**
 * The frame of an envelope whose bytes are verified before they are decrypted: Header, Body, and no
 * text in or between them. Throws `wsse:InvalidSecurity`.
 */
export class EnvelopeFrame implements XmlHandler {
  #depth = 0;
  #hasHeader = false;
  #hasBody = false;

  open({ local }: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 2) {
      this.#openPart(local);
    }
    return this.#depth <= 2 ? PRESENCE : SKIP;
  }

  close(): void {
    this.#depth--;
  }

  text(): void {
    throw invalidSecurity('text beside the elements of an envelope whose bytes are signed');
  }

  #openPart(local: string): void {
    const isHeader = local === 'Header' && !this.#hasHeader && !this.#hasBody;
    if (!isHeader && (local !== 'Body' || this.#hasBody)) {
      throw invalidSecurity('an element beside Header and Body in an envelope that is signed');
    }
    this.#hasHeader ||= isHeader;
    this.#hasBody ||= !isHeader;
  }
}
