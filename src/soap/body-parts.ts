import { type QName, SKIP, type StartTag, syntheticTag, type XmlHandler } from '../xml/index.js';

/**
 * The children that Body may have: those of one message, known by the first of them. Made at
 * start-up.
 */
export interface ExpectedParts {
  /** Each in order, the first one included: messages that begin alike may go on differently. */
  readonly sequences: readonly (readonly QName[])[];
  /** All of one sequence must be there; else some may be missing. */
  readonly isExact: boolean;
  /**
   * The observer's handler receives Body as an element with all of them in it; else the first one
   * alone.
   */
  readonly isReadWhole: boolean;
}

/** Follows the children of a Body that may have several. */
export class BodyParts {
  readonly #expected: ExpectedParts;
  /**
   * The index of the last child in each sequence, in their order; -1 where it is not that sequence.
   */
  #indexes: readonly number[];
  /** A child that is no part has come: multi-ref elements stand behind all parts. */
  #isOver = false;
  #whole: XmlHandler | null = null;
  #isWanted = false;

  constructor(expected: ExpectedParts, first: QName) {
    this.#expected = expected;
    this.#indexes = expected.sequences.map(([name]) => (isSame(name, first) ? 0 : -1));
  }

  /** The handler for each child of Body; null where none is wanted. */
  get handler(): XmlHandler | null {
    return this.#isWanted ? this.#whole : null;
  }

  get isReadWhole(): boolean {
    return this.#expected.isReadWhole;
  }

  /** Opens Body for its handler. Returns the handler of its first child. */
  begin(handler: XmlHandler | null): XmlHandler | null {
    if (handler === null || !this.isReadWhole) return handler;
    this.#whole = handler;
    this.#isWanted = handler.open(BODY) !== SKIP;
    return this.handler;
  }

  /** Accepts the next child, or returns false where it may not be this one. */
  accept(child: QName): boolean {
    if (this.#isOver) return false;
    const { sequences, isExact } = this.#expected;
    const indexes = sequences.map((names, index) => {
      const last = this.#indexes[index] ?? -1;
      if (last === -1) return -1;
      const next = names.findIndex((name, at) => at > last && isSame(name, child));
      return isExact && next !== last + 1 ? -1 : next;
    });
    this.#isOver = indexes.every((index) => index === -1);
    if (!this.#isOver) {
      this.#indexes = indexes;
    }
    return !this.#isOver;
  }

  /** Ends Body. False where some of its children are missing. */
  end(contentEndBytes: number, endBytes: number): boolean {
    this.#whole?.close(contentEndBytes, endBytes);
    const { sequences, isExact } = this.#expected;
    return !isExact || sequences.some((names, index) => this.#indexes[index] === names.length - 1);
  }
}

const isSame = (name: QName | undefined, { uri, local }: QName): boolean =>
  name?.local === local && name.uri === uri;

/** Body as an element for its handler, without its attributes, which belong to the message. */
const BODY: StartTag = syntheticTag({ uri: '', local: 'Body' }, 2);
