import { Buffer } from 'node:buffer';
import { withoutQuotes } from './encodings.js';

/** A unit of the encoding of a document: one byte, or two. */
export type UnitWidth = 'byte' | 'le' | 'be';

/**
 * The most bytes that are held of the beginning of a document: white space and the XML declaration.
 */
const HELD_BYTES = 4096;

/**
 * Reads the beginning of a document up to its XML declaration: the width of its units, whether it
 * is UTF-8, and whether white space before the declaration, or an encoding in it that is not that
 * of the document, is to be dropped.
 */
export class RepairStart {
  width: UnitWidth = 'byte';
  isUtf8 = true;
  /** White space was dropped. */
  hasSpace = false;
  /** An encoding was dropped. */
  hasEncoding = false;
  isOver = false;
  readonly #charset: string | null;
  readonly #dropsSpace: boolean;
  readonly #dropsEncoding: boolean;
  #held: Buffer = Buffer.alloc(0);

  constructor(charset: string | null, dropsSpace: boolean, dropsEncoding: boolean) {
    this.#charset = charset === null ? null : withoutQuotes(charset);
    this.#dropsSpace = dropsSpace;
    this.#dropsEncoding = dropsEncoding;
  }

  /**
   * Returns the beginning once it is known, without what is dropped; null while it is not.
   */
  take(chunk: Buffer): Buffer | null {
    this.#held = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    return this.#read(false);
  }

  /** The document is over. */
  end(): Buffer {
    return this.#read(true) ?? this.#held;
  }

  #read(isAll: boolean): Buffer | null {
    const held = this.#held;
    const isWhole = isAll || held.length >= HELD_BYTES;
    if (held.length < 4 && !isWhole) return null;
    this.width = widthOf(held);
    const size = this.width === 'byte' ? 1 : 2;
    const markBytes = markOf(held, 0);
    const text = this.#textOf(held.subarray(markBytes));
    const space = /^[ \t\r\n]*/.exec(text)?.[0].length ?? 0;
    const spaceBytes = space * size;
    const second = markBytes === 0 && space > 0 ? markOf(held, spaceBytes) : 0;
    const begins = text.slice(space + (second > 0 ? (size === 1 ? 3 : 1) : 0));
    if (
      !isWhole &&
      begins.length < START.length + 1 &&
      (begins === '' || START.startsWith(begins))
    ) {
      return null;
    }
    const isDeclared = /^<\?xml[ \t\r\n]/.test(begins);
    if (!isWhole && isDeclared && !begins.includes('?>')) return null;
    this.isOver = true;
    const [encoding, at, length] = encodingIn(isDeclared ? begins : '');
    const isWrong = this.#dropsEncoding && encoding !== null && this.#contradicts(encoding);
    const names = [this.#charset, isWrong ? null : encoding];
    this.isUtf8 = names.every((name) => name === null || name === 'utf-8' || name === 'utf8');
    const from = markBytes + (text.length - begins.length) * size;
    if (isWrong) {
      this.hasEncoding = true;
      fillSpaces(held, from + at * size, length, this.width);
    }
    const isDropped = this.#dropsSpace && space > 0 && (isDeclared || second > 0);
    if (!isDropped) return held;
    this.hasSpace = true;
    return Buffer.concat([held.subarray(0, markBytes), held.subarray(markBytes + spaceBytes)]);
  }

  /**
   * Whether a declared encoding is not that of the document: another than that of the media type,
   * which counts (RFC 7303 section 3), or of units of another width.
   */
  #contradicts(encoding: string): boolean {
    const isWide = /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/.test(encoding);
    if (isWide !== (this.width !== 'byte')) return true;
    return this.#charset !== null && plain(this.#charset) !== plain(encoding);
  }

  #textOf(bytes: Buffer): string {
    if (this.width === 'byte') return bytes.toString('latin1');
    const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
    return (this.width === 'be' ? even.swap16() : even).toString('utf16le');
  }
}

/** The encoding of an XML declaration in lower case, with its place and length; null for none. */
function encodingIn(declaration: string): readonly [string | null, number, number] {
  const found = /^([^>]*?[ \t\r\n])(encoding[ \t\r\n]*=[ \t\r\n]*["']([\w.-]+)["'])/.exec(
    declaration,
  );
  if (found === null) return [null, 0, 0];
  const [, before = '', whole = '', name = ''] = found;
  return [name.toLowerCase(), before.length, whole.length];
}

const plain = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '');

function fillSpaces(bytes: Buffer, from: number, units: number, width: UnitWidth): void {
  if (width === 'byte') {
    bytes.fill(0x20, from, from + units);
    return;
  }
  for (let unit = 0; unit < units; unit++) {
    bytes[from + unit * 2] = width === 'le' ? 0x20 : 0;
    bytes[from + unit * 2 + 1] = width === 'le' ? 0 : 0x20;
  }
}

const START = '<?xml';
const MARKS = [
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xfe, 0xff]),
] as const;

/** Bytes of the byte order mark at an offset; 0 for none. */
function markOf(bytes: Buffer, at: number): number {
  const mark = MARKS.find((each) => bytes.subarray(at, at + each.length).equals(each));
  return mark?.length ?? 0;
}

/** UTF-16 by its mark, or by the zero beside its first character, which is ASCII. */
function widthOf(bytes: Buffer): UnitWidth {
  const [first = 1, second = 1] = bytes;
  if (first === 0xff && second === 0xfe) return 'le';
  if (first === 0xfe && second === 0xff) return 'be';
  if (first === 0 && second !== 0) return 'be';
  return first !== 0 && second === 0 ? 'le' : 'byte';
}
