import { type QName, SKIP, type StartTag, type XmlHandler } from '../xml/events.js';
import { plainTag } from '../xml/plain-tag.js';

/** The children that Body may have: those of one message, known by the first of them. Made at start-up. */
export interface ExpectedParts {
  /** Each in order, the first one included: messages that begin alike may go on differently. */
  readonly sequences: readonly (readonly QName[])[];
  /** All of one sequence must be there; else some may be missing. */
  readonly isExact: boolean;
  /** Who follows the message hears Body with all of them in it, as an element of its own; else of the first one alone. */
  readonly isHeardWhole: boolean;
}

/** Follows the children of a Body that may have several. */
export class BodyParts {
  readonly #expected: ExpectedParts;
  /** Where in each sequence the last child stands, in their order; -1 where it is not that sequence. */
  #places: readonly number[];
  /** Something else has come: multi-ref elements stand behind all others. */
  #isOver = false;
  #whole: XmlHandler | null = null;
  #isWanted = false;

  constructor(expected: ExpectedParts, first: QName) {
    this.#expected = expected;
    this.#places = expected.sequences.map(([name]) => (isSame(name, first) ? 0 : -1));
  }

  /** Hears each child of Body; null where nobody wants to. */
  get heard(): XmlHandler | null {
    return this.#isWanted ? this.#whole : null;
  }

  get isHeardWhole(): boolean {
    return this.#expected.isHeardWhole;
  }

  /** Body begins for who follows it. Returns what hears its first child. */
  begin(handler: XmlHandler | null): XmlHandler | null {
    if (handler === null || !this.isHeardWhole) return handler;
    this.#whole = handler;
    this.#isWanted = handler.open(BODY) !== SKIP;
    return this.heard;
  }

  /** Whether the next child may be this one. */
  takes(child: QName): boolean {
    if (this.#isOver) return false;
    const { sequences, isExact } = this.#expected;
    const places = sequences.map((names, index) => {
      const last = this.#places[index] ?? -1;
      if (last === -1) return -1;
      const next = names.findIndex((name, place) => place > last && isSame(name, child));
      return isExact && next !== last + 1 ? -1 : next;
    });
    this.#isOver = places.every((place) => place === -1);
    if (!this.#isOver) this.#places = places;
    return !this.#isOver;
  }

  /** Body is over. False where some of its children are missing. */
  end(contentEndBytes: number, endBytes: number): boolean {
    this.#whole?.close(contentEndBytes, endBytes);
    const { sequences, isExact } = this.#expected;
    return !isExact || sequences.some((names, index) => this.#places[index] === names.length - 1);
  }
}

const isSame = (name: QName | undefined, { uri, local }: QName): boolean => name?.local === local && name.uri === uri;

/** Body, for who hears it as an element. What its own attributes say is said of the message. */
const BODY: StartTag = plainTag({ uri: '', local: 'Body' }, 2);
