import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  STREAM,
  type StartTag,
  type XmlHandler,
} from './events.js';
import { InterestFilter } from './interest-filter.js';

/** Passes the same events to two handlers, to each as much as it asks for. */
export class TeeHandler implements XmlHandler {
  readonly #first: InterestFilter;
  readonly #second: InterestFilter;

  constructor(first: XmlHandler, second: XmlHandler) {
    this.#first = new InterestFilter(first);
    this.#second = new InterestFilter(second);
  }

  open(tag: StartTag): Interest {
    const first = this.#first.open(tag);
    const second = this.#second.open(tag);
    if (first === second) return first;
    for (const interest of [ALL, STREAM, PRESENCE] as const) {
      if (first === interest || second === interest) return interest;
    }
    return ELEMENTS_ONLY;
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#first.close(contentEndBytes, endBytes);
    this.#second.close(contentEndBytes, endBytes);
  }

  text(chars: string): void {
    this.#first.text(chars);
    this.#second.text(chars);
  }
}
