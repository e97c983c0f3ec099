import { Refusal } from '../base/refusal.js';
import type { RefusalCode } from '../base/refusals.js';
import { ALL, ELEMENTS, type Interest, SKIP, type XmlHandler } from './events.js';
import type { XmlLimits } from './limits.js';
import type { Name } from './names.js';
import { Namespaces } from './namespaces.js';
import { Tag } from './tag.js';

/** The stack of open elements: what the handler wants of each, what it has been charged, its name for the end tag. */
export class Elements {
  readonly namespaces = new Namespaces();
  readonly tag = new Tag(this.namespaces);
  /** Elements open. */
  depth = 0;
  /** Elements begun in this message. */
  count = 0;
  /** True once the document element has begun. */
  begun = false;
  /** What the handler wants of the content of the element opened last; `SKIP` within skipped content. */
  interest: Interest = SKIP;
  /** Bytes of text that may still be reported of the element opened last. */
  textLeft = 0;
  /** Whether the current run of text has been reported to a handler that asked for `PRESENCE`. */
  present = false;
  /** Bytes inside content that the handler skipped. */
  skippedBytes = 0;
  /** The names of the open elements as written, one behind the other, and where the last one begins and ends. */
  names: Buffer = Buffer.allocUnsafeSlow(KEPT_BYTES);
  nameStart = 0;
  nameEnd = 0;
  #handler: XmlHandler;
  readonly #limits: XmlLimits;
  /** Depth of the element whose content is skipped, or 0. */
  #skipDepth = 0;
  #skipStart = 0;
  readonly #nameStarts: number[] = [0];
  readonly #interests: Interest[] = [SKIP];
  readonly #children: number[] = [0];
  readonly #textLeft: number[] = [0];
  readonly #declaring: boolean[] = [false];

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#handler = handler;
    this.#limits = limits;
  }

  reset(handler: XmlHandler): void {
    this.#handler = handler;
    this.namespaces.reset();
    this.tag.release();
    this.depth = 0;
    this.count = 0;
    this.begun = false;
    this.interest = SKIP;
    this.textLeft = 0;
    this.present = false;
    this.skippedBytes = 0;
    this.nameStart = 0;
    this.nameEnd = 0;
    this.#skipDepth = 0;
    if (this.names.length > KEPT_BYTES) this.names = Buffer.allocUnsafeSlow(KEPT_BYTES);
  }

  /** A start tag begins at `offset`. Throws a `Refusal` when one element more is too many. */
  begin(offset: number): void {
    const limits = this.#limits;
    const depth = this.depth;
    if (depth === 0) {
      if (this.begun) throw refuse('XML_NOT_WELLFORMED', 'second document element', offset);
      this.begun = true;
    } else if (++this.#children[depth]! > limits.children) {
      throw refuse('XML_CHILD_LIMIT', 'children', offset);
    }
    if (depth >= limits.depth) throw refuse('XML_DEPTH_LIMIT', 'depth', offset);
    if (++this.count > limits.elements) throw refuse('XML_ELEMENT_LIMIT', 'elements', offset);
    this.tag.begin(offset, depth + 1);
    this.namespaces.begin();
  }

  /** The name of the start tag is complete: it is the token the tag completed last. */
  named(): void {
    const { bytes, start, end } = this.tag;
    const length = end - start;
    this.nameStart = this.nameEnd;
    if (this.nameStart + length > this.names.length) this.#growNames(length);
    let to = this.nameStart;
    for (let from = start; from < end; from++) this.names[to++] = bytes[from]!;
    this.nameEnd = to;
  }

  /** The start tag is complete; `end` is the offset behind its `>`. */
  open(name: Name, end: number): void {
    const { namespaces, tag } = this;
    const declaring = namespaces.enter();
    if (tag.attributeCount > 0) tag.resolveAttributes();
    const uri = namespaces.uriOf(name, tag.offsetBytes);
    this.#textLeft[this.depth] = this.textLeft;
    const depth = ++this.depth;
    this.#declaring[depth] = declaring;
    this.#nameStarts[depth] = this.nameStart;
    this.#children[depth] = 0;
    this.present = false;
    if (this.#skipDepth !== 0) return;
    tag.uri = uri;
    tag.local = name.local;
    tag.prefix = name.prefix;
    const interest = this.#handler.open(tag);
    this.interest = interest;
    this.#interests[depth] = interest;
    if (interest === ALL) this.textLeft = this.#limits.textBytes;
    if (interest === SKIP) {
      this.#skipDepth = depth;
      this.#skipStart = end;
    }
  }

  /** The element opened last ends; `offset` is where its end tag begins. */
  close(offset: number): void {
    const depth = this.depth--;
    if (this.#declaring[depth]) this.namespaces.leave();
    this.nameEnd = this.nameStart;
    this.nameStart = this.#nameStarts[depth - 1]!;
    if (this.#skipDepth !== 0) {
      if (this.#skipDepth !== depth) return;
      this.#skipDepth = 0;
      this.skippedBytes += offset - this.#skipStart;
    }
    this.present = false;
    this.interest = this.#interests[depth - 1]!;
    this.textLeft = this.#textLeft[depth - 1]!;
    this.#handler.close();
  }

  /** Reports a piece of text, which must not be longer than `textLeft`. For `ALL` and `PRESENCE` only. */
  text(bytes: Buffer, start: number, end: number, ascii: boolean): void {
    if (this.interest === ALL) {
      this.textLeft -= end - start;
      this.#handler.text(bytes.toString(ascii ? 'latin1' : 'utf8', start, end));
      return;
    }
    for (let i = start; i < end && !this.present; i++) {
      if (bytes[i]! > 0x20) this.#presence();
    }
  }

  /** Reports characters that are not in the message as such. For `ALL` and `PRESENCE` only. */
  characters(text: string, bytes: number): void {
    if (this.interest === ALL) {
      this.textLeft -= bytes;
      this.#handler.text(text);
    } else if (!this.present && !WHITE.includes(text)) {
      this.#presence();
    }
  }

  #presence(): void {
    this.present = true;
    this.#handler.text('');
  }

  #growNames(length: number): void {
    const grown = Buffer.allocUnsafeSlow((this.nameStart + length) * 2);
    this.names.copy(grown, 0, 0, this.nameStart);
    this.names = grown;
  }
}

const KEPT_BYTES = 4096;
const WHITE = ' \t\r\n';

/** A refusal with its rule and place. */
export function refuse(code: RefusalCode, rule: string, offset: number): Refusal {
  return new Refusal(code, `${rule} at byte ${offset}`);
}

/** Whether content with this interest is reported as text at all. */
export const wantsText = (interest: Interest): boolean => interest > ELEMENTS;
