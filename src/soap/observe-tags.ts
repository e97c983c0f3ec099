import {
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  type StartTag,
  WATCH,
  type XmlHandler,
} from '../xml/index.js';

/**
 * Adds an observer that receives every start tag and nothing else to a handler; either may be null.
 */
export const observeTags = (
  observer: XmlHandler | null,
  handler: XmlHandler | null,
): XmlHandler | null =>
  observer === null || handler === null
    ? (handler ?? observer)
    : new TagObserverHandler(observer, handler);

/** Passes every start tag to an observer as well; the handler decides what is reported. */
class TagObserverHandler implements XmlHandler {
  readonly #observer: XmlHandler;
  readonly #inner: XmlHandler;
  /** Elements open from the one that the inner handler skipped. */
  #skipped = 0;
  /** The observer needs only tags with attributes of some namespace. */
  #isWatching = false;
  /** So does the inner handler of what is skipped, while the observer needs all tags. */
  #isInnerWatching = false;

  constructor(observer: XmlHandler, inner: XmlHandler) {
    this.#observer = observer;
    this.#inner = inner;
  }

  open(tag: StartTag): Interest {
    const observed = this.#observer.open(tag);
    this.#isWatching = observed === WATCH && this.#observer.watched?.has('') !== true;
    if (this.#skipped > 0) {
      this.#skipped++;
      if (this.#isInnerWatching) {
        this.#inner.watch?.(tag);
      }
    } else {
      const interest = this.#inner.open(tag);
      this.#isInnerWatching = interest === WATCH && observed !== WATCH;
      if (interest !== SKIP && !this.#isInnerWatching) return interest;
      this.#skipped = 1;
    }
    return observed === WATCH ? WATCH : ELEMENTS_ONLY;
  }

  /** Content that a model passes over has no attributes of a namespace, besides `xsi:nil`. */
  get model(): XmlHandler['model'] {
    return this.#isWatching ? this.#inner.model : null;
  }

  move(levels: number): void {
    this.#inner.move?.(levels);
  }

  get watched(): ReadonlySet<string> | undefined {
    return this.#observer.watched;
  }

  watch(tag: StartTag): void {
    this.#observer.watch?.(tag);
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#skipped > 0 && --this.#skipped > 0) return;
    this.#inner.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#skipped === 0) {
      this.#inner.text(piece);
    }
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#skipped === 0 && (this.#inner.asciiText?.(bytes, start, end) ?? false);
  }
}
