import { ELEMENTS, type Interest, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';

/** The judge of content hears of all elements, and of nothing else; null for nobody. */
export const accompanied = (judge: XmlHandler | null, own: XmlHandler | null): XmlHandler | null =>
  judge === null || own === null ? (own ?? judge) : new Accompanied(judge, own);

/** Two handlers of the same content: one that looks at every start tag and at nothing else, and one that rules. */
class Accompanied implements XmlHandler {
  readonly #companion: XmlHandler;
  readonly #inner: XmlHandler;
  /** Elements open that the inner handler did not want to hear of, from the one it skipped on. */
  #skipped = 0;

  constructor(companion: XmlHandler, inner: XmlHandler) {
    this.#companion = companion;
    this.#inner = inner;
  }

  open(tag: StartTag): Interest {
    this.#companion.open(tag);
    if (this.#skipped > 0) this.#skipped++;
    else {
      const interest = this.#inner.open(tag);
      if (interest !== SKIP) return interest;
      this.#skipped = 1;
    }
    return ELEMENTS;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#skipped > 0 && --this.#skipped > 0) return;
    this.#inner.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#skipped === 0) this.#inner.text(piece);
  }

  plain(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#skipped === 0 && (this.#inner.plain?.(bytes, start, end) ?? false);
  }
}
