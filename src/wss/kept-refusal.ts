import { type Interest, SKIP, type StartTag, type XmlHandler } from '../xml/index.js';

/**
 * Keeps the first error of a handler until the root element ends, so that a signature around it is
 * verified before the sender learns of it.
 */
export class KeptRefusal implements XmlHandler {
  readonly #handler: XmlHandler;
  #depth = 0;
  #failure: { readonly caught: unknown } | null = null;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    return this.#attempt(() => this.#handler.open(tag)) ?? SKIP;
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#depth--;
    this.#attempt(() => this.#handler.close(contentEndBytes, endBytes));
    if (this.#depth === 0 && this.#failure !== null) throw this.#failure.caught;
  }

  get watched(): ReadonlySet<string> | undefined {
    return this.#handler.watched;
  }

  watch(tag: StartTag): void {
    this.#attempt(() => this.#handler.watch?.(tag));
  }

  text(chars: string): void {
    this.#attempt(() => this.#handler.text(chars));
  }

  comment(chars: string): void {
    this.#attempt(() => this.#handler.comment?.(chars));
  }

  /** Null behind the first error. */
  #attempt<T>(step: () => T): T | null {
    if (this.#failure !== null) return null;
    try {
      return step();
    } catch (caught) {
      this.#failure = { caught };
      return null;
    }
  }
}
