import { CLASS, CONTROL, IN_NAME, SPACE } from './chars.js';
import { refuse } from './elements.js';
import type { XmlHandler } from './events.js';
import type { XmlLimits } from './limits.js';
import { NO_VIEW } from './plain.js';
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
  MARKUP,
  OUTSIDE,
  QUOTE,
  START_NAME,
  VALUE,
  VALUE_REFERENCE,
} from './states.js';
import { TextScanner } from './text.js';

/**
 * The state machine from UTF-8 bytes to events: XML 1.0 fifth edition with Namespaces 1.0, without DTD and processing
 * instructions. A chunk must not end inside a character.
 */
export class Scanner extends TextScanner {
  readonly #commentBytes: number;
  /** Hyphens directly before this byte of a comment. */
  #hyphens = 0;
  /** Offset where the limit of the comment lies. */
  #commentLimit = 0;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    super(handler, limits);
    this.#commentBytes = limits.commentBytes;
  }

  /** Begins a message whose first byte has this offset. */
  reset(handler: XmlHandler): void {
    this.resetTags(handler);
    this.state = OUTSIDE;
    this.base = 0;
    this.resetText();
  }

  /** Passes over bytes that were read by others. */
  skip(bytes: number): void {
    this.base += bytes;
  }

  scan(chunk: Buffer): void {
    const end = chunk.length;
    this.view = new DataView(chunk.buffer, chunk.byteOffset, end);
    let i = 0;
    while (i < end) i = this.#step(chunk, i, end);
    if (this.state <= EMPTY) this.elements.tag.suspend(chunk);
    this.view = NO_VIEW;
    this.base += end;
  }

  /** The message is over. Throws a `Refusal` when it is not complete. */
  finish(): void {
    const complete = this.state === OUTSIDE && this.elements.begun && this.elements.depth === 0;
    if (!complete) throw refuse('XML_NOT_WELLFORMED', 'end of message', this.base);
  }

  #step(chunk: Buffer, i: number, end: number): number {
    switch (this.state) {
      case CONTENT:
        return this.content(chunk, i, end);
      case MARKUP:
        return this.markup(chunk, i, end);
      case START_NAME:
        return this.startName(chunk, i, end);
      case IN_TAG:
        return this.inTag(chunk, i, end);
      case ATTRIBUTE_NAME:
        return this.attributeName(chunk, i, end);
      case EQUALS:
        return this.equals(chunk, i, end);
      case QUOTE:
        return this.quote(chunk, i, end);
      case VALUE:
        return this.value(chunk, i, end);
      case VALUE_REFERENCE:
        return this.valueReference(chunk, i, end);
      case EMPTY:
        return this.empty(chunk, i);
      case END_NAME:
        return this.endName(chunk, i, end);
      case END_SPACE:
        return this.endSpace(chunk, i, end);
      case CONTENT_REFERENCE:
        return this.contentReference(chunk, i, end);
      case DECLARATION:
        return this.#declaration(chunk, i);
      case COMMENT_START:
        return this.#commentStart(chunk, i);
      case COMMENT:
        return this.#comment(chunk, i, end);
      case CDATA_START:
        return this.cdataStart(chunk, i, end);
      case CDATA:
        return this.cdata(chunk, i, end);
      default:
        return this.#outside(chunk, i, end);
    }
  }

  /** Before and behind the document element. */
  #outside(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) i++;
    if (i >= end) return end;
    if (chunk[i] !== 0x3c) throw refuse('XML_NOT_WELLFORMED', 'text outside the document element', this.base + i);
    return this.markup(chunk, i + 1, end);
  }

  /** Behind a `<`. */
  protected override markup(chunk: Buffer, i: number, end: number): number {
    if (i >= end) {
      this.state = MARKUP;
      return end;
    }
    const byte = chunk[i]!;
    if (byte === 0x2f) {
      const after = this.endElement(chunk, i + 1, end);
      return after < 0 ? this.beginEndTag(chunk, i + 1, end) : after;
    }
    if ((CLASS[byte]! & IN_NAME) !== 0) return this.beginStartTag(chunk, i, end);
    if (byte === 0x3f) throw refuse('XML_PI_FORBIDDEN', 'processing instruction', this.base + i - 1);
    if (byte !== 0x21) throw refuse('XML_NOT_WELLFORMED', 'markup', this.base + i);
    this.state = DECLARATION;
    return i + 1;
  }

  /** Behind a `<!`. */
  #declaration(chunk: Buffer, i: number): number {
    const byte = chunk[i];
    if (byte === 0x44) throw refuse('XML_DTD_FORBIDDEN', 'DTD', this.base + i - 2);
    if (byte === 0x5b && this.elements.depth > 0) return this.beginCdata(i + 1);
    if (byte !== 0x2d) throw refuse('XML_NOT_WELLFORMED', 'markup', this.base + i);
    this.state = COMMENT_START;
    return i + 1;
  }

  #commentStart(chunk: Buffer, i: number): number {
    if (chunk[i] !== 0x2d) throw refuse('XML_NOT_WELLFORMED', 'comment', this.base + i);
    this.state = COMMENT;
    this.#hyphens = 0;
    this.#commentLimit = this.base + i + 1 + this.#commentBytes;
    return i + 1;
  }

  #comment(chunk: Buffer, i: number, end: number): number {
    const limit = this.#commentLimit - this.base;
    while (i < end) {
      const byte = chunk[i]!;
      if (byte === 0x2d && this.#hyphens < 2) {
        this.#hyphens++;
        i++;
        continue;
      }
      if (this.#hyphens === 2) {
        if (byte !== 0x3e) throw refuse('XML_NOT_WELLFORMED', '-- in a comment', this.base + i);
        this.state = this.elements.depth === 0 ? OUTSIDE : CONTENT;
        return i + 1;
      }
      this.#hyphens = 0;
      if (i >= limit) throw refuse('XML_COMMENT_LIMIT', 'comment', this.#commentLimit);
      if (byte >= 0x80) i += this.wideCharacter(chunk, i, end);
      else if ((CLASS[byte]! & CONTROL) !== 0) throw refuse('XML_NOT_WELLFORMED', 'character', this.base + i);
      else i++;
    }
    return end;
  }
}
