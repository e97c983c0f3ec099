import { Buffer } from 'node:buffer';
import { type Encoding, sourceOffset } from '../xml/index.js';

/**
 * A change of a message on its way: the bytes of this range are cut out, and the replacement stands
 * there instead.
 */
export interface Edit {
  /** Offsets as the reader reports them (`StartTag.offsetBytes`, `XmlHandler.close`). */
  readonly startBytes: number;
  readonly endBytes: number;
  /** XML text in ASCII, escaped already; null for nothing. */
  readonly replacement: string | null;
  /** Writes the range anew from its text, in ASCII where it differs; instead of `replacement`. */
  readonly rewrite?: (text: string) => string;
  /** Called with the offset of the replacement in the edited message. */
  readonly onApplied?: (offsetBytes: number) => void;
}

/**
 * The message with the edits made, in any order; they must not overlap. The envelope begins at
 * `envelopeStart`. Bytes outside of the edits are kept. `message` may end anywhere behind the last
 * of them.
 */
export function applyEdits(
  message: Buffer,
  edits: readonly Edit[],
  encoding: Encoding,
  envelopeStart: number,
): Buffer {
  const pieces: Buffer[] = [];
  const offsets = new OffsetMapper(message, encoding, envelopeStart);
  let kept = 0;
  let bytes = 0;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += piece.length;
  };
  for (const edit of edits.length > 1 ? edits.toSorted(inOrder) : edits) {
    const start = offsets.find(edit.startBytes);
    add(message.subarray(kept, start));
    edit.onApplied?.(bytes);
    kept = offsets.find(edit.endBytes);
    if (edit.rewrite !== undefined) {
      add(rewritten(message, start, kept, edit.rewrite, encoding));
    } else if (edit.replacement !== null) {
      add(encodeAscii(edit.replacement, encoding));
    }
  }
  add(message.subarray(kept));
  return Buffer.concat(pieces, bytes);
}

/** What is inserted before a range comes before the change of that. */
const inOrder = (one: Edit, other: Edit): number =>
  one.startBytes - other.startBytes || one.endBytes - other.endBytes;

/**
 * Converts rising offsets of the reader into offsets of the message, in one pass over its bytes.
 */
class OffsetMapper {
  readonly #message: Buffer;
  readonly #encoding: Encoding;
  #place: number;
  #offset = 0;

  /** The envelope begins at `start`. */
  constructor(message: Buffer, encoding: Encoding, start: number) {
    this.#message = message;
    this.#encoding = encoding;
    this.#place = start;
  }

  find(offset: number): number {
    const bytes = offset - this.#offset;
    this.#offset = offset;
    // Both count the same bytes.
    this.#place +=
      this.#encoding === 'utf-8'
        ? bytes
        : sourceOffset(this.#message.subarray(this.#place), this.#encoding, bytes);
    return this.#place;
  }
}

/** ASCII in the encoding of a message: one byte a character in all of them but UTF-16. */
export function encodeAscii(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be'
    ? Buffer.from(text, 'utf16le').swap16()
    : Buffer.from(text, 'latin1');
}

/** The bytes of a range, written anew. What is not ASCII in it stays as it is. */
function rewritten(
  message: Buffer,
  start: number,
  end: number,
  rewrite: (text: string) => string,
  encoding: Encoding,
): Buffer {
  if (encoding === 'utf-8') return Buffer.from(rewrite(message.toString('utf8', start, end)));
  if (encoding === 'utf-16be') {
    const bytes = Buffer.from(message.subarray(start, end)).swap16();
    return encodeAscii(rewrite(bytes.toString('utf16le')), encoding);
  }
  const charset = encoding === 'utf-16le' ? 'utf16le' : 'latin1';
  return encodeAscii(rewrite(message.toString(charset, start, end)), encoding);
}
