import type { Buffer } from 'node:buffer';
import { stringOf } from './byte-string.js';
import { CLASS, CONTROL, SPACE } from './chars.js';
import type { Cursor } from './cursor.js';
import { refuse } from './elements.js';
import { refuseByXmlLimit, type XmlLimits } from './limits.js';
import {
  COMMENT,
  COMMENT_START,
  CONTENT,
  INSTRUCTION,
  INSTRUCTION_TARGET,
  OUTSIDE,
} from './states.js';

/** Reads comments and processing instructions. */
export class CommentScanner {
  readonly #cursor: Cursor;
  /** The longest comment, or processing instruction behind its target. */
  readonly #mostBytes: number;
  /** Offset where the limit of the one being read lies. */
  #limit = 0;
  /** Hyphens directly before this byte of a comment. */
  #hyphens = 0;
  /** A question mark stands directly before this byte of an instruction. */
  #isAfterMark = false;
  /** The target is read and nothing behind it. */
  #isBare = false;
  /** What has been read of a comment that the handler takes; null where it takes none. */
  #text: string | null = null;

  constructor(cursor: Cursor, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#mostBytes = limits.commentBytes;
  }

  /** Behind `<!-`. */
  beginComment(i: number): number {
    this.#cursor.state = COMMENT_START;
    return i;
  }

  commentStart(chunk: Buffer, i: number): number {
    if (chunk[i] !== 0x2d) {
      throw this.#cursor.refusal(
        'XML_NOT_WELLFORMED',
        'a <! that begins no comment or CDATA section',
        i,
      );
    }
    this.#cursor.state = COMMENT;
    this.#hyphens = 0;
    this.#limit = this.#cursor.base + i + 1 + this.#mostBytes;
    this.#text = this.#cursor.elements.takesComment ? '' : null;
    return i + 1;
  }

  comment(chunk: Buffer, start: number, end: number): number {
    const after = this.#commentEnd(chunk, start, end);
    if (this.#text === null) return after;
    this.#text += stringOf(chunk, start, after, false);
    if (this.#cursor.state === COMMENT) return after;
    const text = this.#text.slice(0, -'-->'.length);
    this.#text = null;
    this.#cursor.elements.comment(text.replaceAll(/\r\n?/g, '\n'));
    return after;
  }

  #commentEnd(chunk: Buffer, i: number, end: number): number {
    const limit = this.#limit - this.#cursor.base;
    while (i < end) {
      const byte = chunk[i]!;
      if (byte === 0x2d && this.#hyphens < 2) {
        this.#hyphens++;
        i++;
        continue;
      }
      if (this.#hyphens === 2) {
        if (byte !== 0x3e) throw this.#cursor.refusal('XML_NOT_WELLFORMED', '-- in a comment', i);
        return this.#finish(i + 1);
      }
      this.#hyphens = 0;
      if (i >= limit) {
        throw refuseByXmlLimit('commentBytes', this.#cursor.elements.limits, this.#limit);
      }
      i += this.#character(chunk, i, end, byte);
    }
    return end;
  }

  /** Behind `<?`. Throws a `Refusal` when the handler wants no processing instructions. */
  beginInstruction(i: number): number {
    const { elements } = this.#cursor;
    if (!elements.takesInstructions) {
      throw this.#cursor.refusal('XML_PI_FORBIDDEN', 'processing instruction', i - 2);
    }
    elements.tag.begin(this.#cursor.base + i - 2, elements.depth);
    this.#cursor.beginName(i);
    this.#cursor.state = INSTRUCTION_TARGET;
    return i;
  }

  /** In the target: an NCName (Namespaces section 7), but not `xml` (XML section 2.6). */
  target(chunk: Buffer, i: number, end: number): number {
    const after = this.#cursor.nameEnd(chunk, i, end);
    if (after < 0) return end;
    const offset = this.#cursor.elements.tag.offsetBytes + 2;
    const { prefix, local } = this.#cursor.name(offset);
    if (prefix !== '') throw refuse('XML_NS_ERROR', 'processing instruction', offset);
    if (local.toLowerCase() === 'xml') {
      throw refuse(
        'XML_NOT_WELLFORMED',
        'a processing instruction that XML does not allow',
        offset,
      );
    }
    this.#isBare = true;
    this.#isAfterMark = false;
    this.#limit = this.#cursor.base + after + this.#mostBytes;
    this.#cursor.state = INSTRUCTION;
    return after;
  }

  /** Behind the target: white space, anything, and `?>`. */
  instruction(chunk: Buffer, i: number, end: number): number {
    const limit = this.#limit - this.#cursor.base;
    while (i < end) {
      const byte = chunk[i]!;
      if (this.#isAfterMark && byte === 0x3e) {
        this.#cursor.elements.instruction();
        return this.#finish(i + 1);
      }
      const mark = byte === 0x3f;
      // Directly behind the target stands white space or the end.
      if (this.#isBare && (this.#isAfterMark || !(mark || (CLASS[byte]! & SPACE) !== 0))) {
        throw this.#cursor.refusal(
          'XML_NOT_WELLFORMED',
          'a processing instruction that XML does not allow',
          i,
        );
      }
      if (i > limit || (i === limit && !mark)) {
        throw refuseByXmlLimit('commentBytes', this.#cursor.elements.limits, this.#limit);
      }
      this.#isAfterMark = mark;
      this.#isBare = this.#isBare && mark;
      i += this.#character(chunk, i, end, byte);
    }
    return end;
  }

  /** Length of the character at `i`, which must be one. */
  #character(chunk: Buffer, i: number, end: number, byte: number): number {
    if (byte >= 0x80) return this.#cursor.wideCharacter(chunk, i, end);
    if ((CLASS[byte]! & CONTROL) !== 0) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'a character that XML does not have', i);
    }
    return 1;
  }

  #finish(i: number): number {
    this.#cursor.state = this.#cursor.elements.depth === 0 ? OUTSIDE : CONTENT;
    return i;
  }
}
