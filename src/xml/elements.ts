import type { Buffer } from 'node:buffer';
import { Refusal } from '../base/refusal.js';
import type { RefusalCode } from '../base/refusals.js';
import { stringOf } from './bytes.js';
import { ALL, ELEMENTS, type Interest, PIECES, SKIP, type XmlHandler } from './events.js';
import { beyond, type XmlLimits } from './limits.js';
import { type Name, NO_NAME } from './names.js';
import { Namespaces } from './namespaces.js';
import { Tag } from './tag.js';

/** An open element. Frames are used again and again. */
class Frame {
  name = NO_NAME;
  /** What the handler wants of its content; `SKIP` within skipped content. */
  interest: Interest = SKIP;
  /** Child elements begun. */
  children = 0;
  /** Bytes of text that may still be reported of it. */
  textLeft = 0;
  /** Whether it declares namespaces. */
  declaring = false;
}

/** The stack of open elements: what the handler wants of each, and what each has been charged. */
export class Elements {
  readonly namespaces = new Namespaces();
  readonly tag = new Tag(this.namespaces);
  /** Elements open. */
  depth = 0;
  /** The least depth since the skimmer looked, which knows those further out. */
  lowest = 0;
  /** The element opened last. */
  top = new Frame();
  /** Elements begun in this message. */
  count = 0;
  /** True once the document element has begun. */
  begun = false;
  /** Whether the current run of text has been reported to a handler that asked for `PRESENCE`. */
  present = false;
  /** Bytes inside content that the handler skipped. */
  skippedBytes = 0;
  #handler: XmlHandler;
  readonly limits: XmlLimits;
  readonly #mostDepth: number;
  readonly #mostChildren: number;
  readonly #mostElements: number;
  readonly #mostText: number;
  /** Depth of the element whose content is skipped, or 0. */
  skipDepth = 0;
  #skipStart = 0;
  readonly frames: Frame[] = [this.top];

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.limits = limits;
    this.#handler = handler;
    this.#mostDepth = limits.depth;
    this.#mostChildren = limits.children;
    this.#mostElements = limits.elements;
    this.#mostText = limits.textBytes;
  }

  reset(handler: XmlHandler): void {
    this.#handler = handler;
    this.namespaces.reset();
    this.tag.release();
    this.depth = 0;
    this.lowest = 0;
    this.top = this.frames[0]!;
    this.count = 0;
    this.begun = false;
    this.present = false;
    this.skippedBytes = 0;
    this.skipDepth = 0;
  }

  /** Between messages: lets go of the handler and of the last chunk. */
  release(): void {
    this.#handler = NOBODY;
    this.tag.release();
  }

  /** A start tag begins at `offset`. Throws a `Refusal` when one element more is too many. */
  begin(offset: number): void {
    this.admit(offset);
    this.tag.begin(offset, this.depth + 1);
    this.namespaces.begin();
  }

  /** Counts one element more, whose start tag begins at `offset`. Throws a `Refusal` when it is too many. */
  admit(offset: number): void {
    const depth = this.depth;
    if (depth === 0) {
      if (this.begun) throw refuse('XML_NOT_WELLFORMED', 'second document element', offset);
      this.begun = true;
    } else if (++this.top.children > this.#mostChildren) {
      throw beyond('children', this.limits, offset);
    }
    if (depth >= this.#mostDepth) throw beyond('depth', this.limits, offset);
    if (++this.count > this.#mostElements) throw beyond('elements', this.limits, offset);
  }

  /** A start tag without declarations is complete in content that nobody wants: what `open` would do, in short. */
  openSkipped(name: Name, offset: number): void {
    if (name.scope !== this.namespaces.scope) this.namespaces.uriOf(name, offset);
    this.push(name, false);
  }

  /** An element is open, and nothing of it is told until somebody wants it. */
  push(name: Name, declaring: boolean): Frame {
    const frame = this.frames[++this.depth] ?? this.#newFrame();
    this.top = frame;
    frame.name = name;
    frame.interest = SKIP;
    frame.children = 0;
    frame.declaring = declaring;
    return frame;
  }

  #newFrame(): Frame {
    const frame = new Frame();
    this.frames.push(frame);
    return frame;
  }

  /** The element opened last ends, which is told to nobody: it is within skipped content, and was not what was skipped. */
  closeSkipped(): void {
    if (this.top.declaring) this.namespaces.leave();
    const depth = --this.depth;
    if (depth < this.lowest) this.lowest = depth;
    this.top = this.frames[depth]!;
  }

  /** The start tag is complete; `end` is the offset behind its `>`. */
  open(name: Name, end: number): void {
    const { namespaces, tag } = this;
    const declaring = namespaces.enter();
    if (tag.attributeCount > 0) tag.resolveAttributes();
    const uri = namespaces.uriOf(name, tag.offsetBytes);
    const frame = this.push(name, declaring);
    if (this.skipDepth !== 0) return;
    this.present = false;
    tag.uri = uri;
    tag.name = name;
    tag.contentBytes = end;
    const interest = this.#handler.open(tag);
    if (interest === SKIP) {
      this.skipDepth = this.depth;
      this.#skipStart = end;
      return;
    }
    frame.interest = interest === PIECES ? ALL : interest;
    frame.textLeft = interest === PIECES ? MOST_PIECES : this.#mostText;
  }

  /** The element opened last ends: its content at `contentEnd`, its end tag at `end`. */
  close(contentEnd: number, end: number): void {
    const { depth } = this;
    this.closeSkipped();
    if (this.skipDepth !== 0) {
      if (this.skipDepth !== depth) return;
      this.skipDepth = 0;
      this.skippedBytes += contentEnd - this.#skipStart;
    }
    this.present = false;
    this.#handler.close(contentEnd, end);
  }

  /** Reports a piece of text, which must not be longer than `textLeft`. For `ALL` and `PRESENCE` only. */
  text(bytes: Buffer, start: number, end: number, ascii: boolean): void {
    const { top } = this;
    if (top.interest === ALL) {
      const isWhole = ascii && top.textLeft === MOST_PIECES && bytes[end] === 0x3c && bytes[end + 1] === 0x2f;
      top.textLeft -= end - start;
      if (isWhole && this.#handler.plain?.(bytes, start, end) === true) return;
      this.#handler.text(stringOf(bytes, start, end, ascii));
      return;
    }
    for (let i = start; i < end && !this.present; i++) {
      if (bytes[i]! > 0x20) this.#presence();
    }
  }

  /** Reports characters that are not in the message as such. For `ALL` and `PRESENCE` only. */
  characters(text: string, bytes: number): void {
    if (this.top.interest === ALL) {
      this.top.textLeft -= bytes;
      this.#handler.text(text);
    } else if (!this.present && !WHITE.includes(text)) {
      this.#presence();
    }
  }

  /** Whether the handler takes processing instructions. */
  get takesInstructions(): boolean {
    return this.#handler.instruction !== undefined;
  }

  /** Reports a processing instruction; none where content is skipped. */
  instruction(): void {
    if (this.skipDepth === 0) this.#handler.instruction?.();
  }

  #presence(): void {
    this.present = true;
    this.#handler.text('');
  }
}

/** No message is longer by more than a chunk; a small integer, as all that is counted here. */
const MOST_PIECES = 0x7000_0000;

/** Holds the place of the handler between messages. */
const NOBODY: XmlHandler = { open: () => SKIP, close() {}, text() {} };

const WHITE = ' \t\r\n';

/** A refusal with its rule and place. */
export function refuse(code: RefusalCode, rule: string, offset: number): Refusal {
  return new Refusal(code, `${rule} at byte ${offset}`);
}

/** Whether content with this interest is reported as text at all. */
export const wantsText = (interest: Interest): boolean => interest > ELEMENTS;
