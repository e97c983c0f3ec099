import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  STREAM,
  type StartTag,
  WATCH,
  type XmlHandler,
} from './events.js';

/** Passes a handler no more events than it asked for, where the reader reports more. */
export class InterestFilter implements XmlHandler {
  readonly #handler: XmlHandler;
  /** The interest in each open element that is reported to the handler. */
  readonly #interests: Interest[] = [];
  /** Elements open from the one whose content is skipped. */
  #skipped = 0;
  /** That one itself is not reported either. */
  #isHidden = false;
  /** The handler watches the content that it skips. */
  #isWatching = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** `isAllowed`: this element may be reported to the handler. */
  open(tag: StartTag, isAllowed = true): Interest {
    if (this.#skipped > 0) {
      this.#skipped++;
      if (!this.#isWatching) return SKIP;
      this.#handler.watch?.(tag);
      return ELEMENTS_ONLY;
    }
    if (!isAllowed) {
      this.#skipped = 1;
      this.#isHidden = true;
      return SKIP;
    }
    const interest = this.#handler.open(tag);
    if (interest === SKIP || interest === WATCH) {
      this.#skipped = 1;
      this.#isWatching = interest === WATCH;
      return this.#isWatching ? ELEMENTS_ONLY : SKIP;
    }
    this.#interests.push(interest);
    return interest;
  }

  close(contentEndBytes: number, endBytes: number): void {
    if (this.#skipped === 0) {
      this.#interests.pop();
    } else if (--this.#skipped > 0) {
      return;
    }
    this.#isWatching = false;
    if (this.#isHidden) {
      this.#isHidden = false;
    } else {
      this.#handler.close(contentEndBytes, endBytes);
    }
  }

  /** The interest of the handler in the element opened last. */
  get interest(): Interest {
    return this.#skipped > 0 ? SKIP : (this.#interests.at(-1) ?? SKIP);
  }

  /** Elements open from the one whose content the handler skips; 0: it skips none. */
  get skipped(): number {
    return this.#isHidden ? 0 : this.#skipped;
  }

  /** The namespaces of attributes that it watches there; undefined for none. */
  get watched(): ReadonlySet<string> | undefined {
    return this.#isWatching ? this.#handler.watched : undefined;
  }

  /** So many elements were opened in skipped content without an event; negative: closed. */
  move(levels: number): void {
    this.#skipped += levels;
  }

  text(chars: string): void {
    if (this.#skipped > 0) return;
    const interest = this.#interests.at(-1);
    if (interest === ALL || interest === STREAM) {
      this.#handler.text(chars);
    } else if (interest === PRESENCE && (chars === '' || NOT_WHITE.test(chars))) {
      this.#handler.text('');
    }
  }
}

const NOT_WHITE = /[^ \t\r\n]/;
