import { ALL, ELEMENTS, type Interest, PIECES, PRESENCE, type StartTag, type XmlHandler } from './events.js';
import { Listener } from './listener.js';

/** Two handlers of the same content, each of which hears what it asks for. */
export class Both implements XmlHandler {
  readonly #first: Listener;
  readonly #second: Listener;

  constructor(first: XmlHandler, second: XmlHandler) {
    this.#first = new Listener(first);
    this.#second = new Listener(second);
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
