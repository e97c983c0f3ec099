import type { Buffer } from 'node:buffer';
import { Refusal, type RefusalCode } from '../core/index.js';
import { Backoff } from './backoff.js';
import { stringOf } from './byte-string.js';
import {
  ALL,
  type CanonicalContent,
  type ChildSelection,
  type ContentModel,
  ELEMENTS_ONLY,
  type Interest,
  PRESENCE,
  SKIP,
  STREAM,
  type StartTag,
  WATCH,
  type XmlHandler,
} from './events.js';
import { refuseByXmlLimit, type XmlLimits } from './limits.js';
import { type Name, NO_NAME } from './names.js';
import { Namespaces } from './namespaces.js';
import { Tag } from './tag.js';

/** An open element. Frames are used again and again. */
class Frame {
  name = NO_NAME;
  /** The handler's interest in its content; `SKIP` within skipped content. */
  interest: Interest = SKIP;
  /** Child elements begun. */
  children = 0;
  /** Bytes of text that may still be reported of it. */
  textLeft = 0;
  /** It declares namespaces. */
  isDeclaring = false;
  /** The handler may take its content where that is canonical XML. */
  mayBeCanonical = false;
  /** The children that are reported; null for all. */
  selection: ChildSelection | null = null;
  /** Lengthened where the skimmer passed over nothing of its selected content. */
  readonly backoff = new Backoff();
}

/**
 * The stack of open elements, with the handler's interest in each and what each has used of the
 * limits.
 */
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
  /** The document element has begun. */
  begun = false;
  /** The current run of text has been reported to a handler that asked for `PRESENCE`. */
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
  /** Namespaces of attributes that are reported within skipped content; null for none. */
  watched: ReadonlySet<string> | null = null;
  /** The model by which the handler validates content of interest `PRESENCE`; null for none. */
  model: ContentModel | null = null;
  /** The depth of the element with which the handler gave it; those further out are reported. */
  modelDepth = 0;
  #skipStart = 0;
  /** The element whose content is skipped was not reported itself. */
  #isHidden = false;
  /**
   * Offset of what the handler was told last: the `<` of a start tag, or the last byte of an end
   * tag.
   */
  eventBytes = 0;
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
    this.#isHidden = false;
    this.watched = null;
    this.model = null;
    this.eventBytes = 0;
  }

  /** Between messages: lets go of the handler and of the last chunk. */
  release(): void {
    this.#handler = NO_HANDLER;
    this.model = null;
    for (const frame of this.frames) {
      frame.selection = null;
    }
    this.tag.release();
  }

  /** A start tag begins at `offset`. Throws a `Refusal` when one element more is too many. */
  begin(offset: number): void {
    this.admit(offset);
    this.tag.begin(offset, this.depth + 1);
    this.namespaces.begin();
  }

  /**
   * Counts one element more, whose start tag begins at `offset`. Throws a `Refusal` when it is too
   * many.
   */
  admit(offset: number): void {
    const depth = this.depth;
    if (depth === 0) {
      if (this.begun) throw refuse('XML_NOT_WELLFORMED', 'a second document element', offset);
      this.begun = true;
    } else if (++this.top.children > this.#mostChildren) {
      throw refuseByXmlLimit('children', this.limits, offset);
    }
    if (depth >= this.#mostDepth) throw refuseByXmlLimit('depth', this.limits, offset);
    if (++this.count > this.#mostElements) throw refuseByXmlLimit('elements', this.limits, offset);
  }

  /** Opens an element without declarations in skipped content: `open` without the handler. */
  openSkipped(name: Name, offset: number): void {
    if (name.scope !== this.namespaces.scope) {
      this.namespaces.uriOf(name, offset);
    }
    this.push(name, false);
  }

  /** Pushes a frame for an element that is not reported. */
  push(name: Name, isDeclaring: boolean): Frame {
    const frame = this.frames[++this.depth] ?? this.#newFrame();
    this.top = frame;
    frame.name = name;
    frame.interest = SKIP;
    frame.children = 0;
    frame.isDeclaring = isDeclaring;
    frame.mayBeCanonical = false;
    frame.selection = null;
    return frame;
  }

  /** Pushes a frame for an element that the handler took as canonical XML. */
  pushCanonical(name: Name): Frame {
    const frame = this.push(name, false);
    frame.interest = ALL;
    frame.textLeft = UNBOUNDED_BYTES;
    frame.mayBeCanonical = true;
    return frame;
  }

  /** Takes content that is canonical XML; null: it is reported. */
  get canonicalContent(): CanonicalContent | null {
    return this.#handler.canonicalContent ?? null;
  }

  #newFrame(): Frame {
    const frame = new Frame();
    this.frames.push(frame);
    return frame;
  }

  /** Closes the element opened last without a report: it is inside the content that is skipped. */
  closeSkipped(): void {
    if (this.top.isDeclaring) {
      this.namespaces.leave();
    }
    const depth = --this.depth;
    if (depth < this.lowest) {
      this.lowest = depth;
    }
    this.top = this.frames[depth]!;
  }

  /** Closes elements without declarations down to this depth; they are not reported. */
  closeTo(depth: number): void {
    this.depth = depth;
    this.lowest = Math.min(this.lowest, depth);
    this.top = this.frames[depth]!;
  }

  /** Reports that so many elements were opened, or closed, without an event. */
  reportMove(levels: number): void {
    if (levels !== 0) {
      this.#handler.move?.(levels);
    }
  }

  /** The start tag is complete; `end` is the offset behind its `>`. */
  open(name: Name, end: number): void {
    const { namespaces, tag } = this;
    const isDeclaring = namespaces.enter();
    if (tag.attributeCount > 0) {
      tag.resolveAttributes();
    }
    const uri = namespaces.uriOf(name, tag.offsetBytes);
    const frame = this.push(name, isDeclaring);
    if (this.skipDepth !== 0) {
      this.watch(name, end);
      return;
    }
    this.present = false;
    this.#lend(name, uri, end);
    const interest = this.#handler.open(tag);
    if (interest === SKIP || interest === WATCH) {
      this.skipDepth = this.depth;
      this.watched = interest === WATCH ? (this.#handler.watched ?? null) : null;
      this.#skipStart = end;
      return;
    }
    if (interest === PRESENCE) {
      this.#setModel(this.#handler.model ?? null);
    } else if (interest === ELEMENTS_ONLY) {
      this.#select(frame, this.#handler.selection ?? null);
    }
    frame.interest = interest === STREAM ? ALL : interest;
    frame.textLeft = interest === STREAM ? UNBOUNDED_BYTES : this.#mostText;
    frame.mayBeCanonical = interest === STREAM && this.#handler.canonicalContent !== undefined;
  }

  /** Handlers between the reader and the model know the element opened last, but none around it. */
  #setModel(model: ContentModel | null): void {
    if (model === this.model) return;
    this.model = model;
    this.modelDepth = this.depth;
  }

  /** Skips the content of an element; `isHidden`: it has not been reported itself. */
  skip(name: Name, contentStart: number, isHidden: boolean): Frame {
    const frame = this.push(name, false);
    this.skipDepth = this.depth;
    this.#isHidden = isHidden;
    this.#skipStart = contentStart;
    return frame;
  }

  /** Pushes a frame for an element of selected content that has been reported. */
  pushSelected(name: Name, selection: ChildSelection | null): Frame {
    const frame = this.push(name, false);
    frame.interest = ELEMENTS_ONLY;
    this.#select(frame, selection);
    return frame;
  }

  #select(frame: Frame, selection: ChildSelection | null): void {
    frame.selection = selection;
    frame.backoff.reset();
  }

  /** Reports the text of a selected leaf, which has no other events. */
  leaf(place: number, text: string): void {
    this.#handler.leaf?.(place, text);
  }

  /** Reports a start tag in selected content; false where the handler skips what is in it. */
  openSelected(tag: StartTag): boolean {
    this.eventBytes = tag.offsetBytes;
    return this.#handler.open(tag) === ELEMENTS_ONLY;
  }

  closeSelected(contentEnd: number, end: number): void {
    this.eventBytes = end - 1;
    this.#handler.close(contentEnd, end);
  }

  /** Reports the local name of the last child of the open element that was not selected. */
  passed(local: string): void {
    this.#handler.passed?.(local);
  }

  /** Reports a start tag in skipped content where it has a watched attribute. */
  watch(name: Name, end: number): void {
    const { tag, watched } = this;
    if (watched === null || !hasAttributeOf(tag, watched)) return;
    this.#lend(name, this.namespaces.uriOf(name, tag.offsetBytes), end);
    this.#handler.watch?.(tag);
  }

  #lend(name: Name, uri: string, end: number): void {
    const { tag } = this;
    tag.uri = uri;
    tag.name = name;
    tag.contentBytes = end;
    this.eventBytes = tag.offsetBytes;
  }

  /** The element opened last ends: its content at `contentEnd`, its end tag at `end`. */
  close(contentEnd: number, end: number): void {
    const { depth } = this;
    this.closeSkipped();
    if (this.skipDepth !== 0) {
      if (this.skipDepth !== depth) return;
      this.skipDepth = 0;
      this.watched = null;
      this.skippedBytes += contentEnd - this.#skipStart;
      if (this.#isHidden) {
        this.#isHidden = false;
        return;
      }
    }
    if (depth === this.modelDepth) {
      this.model = null;
    }
    this.present = false;
    this.eventBytes = end - 1;
    this.#handler.close(contentEnd, end);
  }

  /** Reports text, which must not be longer than `textLeft`. For `ALL` and `PRESENCE` only. */
  text(bytes: Buffer, start: number, end: number, ascii: boolean): void {
    const { top } = this;
    if (top.interest === ALL) {
      const isWhole =
        ascii && top.textLeft === UNBOUNDED_BYTES && bytes[end] === 0x3c && bytes[end + 1] === 0x2f;
      top.textLeft -= end - start;
      if (isWhole && this.#handler.asciiText?.(bytes, start, end) === true) return;
      this.#handler.text(stringOf(bytes, start, end, ascii));
      return;
    }
    for (let i = start; i < end && !this.present; i++) {
      if (bytes[i]! > 0x20) {
        this.#presence();
      }
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
    if (this.skipDepth === 0) {
      this.#handler.instruction?.();
    }
  }

  /** Whether the handler takes the comment that begins here. */
  get takesComment(): boolean {
    return this.depth > 0 && this.skipDepth === 0 && this.#handler.comment !== undefined;
  }

  comment(chars: string): void {
    this.#handler.comment?.(chars);
  }

  #presence(): void {
    this.present = true;
    this.#handler.text('');
  }
}

function hasAttributeOf(tag: Tag, uris: ReadonlySet<string>): boolean {
  for (let index = 0; index < tag.attributeCount; index++) {
    if (uris.has(tag.attributeUri(index))) return true;
  }
  return false;
}

/** No message is longer by more than a chunk; a small integer, as all counters here. */
const UNBOUNDED_BYTES = 0x7000_0000;

/** The handler between messages. */
const NO_HANDLER: XmlHandler = { open: () => SKIP, close() {}, text() {} };

const WHITE = ' \t\r\n';

/** Makes a refusal with its rule and offset. */
export function refuse(code: RefusalCode, rule: string, offset: number): Refusal {
  return new Refusal(code, rule, { facts: { offsetBytes: offset } });
}

/** Whether content with this interest is reported as text at all. */
export const wantsText = (interest: Interest): boolean => interest > ELEMENTS_ONLY;
