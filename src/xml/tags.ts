import type { Buffer } from 'node:buffer';
import { Refusal } from '../core/index.js';
import type { AttributeScanner } from './attributes.js';
import { CLASS, IN_NAME, SPACE } from './chars.js';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import type { XmlLimits } from './limits.js';
import { HASH_START, isAt, mix, type Name, NO_NAME, nameAt, nameOf } from './names.js';
import { cacheStartTag } from './start-tag-cache.js';
import { CONTENT, EMPTY, END_NAME, END_SPACE, IN_TAG, OUTSIDE, START_NAME } from './states.js';

/** Reads start and end tags. */
export class TagScanner {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #attributes: AttributeScanner;
  /** The name of the last start tag. */
  last = NO_NAME;
  /** Start tags of this message that were cached. */
  #cached = 0;
  readonly #limits: XmlLimits;
  /** Bytes of an end tag's name that have been compared. */
  #compared = 0;
  #endOffset = 0;

  constructor(cursor: Cursor, attributes: AttributeScanner, limits: XmlLimits) {
    this.#limits = limits;
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#attributes = attributes;
  }

  /**
   * The name of the start tag at `i` if it is one that came after the last one before; else null.
   */
  expected(view: DataView, i: number, end: number): Name | null {
    const { last } = this;
    let name = nameAt(last.nextTag);
    if (name === null || !isWholeAt(name, view, i, end)) {
      name = nameAt(last.otherTag);
      if (name === null || !isWholeAt(name, view, i, end)) return null;
    }
    return name.length <= this.#cursor.nameBytes ? name : null;
  }

  /** A `<` has been read and a byte of a name follows at `i`. */
  beginStartTag(chunk: Buffer, i: number, end: number): number {
    this.#elements.begin(this.#cursor.base + i - 1);
    const stop = Math.min(end, i + this.#cursor.nameBytes);
    let hash = HASH_START;
    let at = i;
    while (at < stop) {
      const byte = chunk[at]!;
      if ((CLASS[byte]! & IN_NAME) === 0) break;
      hash = mix(hash, byte);
      at++;
    }
    if (at === stop) {
      // Cut by the end of the chunk, or perhaps too long.
      this.#cursor.beginName(i);
      this.#cursor.state = START_NAME;
      return this.startName(chunk, i, end);
    }
    const name = nameOf(chunk, i, at, hash, this.#cursor.base + i);
    this.last.follow(name);
    return this.#continueTag(name, chunk, at, end);
  }

  /** Goes on with a start tag whose name ends before `i`. */
  #continueTag(name: Name, chunk: Buffer, i: number, end: number): number {
    this.last = name;
    if (chunk[i] === 0x3e) {
      this.#cursor.state = CONTENT;
      this.#elements.open(name, this.#cursor.base + i + 1);
      return i + 1;
    }
    this.#attributes.enter(name);
    this.#cursor.state = IN_TAG;
    return this.inTag(chunk, i, end);
  }

  startName(chunk: Buffer, i: number, end: number): number {
    i = this.#cursor.nameEnd(chunk, i, end);
    if (i < 0) return end;
    return this.#continueTag(this.#cursor.name(this.#elements.tag.offsetBytes + 1), chunk, i, end);
  }

  /** Between the parts of a start tag. */
  inTag(chunk: Buffer, i: number, end: number): number {
    const attributes = this.#attributes;
    while (i < end) {
      const byte = chunk[i]!;
      if (byte === 0x3e) {
        this.#cache(chunk, i + 1);
        return this.#open(i + 1);
      }
      const kind = CLASS[byte]!;
      if ((kind & SPACE) !== 0) {
        attributes.hasSpace = true;
        i++;
      } else if ((kind & IN_NAME) !== 0 && attributes.hasSpace) {
        i = attributes.begin(chunk, i, end);
        if (this.#cursor.state !== IN_TAG) return i;
      } else if (byte === 0x2f) {
        this.#cursor.state = EMPTY;
        return i + 1 < end ? this.empty(chunk, i + 1) : i + 1;
      } else {
        throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a start tag that is not whole', i);
      }
    }
    return i;
  }

  /** Behind the `/` of an empty element. */
  empty(chunk: Buffer, i: number): number {
    if (chunk[i] !== 0x3e) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a / within a start tag', i);
    }
    this.#open(i + 1);
    const offset = this.#cursor.base + i + 1;
    this.#close(offset, offset);
    return i + 1;
  }

  /**
   * Caches a start tag with declarations, which ends before `i`: the top of messages repeats
   * itself.
   */
  #cache(chunk: Buffer, i: number): void {
    const { tag, depth, namespaces } = this.#elements;
    const start = tag.offsetBytes - this.#cursor.base + 1 + this.last.length;
    if (
      namespaces.declared === 0 ||
      depth >= CACHED_DEPTH ||
      this.#cached >= CACHED_MAX ||
      start <= 0
    ) {
      return;
    }
    this.#cached++;
    cacheStartTag(
      this.last,
      chunk.subarray(start, i),
      this.#limits,
      namespaces.declarations(),
      tag.placedFrom(start),
    );
  }

  #open(i: number): number {
    this.#cursor.state = CONTENT;
    this.#elements.open(this.last, this.#cursor.base + i);
    return i;
  }

  #close(contentEnd: number, endOffset: number): void {
    this.#elements.close(contentEnd, endOffset);
    this.#cursor.state = this.#elements.depth === 0 ? OUTSIDE : CONTENT;
  }

  /** A `</` has been read. */
  beginEndTag(chunk: Buffer, i: number, end: number): number {
    if (this.#elements.depth === 0) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'an end tag without its start tag', i - 2);
    }
    this.#compared = 0;
    this.#endOffset = this.#cursor.base + i - 2;
    this.#cursor.state = END_NAME;
    return this.endName(chunk, i, end);
  }

  endName(chunk: Buffer, i: number, end: number): number {
    const name = this.#elements.top.name.bytes;
    let compared = this.#compared;
    while (i < end && compared < name.length && chunk[i] === name[compared]) {
      i++;
      compared++;
    }
    this.#compared = compared;
    if (i >= end) return end;
    if (compared < name.length) throw this.#otherEndTag(i);
    this.#cursor.state = END_SPACE;
    return this.endSpace(chunk, i, end);
  }

  endSpace(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) {
      i++;
    }
    if (i >= end) return end;
    if (chunk[i] !== 0x3e) throw this.#otherEndTag(i);
    this.#close(this.#endOffset, this.#cursor.base + i + 1);
    return i + 1;
  }

  /** The end tag is not that of the element opened last. */
  #otherEndTag(i: number): Refusal {
    const { prefix, local } = this.#elements.top.name;
    return new Refusal('XML_NOT_WELLFORMED', 'an end tag that is not that of the open element', {
      facts: {
        offsetBytes: this.#cursor.base + i,
        expected: [`</${prefix === '' ? '' : `${prefix}:`}${local}>`],
      },
    });
  }

  reset(): void {
    this.last = NO_NAME;
    this.#cached = 0;
  }
}

/** Envelope, Header and Body, and their children. */
const CACHED_DEPTH = 3;
/** More of them are no longer common to the messages of a service. */
const CACHED_MAX = 8;

/**
 * Whether this name stands at `i`, and `>`, a space or a slash behind it, and one byte more in the
 * chunk.
 */
function isWholeAt(name: Name, view: DataView, i: number, end: number): boolean {
  const after = i + name.length;
  if (after + 1 >= end || !isAt(name, view, i, end)) return false;
  const byte = view.getUint8(after);
  return byte === 0x3e || byte === 0x20 || byte === 0x2f;
}
