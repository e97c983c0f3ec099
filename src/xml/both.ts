import { ALL, ELEMENTS, type Interest, PIECES, PRESENCE, SKIP, type StartTag, type XmlHandler } from './events.js';

/** Two handlers of the same content, each of which hears what it asks for. */
export class Both implements XmlHandler {
  readonly #first: Side;
  readonly #second: Side;

  constructor(first: XmlHandler, second: XmlHandler) {
    this.#first = new Side(first);
    this.#second = new Side(second);
  }

  open(tag: StartTag): Interest {
    const first = this.#first.open(tag);
    const second = this.#second.open(tag);
    if (first === second) return first;
    for (const interest of [ALL, PIECES, PRESENCE] as const) {
      if (first === interest || second === interest) return interest;
    }
    return ELEMENTS;
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#first.close(contentEndBytes, endBytes);
    this.#second.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    this.#first.text(piece);
    this.#second.text(piece);
  }
}

/** One handler, and what it asked for. */
class Side {
  readonly #handler: XmlHandler;
  /** Of every open element that it hears of. */
  readonly #interests: Interest[] = [];
  /** Elements open from the one on whose content it does not want. */
  #skipped = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  open(tag: StartTag): Interest {
    if (this.#skipped > 0) {
      this.#skipped++;
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
    this.#handler.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#skipped > 0) return;
    const interest = this.#interests.at(-1);
    if (interest === ALL || interest === PIECES) this.#handler.text(piece);
    else if (interest === PRESENCE && (piece === '' || NOT_WHITE.test(piece))) this.#handler.text('');
  }
}

const NOT_WHITE = /[^ \t\r\n]/;
