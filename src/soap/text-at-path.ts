import {
  ALL,
  ELEMENTS_ONLY,
  type Interest,
  type QName,
  SKIP,
  type StartTag,
  type XmlHandler,
} from '../xml/index.js';
import { dialectOfUri } from './dialect.js';
import type { BlockWriter } from './header/header-place.js';
import { inAscii } from './header/security-writer.js';

/** Elements in one another that are read; the content of deeper ones is skipped. */
const DEPTH_MAX = 64;
const TEXT_UNITS_MAX = 8_192;

/**
 * The place of a text in a message: the local names of elements, in one another, of which the last
 * holds it.
 */
export interface TextPath {
  readonly part: 'Body' | 'Header';
  /** None: the first text there is. */
  readonly steps: readonly string[];
}

/**
 * Reads the text of the first element at a path of an envelope, however deep in Body or Header the
 * path begins.
 */
export class TextAtPath implements XmlHandler {
  isFault = false;
  readonly #path: TextPath;
  readonly #open: string[] = [];
  #depth = 0;
  #isIn = false;
  #found: string | null = null;

  constructor(path: TextPath) {
    this.#path = path;
  }

  /** The text without white space around it; null where there is none. */
  get found(): string | null {
    const found = this.#found?.trim() ?? '';
    return found === '' || found.length > TEXT_UNITS_MAX ? null : found;
  }

  open(tag: StartTag): Interest {
    this.#depth++;
    if (this.#depth === 1) return ELEMENTS_ONLY;
    if (this.#depth === 2) {
      this.#isIn = tag.local === this.#path.part && dialectOfUri(tag.uri) !== null;
      return ELEMENTS_ONLY;
    }
    if (this.#depth === 3 && tag.local === 'Fault' && dialectOfUri(tag.uri) !== null) {
      this.isFault = true;
    }
    if (this.found !== null || this.#depth > DEPTH_MAX) return SKIP;
    this.#open.push(tag.local);
    this.#found = null;
    if (!this.#isIn || !this.#isAtPath) return ELEMENTS_ONLY;
    return ALL;
  }

  close(): void {
    this.#depth--;
    if (this.#open.length > Math.max(0, this.#depth - 2)) {
      this.#open.pop();
    }
  }

  text(piece: string): void {
    if ((this.#found?.length ?? 0) <= TEXT_UNITS_MAX) {
      this.#found = (this.#found ?? '') + piece;
    }
  }

  get #isAtPath(): boolean {
    const { steps } = this.#path;
    const above = this.#open.length - steps.length;
    return above >= 0 && steps.every((step, index) => this.#open[above + index] === step);
  }
}

/** Writes a header block with a text in the innermost of these elements. */
export function textBlock(names: readonly QName[], text: string): BlockWriter {
  const open = names.map(({ uri, local }) =>
    uri === '' ? `<${local}>` : `<t:${local} xmlns:t="${inAscii(uri)}">`,
  );
  const close = names.toReversed().map(({ uri, local }) => `</${uri === '' ? '' : 't:'}${local}>`);
  const block = `${open.join('')}${inAscii(text)}${close.join('')}`;
  return () => block;
}
