import { ALL, type Interest, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';

/** Tells a handler of an element that another one hears more of: no more than it wants to hear, and than it may. */
export class Follower implements XmlHandler {
  readonly #handler: XmlHandler;
  /** What it wants of the elements that are open. */
  readonly #interests: Interest[] = [];
  /** Elements open from the one on that it skips. */
  #skipped = 0;
  /** That one is kept from it. */
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
    this.#interests.push(interest);
    if (interest === SKIP) this.#skipped = 1;
    return interest;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#skipped > 0 && --this.#skipped > 0) return;
    if (this.#isHidden) {
      this.#isHidden = false;
      return;
    }
    this.#interests.pop();
    this.#handler.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#skipped === 0 && this.#interests.at(-1) === ALL) this.#handler.text(piece);
  }
}
