import { AttributeScanner } from './attributes.js';
import { CLASS, IN_NAME, SPACE } from './chars.js';
import { refuse } from './elements.js';
import type { XmlHandler } from './events.js';
import { guess, HASH_START, isAt, mix, type Name, NO_NAME, nameOf } from './names.js';
import { CONTENT, EMPTY, END_NAME, END_SPACE, IN_TAG, OUTSIDE, START_NAME } from './states.js';

/** Reads start and end tags. */
export class TagScanner extends AttributeScanner {
  /** The name of the last start tag. */
  #last = NO_NAME;
  /** Bytes of an end tag's name that have been compared. */
  #compared = 0;
  #endOffset = 0;

  /** A `<` has been read and a byte of a name follows at `i`. */
  protected beginStartTag(chunk: Buffer, i: number, end: number): number {
    this.elements.begin(this.base + i - 1);
    const guessed = guess(this.#last.nextTag, chunk, this.view, i, end);
    if (guessed !== null && guessed.bytes.length <= this.nameBytes) {
      return this.#named(guessed, chunk, i + guessed.bytes.length, end);
    }
    const stop = Math.min(end, i + this.nameBytes);
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
      this.beginName(i);
      this.state = START_NAME;
      return this.startName(chunk, i, end);
    }
    const name = nameOf(chunk, i, at, hash, this.base + i);
    this.#last.nextTag = name.place;
    return this.#named(name, chunk, at, end);
  }

  /** The name of the start tag is known and ends before `i`. */
  #named(name: Name, chunk: Buffer, i: number, end: number): number {
    this.#last = name;
    if (chunk[i] === 0x3e) {
      this.state = CONTENT;
      this.elements.open(name, this.base + i + 1);
      return i + 1;
    }
    this.before = name;
    this.spaced = false;
    this.state = IN_TAG;
    return this.inTag(chunk, i, end);
  }

  protected startName(chunk: Buffer, i: number, end: number): number {
    i = this.nameEnd(chunk, i, end);
    if (i < 0) return end;
    return this.#named(this.name(this.elements.tag.offsetBytes + 1), chunk, i, end);
  }

  /** Between the parts of a start tag. */
  protected inTag(chunk: Buffer, i: number, end: number): number {
    while (i < end) {
      const byte = chunk[i]!;
      if (byte === 0x3e) return this.#open(i + 1);
      const kind = CLASS[byte]!;
      if ((kind & SPACE) !== 0) {
        this.spaced = true;
        i++;
      } else if ((kind & IN_NAME) !== 0 && this.spaced) {
        i = this.beginAttribute(chunk, i, end);
        if (this.state !== IN_TAG) return i;
      } else if (byte === 0x2f) {
        this.state = EMPTY;
        return i + 1 < end ? this.empty(chunk, i + 1) : i + 1;
      } else {
        throw refuse('XML_NOT_WELLFORMED', 'start tag', this.base + i);
      }
    }
    return i;
  }

  /** Behind the `/` of an empty element. */
  protected empty(chunk: Buffer, i: number): number {
    if (chunk[i] !== 0x3e) throw refuse('XML_NOT_WELLFORMED', 'empty element', this.base + i);
    this.#open(i + 1);
    this.closeElement(this.base + i + 1);
    return i + 1;
  }

  #open(i: number): number {
    this.state = CONTENT;
    this.elements.open(this.#last, this.base + i);
    return i;
  }

  protected closeElement(offset: number): void {
    this.elements.close(offset);
    this.state = this.elements.depth === 0 ? OUTSIDE : CONTENT;
  }

  /** A `</` has been read, and the chunk holds the end tag to its `>`: ends the element, or returns -1. */
  protected endElement(chunk: Buffer, i: number, end: number): number {
    const { depth, top } = this.elements;
    const { name } = top;
    const close = i + name.bytes.length;
    if (close >= end || chunk[close] !== 0x3e || depth === 0 || !isAt(name, this.view, i)) return -1;
    this.closeElement(this.base + i - 2);
    return close + 1;
  }

  /** A `</` has been read. */
  protected beginEndTag(chunk: Buffer, i: number, end: number): number {
    if (this.elements.depth === 0) throw refuse('XML_NOT_WELLFORMED', 'end tag', this.base + i - 2);
    this.#compared = 0;
    this.#endOffset = this.base + i - 2;
    this.state = END_NAME;
    return this.endName(chunk, i, end);
  }

  protected endName(chunk: Buffer, i: number, end: number): number {
    const name = this.elements.top.name.bytes;
    let compared = this.#compared;
    while (i < end && compared < name.length && chunk[i] === name[compared]) {
      i++;
      compared++;
    }
    this.#compared = compared;
    if (i >= end) return end;
    if (compared < name.length) throw refuse('XML_NOT_WELLFORMED', 'end tag', this.base + i);
    this.state = END_SPACE;
    return this.endSpace(chunk, i, end);
  }

  protected endSpace(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) i++;
    if (i >= end) return end;
    if (chunk[i] !== 0x3e) throw refuse('XML_NOT_WELLFORMED', 'end tag', this.base + i);
    this.closeElement(this.#endOffset);
    return i + 1;
  }

  protected resetTags(handler: XmlHandler): void {
    this.resetAttributes(handler);
    this.#last = NO_NAME;
  }
}
