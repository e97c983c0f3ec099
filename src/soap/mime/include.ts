import type { Buffer } from 'node:buffer';
import { Refusal } from '../../core/index.js';
import {
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  type StartTag,
  WATCH,
  type XmlHandler,
} from '../../xml/index.js';
import type { References } from './references.js';

export const XOP_URI = 'http://www.w3.org/2004/08/xop/include';

const INCLUDE = 'Include';

/** Content that is written in place of an Include, in steps. */
export interface SlicedContent {
  /** False: the step was the last. */
  writeSlice(): boolean;
}

/**
 * The first bytes of an envelope for one step of its reading, at most about `stepBytes`. They end
 * behind the tag of an Include, so that its part is written before the next step.
 */
export function stepToInclude(bytes: Buffer, stepBytes: number): Buffer {
  const at = bytes.subarray(0, stepBytes + INCLUDE.length - 1).indexOf(INCLUDE);
  const tagEnd = at < 0 ? -1 : bytes.subarray(at, at + stepBytes).indexOf('>');
  return bytes.subarray(0, tagEnd < 0 ? stepBytes : at + tagEnd + 1);
}

/**
 * Finds the Includes of an envelope in a package (XOP 1.0 section 2.1), and passes its events on to
 * another handler. A backend follows any reference that a client writes: only `cid:` passes.
 */
export class IncludeReader implements XmlHandler {
  readonly #inner: XmlHandler;
  readonly #references: References;
  /** Elements open from the one that the inner handler skipped. */
  #skipped = 0;
  /** The inner handler watches what it skips. */
  #isWatching = false;
  #inInclude = false;

  constructor(inner: XmlHandler, references: References) {
    this.#inner = inner;
    this.#references = references;
  }

  open(tag: StartTag): Interest {
    if (this.#inInclude) throw new Refusal('MTOM_STRUCTURE', 'content in an Include');
    this.#inInclude = tag.local === 'Include' && tag.uri === XOP_URI;
    if (this.#inInclude) {
      this.#include(tag);
    }
    if (this.#skipped > 0) {
      this.#skipped++;
      if (this.#isWatching) {
        this.#inner.watch?.(tag);
      }
    } else {
      const interest = this.#inner.open(tag);
      this.#isWatching = interest === WATCH;
      const isSkipped = interest === SKIP || this.#isWatching;
      if (!isSkipped && !this.#inInclude) return interest;
      if (isSkipped) {
        this.#skipped = 1;
      }
    }
    return this.#inInclude ? PRESENCE : ELEMENTS_ONLY;
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#inInclude = false;
    if (this.#skipped > 0 && --this.#skipped > 0) return;
    this.#inner.close(contentEndBytes, endBytes);
  }

  text(piece: string): void {
    if (this.#inInclude) throw new Refusal('MTOM_STRUCTURE', 'text in an Include');
    if (this.#skipped === 0) {
      this.#inner.text(piece);
    }
  }

  asciiText(bytes: Uint8Array, start: number, end: number): boolean {
    return (
      !this.#inInclude &&
      this.#skipped === 0 &&
      (this.#inner.asciiText?.(bytes, start, end) ?? false)
    );
  }

  comment(chars: string): void {
    if (this.#skipped === 0) {
      this.#inner.comment?.(chars);
    }
  }

  #include(tag: StartTag): void {
    const href = tag.attribute('', 'href');
    if (href === null || tag.attributeCount > 1) {
      throw new Refusal('MTOM_EXTERNAL_HREF', 'an Include without href, or with other attributes');
    }
    this.#references.include(href);
  }
}
