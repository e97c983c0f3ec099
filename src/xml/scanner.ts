import type { Buffer } from 'node:buffer';
import { AttributeScanner } from './attributes.js';
import { CLASS, IN_NAME, SPACE } from './chars.js';
import { CommentScanner } from './comments.js';
import { Cursor } from './cursor.js';
import { type Elements, refuse } from './elements.js';
import type { XmlHandler } from './events.js';
import { FastPathScanner } from './fast-path.js';
import type { XmlLimits } from './limits.js';
import { NO_VIEW } from './plain-text.js';
import { skimMemory } from './skim-memory.js';
import {
  ATTRIBUTE_NAME,
  CDATA,
  CDATA_START,
  COMMENT,
  COMMENT_START,
  CONTENT,
  CONTENT_REFERENCE,
  DECLARATION,
  EMPTY,
  END_NAME,
  END_SPACE,
  EQUALS,
  IN_TAG,
  INSTRUCTION,
  INSTRUCTION_TARGET,
  MARKUP,
  OUTSIDE,
  QUOTE,
  START_NAME,
  VALUE,
  VALUE_REFERENCE,
} from './states.js';
import { TagScanner } from './tags.js';
import { TextScanner } from './text.js';

/**
 * The state machine from UTF-8 bytes to events: XML 1.0 fifth edition with Namespaces 1.0, without
 * DTD. A chunk must not end inside a character.
 */
export class Scanner {
  readonly elements: Elements;
  readonly #cursor: Cursor;
  readonly #attributes: AttributeScanner;
  readonly #tags: TagScanner;
  readonly #text: TextScanner;
  readonly #fastPath: FastPathScanner;
  readonly #comments: CommentScanner;
  readonly #ownAttributes: number;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    const cursor = new Cursor(handler, limits);
    this.elements = cursor.elements;
    this.#cursor = cursor;
    this.#attributes = new AttributeScanner(cursor, limits);
    this.#tags = new TagScanner(cursor, this.#attributes, limits);
    this.#text = new TextScanner(cursor);
    this.#fastPath = new FastPathScanner(cursor, this.#tags, this.#text, limits);
    this.#comments = new CommentScanner(cursor, limits);
    this.#ownAttributes = limits.attributes;
  }

  /** Begins a message whose first byte has offset 0. */
  reset(handler: XmlHandler): void {
    this.#cursor.reset(handler);
    this.#attributes.reset();
    this.mostAttributes = this.#ownAttributes;
    this.#tags.reset();
    this.#text.reset();
  }

  /** Attributes that an element of this message may have. */
  set mostAttributes(count: number) {
    this.#attributes.most = count;
    this.#fastPath.mostAttributes = count;
  }

  /** Between messages: lets go of the last one. */
  release(): void {
    this.#cursor.release();
  }

  /** Offset of the next byte. */
  get offset(): number {
    return this.#cursor.base;
  }

  /** Passes over bytes that have been read as the prolog. */
  skip(bytes: number): void {
    this.#cursor.base += bytes;
  }

  /** Reads what lies between `start` and `end`. */
  scan(chunk: Buffer, view: DataView, start: number, end: number): void {
    this.#cursor.view = view;
    this.#cursor.base -= start;
    skimMemory.forget();
    let i = start;
    while (i < end) {
      i = this.#step(chunk, i, end);
    }
    if (this.#cursor.state <= EMPTY) {
      this.elements.tag.suspend(chunk);
    }
    this.#cursor.view = NO_VIEW;
    this.#cursor.base += end;
  }

  /** The message is over. Throws a `Refusal` when it is not complete. */
  finish(): void {
    const complete =
      this.#cursor.state === OUTSIDE && this.elements.begun && this.elements.depth === 0;
    if (!complete) throw refuse('XML_NOT_WELLFORMED', 'the message is cut off', this.#cursor.base);
  }

  #step(chunk: Buffer, i: number, end: number): number {
    switch (this.#cursor.state) {
      case CONTENT:
        return this.#content(chunk, i, end);
      case MARKUP:
        return this.#markup(chunk, i, end);
      case START_NAME:
        return this.#tags.startName(chunk, i, end);
      case IN_TAG:
        return this.#tags.inTag(chunk, i, end);
      case ATTRIBUTE_NAME:
        return this.#attributes.name(chunk, i, end);
      case EQUALS:
        return this.#attributes.equals(chunk, i, end);
      case QUOTE:
        return this.#attributes.quote(chunk, i, end);
      case VALUE:
        return this.#attributes.value(chunk, i, end);
      case VALUE_REFERENCE:
        return this.#attributes.reference(chunk, i, end);
      case EMPTY:
        return this.#tags.empty(chunk, i);
      case END_NAME:
        return this.#tags.endName(chunk, i, end);
      case END_SPACE:
        return this.#tags.endSpace(chunk, i, end);
      case CONTENT_REFERENCE:
        return this.#text.reference(chunk, i, end);
      case DECLARATION:
        return this.#declaration(chunk, i);
      case COMMENT_START:
        return this.#comments.commentStart(chunk, i);
      case COMMENT:
        return this.#comments.comment(chunk, i, end);
      case INSTRUCTION_TARGET:
        return this.#comments.target(chunk, i, end);
      case INSTRUCTION:
        return this.#comments.instruction(chunk, i, end);
      case CDATA_START:
        return this.#text.cdataWord(chunk, i, end);
      case CDATA:
        return this.#text.cdata(chunk, i, end);
      default:
        return this.#outside(chunk, i, end);
    }
  }

  /** Before and behind the document element. */
  #outside(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) {
      i++;
    }
    if (i >= end) return end;
    if (chunk[i] !== 0x3c) {
      throw this.#cursor.refusal(
        'XML_NOT_WELLFORMED',
        chunk[i] === 0 ? 'NUL outside the document element' : 'text outside the document element',
        i,
      );
    }
    const after = this.elements.begun ? -1 : this.#fastPath.startTag(chunk, i, end);
    if (after >= 0) {
      this.#cursor.state = CONTENT;
    }
    return after >= 0 ? after : this.#markup(chunk, i + 1, end);
  }

  /** Content: on the fast path as far as it goes, else step by step. */
  #content(chunk: Buffer, i: number, end: number): number {
    // Text may have begun in the chunk before.
    i = this.#text.run(chunk, i, end);
    while (i < end && this.#cursor.state === CONTENT) {
      i = this.#fastPath.read(chunk, i, end);
      // Behind a reference, text may go on.
      if (i < end && this.#cursor.state === CONTENT) {
        i = chunk[i] === 0x3c ? this.#markup(chunk, i + 1, end) : this.#text.run(chunk, i, end);
      }
    }
    return i;
  }

  /** Behind a `<`. */
  #markup(chunk: Buffer, i: number, end: number): number {
    if (i >= end) {
      this.#cursor.state = MARKUP;
      return end;
    }
    const byte = chunk[i]!;
    if (byte === 0x2f) return this.#tags.beginEndTag(chunk, i + 1, end);
    if ((CLASS[byte]! & IN_NAME) !== 0) return this.#tags.beginStartTag(chunk, i, end);
    if (byte === 0x3f) return this.#comments.beginInstruction(i + 1);
    if (byte !== 0x21) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a < that begins no tag', i);
    }
    this.#cursor.state = DECLARATION;
    return i + 1;
  }

  /** Behind a `<!`. */
  #declaration(chunk: Buffer, i: number): number {
    const byte = chunk[i];
    if (byte === 0x44) throw this.#cursor.refusal('XML_DTD_FORBIDDEN', 'DTD', i - 2);
    if (byte === 0x5b && this.elements.depth > 0) return this.#text.beginCdata(i + 1);
    if (byte !== 0x2d) {
      throw this.#cursor.refusal(
        'XML_NOT_WELLFORMED',
        'a <! that begins no comment or CDATA section',
        i,
      );
    }
    return this.#comments.beginComment(i + 1);
  }
}
