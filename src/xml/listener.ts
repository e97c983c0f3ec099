import { ALL, type Interest, PIECES, PRESENCE, SKIP, type StartTag, type XmlHandler } from './events.js';

/** Tells a handler of content that others hear more of: no more than it asked for, and than it may know. */
export class Listener implements XmlHandler {
  readonly #handler: XmlHandler;
  /** Of every open element that it hears of. */
  readonly #interests: Interest[] = [];
  /** Elements open from the one on whose content it does not hear. */
  #skipped = 0;
  /** Of that one it does not know. */
  #isHidden = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** `isAllowed`: the handler may know of this element. */
  open(tag: StartTag, isAllowed = true): Interest {
    if (this.#skipped > 0) {
      this.#skipped++;
      return SKIP;
    }
    if (!isAllowed) {
      this.#skipped = 1;
      this.#isHidden = true;
      return SKIP;
    }
    const interest = this.#handler.open(tag);
    if (interest === SKIP) this.#skipped = 1;
    else this.#interests.push(interest);
    return interest;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#skipped === 0) this.#interests.pop();
    else if (--this.#skipped > 0) return;
    if (this.#isHidden) this.#isHidden = false;
    else this.#handler.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#skipped > 0) return;
    const interest = this.#interests.at(-1);
    if (interest === ALL || interest === PIECES) this.#handler.text(piece);
    else if (interest === PRESENCE && (piece === '' || NOT_WHITE.test(piece))) this.#handler.text('');
  }
}

const NOT_WHITE = /[^ \t\r\n]/;
