import type { Buffer } from 'node:buffer';
import type { Refusal, RefusalCode } from '../core/index.js';
import { CLASS, IN_NAME, utf8Length } from './chars.js';
import { Elements, refuse } from './elements.js';
import type { XmlHandler } from './events.js';
import { refuseByXmlLimit, type XmlLimits } from './limits.js';
import { HASH_START, mix, type Name, nameOf } from './names.js';
import { NO_VIEW } from './plain-text.js';
import { ReferenceReader } from './references.js';
import { OUTSIDE, type State } from './states.js';

/**
 * The position of the scanner, shared by its parts. Reads names and characters beyond ASCII for all
 * of them. Here as in the parts, each method reads from `i` on, as far as its state goes or the
 * chunk lasts, and returns where it stopped, so no byte is read twice however the message is cut.
 */
export class Cursor {
  state: State = OUTSIDE;
  /** Offset of the first byte of the chunk. */
  base = 0;
  /** The chunk being scanned, for reading four bytes at once. */
  view: DataView = NO_VIEW;
  readonly elements: Elements;
  /** The reference being read: there is one at a time, in text or in a value. */
  readonly reference = new ReferenceReader();
  /** The longest name, in bytes. */
  readonly nameBytes: number;
  /** The name being read: its hash so far and the offset where its limit lies. */
  #hash = 0;
  #limit = 0;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.elements = new Elements(handler, limits);
    this.nameBytes = limits.nameChars;
  }

  reset(handler: XmlHandler): void {
    this.elements.reset(handler);
    this.state = OUTSIDE;
    this.base = 0;
  }

  /** Lets go of the handler and of the chunk in which a message failed. */
  release(): void {
    this.elements.release();
    this.view = NO_VIEW;
  }

  /** A refusal for what stands at `i`. */
  /** The refusal of a reference that is none, or none that XML has. */
  referenceRefusal(i: number): Refusal {
    const rule = this.reference.isForbidden
      ? 'a reference to a character that XML does not have'
      : 'an & that begins no reference';
    return this.refusal('XML_NOT_WELLFORMED', rule, i);
  }

  refusal(code: RefusalCode, rule: string, i: number): Refusal {
    return refuse(code, rule, this.base + i);
  }

  beginName(i: number): void {
    this.#hash = HASH_START;
    this.#limit = this.base + i + this.nameBytes;
  }

  /** Reads a name up to the byte behind it, or returns -1 when the chunk ends first. */
  nameEnd(chunk: Buffer, i: number, end: number): number {
    const start = i;
    const limit = this.#limit - this.base;
    const stop = Math.min(limit, end);
    let hash = this.#hash;
    while (i < stop) {
      const byte = chunk[i]!;
      if ((CLASS[byte]! & IN_NAME) === 0) break;
      hash = mix(hash, byte);
      i++;
    }
    this.#hash = hash;
    if (i >= end) {
      this.elements.tag.suspendToken(chunk, start, end);
      return -1;
    }
    if (i === limit && (CLASS[chunk[i]!]! & IN_NAME) !== 0) {
      throw refuseByXmlLimit('nameChars', this.elements.limits, this.#limit);
    }
    this.elements.tag.completeToken(chunk, start, i);
    return i;
  }

  /**
   * The name `nameEnd` came to the end of. Throws a `Refusal` when it is no qualified name;
   * `offset` is its place.
   */
  name(offset: number): Name {
    const { tag } = this.elements;
    return nameOf(tag.bytes, tag.start, tag.end, this.#hash, offset);
  }

  /** Length of the character beyond ASCII at `i`. Throws a `Refusal` when it is none. */
  wideCharacter(chunk: Buffer, i: number, end: number): number {
    const length = utf8Length(chunk, i, end);
    if (length > 0) return length;
    throw length === 0
      ? this.refusal('XML_ENCODING', 'bytes that are not UTF-8', i)
      : this.refusal('XML_NOT_WELLFORMED', 'a character that XML does not have', i);
  }
}
