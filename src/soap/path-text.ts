import {
  ELEMENTS_ONLY,
  type Interest,
  SKIP,
  STREAM,
  type StartTag,
  type XmlHandler,
} from '../xml/index.js';

const TEXT_UNITS_MAX = 1_024;

/**
 * Reads the text of the first element at a path in the child of Body. The path begins with that
 * child, or inside it.
 */
export class PathText implements XmlHandler {
  readonly #steps: readonly string[];
  /** Elements that are open, the child of Body first. */
  #depth = 0;
  /**
   * How many of them the path has, if it begins with the child of Body, and if it begins inside.
   */
  #outer = 0;
  #inner = 0;
  #text = '';
  /** The depth of the element at the path; 0 while it is not open. */
  #openDepth = 0;
  #isFound = false;

  /** Local names. */
  constructor(steps: readonly string[]) {
    this.#steps = steps;
  }

  /**
   * The text without white space around it, and without what is too long; null while it has not
   * been read.
   */
  get found(): string | null {
    return this.#isFound ? this.#text.trim() : null;
  }

  open({ local }: StartTag): Interest {
    const depth = this.#depth++;
    if (this.#isFound || this.#openDepth > 0 || depth > this.#steps.length) return SKIP;
    if (this.#outer === depth && this.#steps[depth] === local) {
      this.#outer++;
    }
    if (depth > 0 && this.#inner === depth - 1 && this.#steps[depth - 1] === local) {
      this.#inner++;
    }
    const isOuter = this.#outer === depth + 1;
    const isInner = depth > 0 && this.#inner === depth;
    const { length } = this.#steps;
    if ((isOuter && depth + 1 === length) || (isInner && depth === length)) {
      this.#openDepth = this.#depth;
      return STREAM;
    }
    return depth === 0 || isOuter || isInner ? ELEMENTS_ONLY : SKIP;
  }

  text(piece: string): void {
    if (this.#openDepth > 0 && this.#text.length < TEXT_UNITS_MAX) {
      this.#text += piece.slice(0, TEXT_UNITS_MAX - this.#text.length);
    }
  }

  close(): void {
    if (this.#depth === this.#openDepth) {
      this.#isFound = true;
      this.#openDepth = 0;
    }
    const depth = --this.#depth;
    this.#outer = Math.min(this.#outer, depth);
    this.#inner = Math.min(this.#inner, Math.max(0, depth - 1));
  }
}
