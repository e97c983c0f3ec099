import { Buffer } from 'node:buffer';
import type { Refusal } from '../core/index.js';
import { refuse } from './elements.js';
import { type Encoding, encodingOf, type WideEncoding } from './encodings.js';
import { wordsAt, wordsOf } from './names.js';
import { Transcoder } from './transcode.js';

/**
 * Reads the beginning of a message: byte order mark and XML declaration, and finds the encoding.
 * Behind it stands UTF-8. RFC 7303 section 3, XML 1.0 sections 2.8 and 4.3.3; stricter in that
 * mark, declaration and charset must agree.
 */
export class Prolog {
  /** The encoding of the message, or null while unknown. */
  encoding: Encoding | null = null;
  /** Bytes of the byte order mark and the declaration, as UTF-8: they are not passed on. */
  consumed = 0;
  /** Lines that end in the declaration. */
  lines = 0;
  readonly #charset: string | null;
  #stage: 'mark' | 'declaration' | 'content' = 'mark';
  #held: Buffer = NOTHING;
  /** The encoding that the byte order mark names. */
  #mark: 'utf-8' | WideEncoding | null = null;
  /**
   * UTF-16 as its first `<` shows it where there is no mark. Header or declaration must name it
   * then.
   */
  #shape: WideEncoding | null = null;
  #transcoder: Transcoder | null = null;
  #read = 0;

  /** `charset` is that of the Content-Type header in lower case, or null when it names none. */
  constructor(charset: string | null) {
    this.#charset = charset;
  }

  /** True when bytes go through unchanged from here on. */
  get transparent(): boolean {
    return this.#stage === 'content' && this.#transcoder === null;
  }

  /** Turns the bytes into UTF-8; null where they are. */
  get transcoder(): Transcoder | null {
    return this.#transcoder;
  }

  /** A refusal that is due once the returned bytes have been read, or null. */
  get failure(): Refusal | null {
    return this.#transcoder?.failure ?? null;
  }

  /** Takes the next bytes; returns those behind the declaration in UTF-8. Throws a `Refusal`. */
  take(chunk: Buffer): Buffer {
    this.#read += chunk.length;
    if (this.#stage === 'mark') {
      const head = this.#join(chunk);
      if (mayBeginMark(head)) return this.#hold(head);
      return this.#declaration(this.#afterMark(head));
    }
    const bytes = this.#transcoder === null ? chunk : this.#transcoder.decode(chunk);
    return this.#stage === 'declaration' ? this.#declaration(bytes) : bytes;
  }

  /** Ends the message: returns the bytes that were held back. Throws a `Refusal`. */
  finish(): Buffer {
    this.#transcoder?.finish();
    if (this.#stage === 'content') return NOTHING;
    const held = this.#held;
    this.#held = NOTHING;
    if (this.#stage === 'declaration' && held.length >= START.length + 1) {
      throw refuse('XML_NOT_WELLFORMED', 'an XML declaration that is not whole', this.consumed);
    }
    const rest = this.#stage === 'mark' ? this.#afterMark(held) : held;
    return this.encoding === null ? this.#chooseEncoding(null, rest) : rest;
  }

  /**
   * Reads the byte order mark. UTF-16 without one is known by the zero in its first `<` or from the
   * header.
   */
  #afterMark(head: Buffer): Buffer {
    this.#stage = 'declaration';
    const mark = MARKS.findIndex(
      (bytes) => head.length >= bytes.length && head.subarray(0, bytes.length).equals(bytes),
    );
    if (mark === 0) {
      this.#mark = 'utf-8';
      this.consumed = 3;
      return head.subarray(3);
    }
    if (mark > 0) {
      this.#mark = mark === 1 ? 'utf-16le' : 'utf-16be';
    } else {
      this.#shape = shapeOf(head);
    }
    const units = this.#mark ?? this.#shape ?? encodingOf(this.#charset);
    if (units !== 'utf-16le' && units !== 'utf-16be') return head;
    this.#transcoder = new Transcoder(units, mark > 0 ? 2 : 0);
    return this.#transcoder.decode(mark > 0 ? head.subarray(2) : head);
  }

  #declaration(bytes: Buffer): Buffer {
    const head = this.#join(bytes);
    const compared = Math.min(head.length, START.length);
    if (!START.subarray(0, compared).equals(head.subarray(0, compared))) {
      return this.#chooseEncoding(null, head);
    }
    if (head.length <= START.length) return this.#hold(head);
    if (!WHITE.includes(head[START.length]!)) return this.#chooseEncoding(null, head);
    const close = head.subarray(0, LONGEST_BYTES).indexOf('?>');
    if (close < 0) {
      if (head.length >= LONGEST_BYTES) {
        throw refuse('XML_NOT_WELLFORMED', 'an XML declaration that is not whole', this.consumed);
      }
      return this.#hold(head);
    }
    const written = head.toString('latin1', 0, close + 2);
    const declared = this.#parse(written);
    this.lines = written.split('\n').length - 1;
    const offset = this.consumed;
    this.consumed += close + 2;
    return this.#chooseEncoding(declared, head.subarray(close + 2), offset);
  }

  /** The encoding the declaration names, or null. */
  #parse(declaration: string): string | null {
    const parts = DECLARATION.exec(declaration);
    if (parts === null) {
      throw refuse('XML_NOT_WELLFORMED', 'an XML declaration that is not whole', this.consumed);
    }
    if ((parts[1] ?? parts[2]) !== '1.0') throw refuse('XML_VERSION', 'version', this.consumed);
    return (parts[3] ?? parts[4] ?? null)?.toLowerCase() ?? null;
  }

  /** Chooses the encoding; returns `rest` in UTF-8. */
  #chooseEncoding(declared: string | null, rest: Buffer, offset = 0): Buffer {
    this.#stage = 'content';
    const shown = this.#mark ?? this.#shape;
    const named = [this.#charset, declared]
      .filter((name) => name !== null)
      .map((name) => resolve(name, shown));
    // XML 1.0 section 4.3.3: a message with neither mark nor declaration is UTF-8, unless the
    // header names another.
    const encoding = this.#mark ?? named[0] ?? 'utf-8';
    if ((shown !== null && shown !== encoding) || named.some((name) => name !== encoding)) {
      throw refuse(
        'XML_ENCODING',
        'Content-Type, byte order mark and XML declaration name different encodings',
        offset,
      );
    }
    this.encoding = encoding;
    if (this.#transcoder !== null) return rest;
    if (encoding === 'utf-16le' || encoding === 'utf-16be') {
      throw refuse('XML_ENCODING', 'bytes that are not UTF-16', offset);
    }
    if (encoding === 'utf-8') return rest;
    this.#transcoder = new Transcoder(encoding, this.#read - rest.length);
    return this.#transcoder.decode(rest);
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = Buffer.from(bytes);
    return NOTHING;
  }

  #join(bytes: Buffer): Buffer {
    if (this.#held.length === 0) return bytes;
    const joined = Buffer.concat([this.#held, bytes]);
    this.#held = NOTHING;
    return joined;
  }
}

/** The declarations of almost every message, by their words. */
const COMMON = ['"', "'"].flatMap((q) =>
  [` encoding=${q}utf-8${q}`, ` encoding=${q}UTF-8${q}`, ''].map((encoding) => {
    const bytes = Buffer.from(`<?xml version=${q}1.0${q}${encoding}?>`);
    return { bytes: bytes.length, words: wordsOf(bytes) };
  }),
);

/**
 * Length of a common XML declaration in UTF-8: 0 where the message has none, -1 where a `Prolog`
 * must read it. That would find the same, at ten times the cost.
 */
export function commonDeclarationBytes(view: DataView, charset: string | null): number {
  if (
    view.byteLength < 64 ||
    (charset !== null && charset !== 'utf-8') ||
    view.getUint8(0) !== 0x3c
  ) {
    return -1;
  }
  const second = view.getUint8(1);
  if (second !== 0x3f) return second === 0 ? -1 : 0;
  for (const { bytes, words } of COMMON) {
    if (wordsAt(words, bytes, view, 0)) return bytes;
  }
  return -1;
}

/** Whether these bytes alone may be the beginning of a mark, or of a `<` in UTF-16. */
function mayBeginMark(head: Buffer): boolean {
  if (head.length === 1 && (head[0] === 0x3c || head[0] === 0)) return true;
  return head.length < 3 && MARKS.some((mark) => mark.subarray(0, head.length).equals(head));
}

/** XML 1.0 appendix F: UTF-16 that begins with a `<` and no mark. */
function shapeOf(head: Buffer): WideEncoding | null {
  if (head[0] === 0x3c && head[1] === 0) return 'utf-16le';
  return head[0] === 0 && head[1] === 0x3c ? 'utf-16be' : null;
}

const NOTHING: Buffer = Buffer.alloc(0);
const MARKS = [
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xfe, 0xff]),
];
const START = Buffer.from('<?xml', 'latin1');
const WHITE = Buffer.from(' \t\r\n', 'latin1');
const LONGEST_BYTES = 256;

const S = '[ \\t\\r\\n]';
const DECLARATION = new RegExp(
  `^<\\?xml${S}+version${S}*=${S}*(?:"(1\\.[0-9]+|[0-9.]+)"|'(1\\.[0-9]+|[0-9.]+)')` +
    `(?:${S}+encoding${S}*=${S}*(?:"([A-Za-z][A-Za-z0-9._-]*)"|'([A-Za-z][A-Za-z0-9._-]*)'))?` +
    `(?:${S}+standalone${S}*=${S}*(?:"(?:yes|no)"|'(?:yes|no)'))?${S}*\\?>$`,
);

/**
 * The encoding of this name, for a message with these first bytes, which decide between the two of
 * UTF-16.
 */
function resolve(name: string, shown: Encoding | null): Encoding {
  const encoding = encodingOf(name);
  if (encoding === null) throw refuse('XML_ENCODING', 'an encoding that is not known here', 0);
  if (encoding !== 'utf-16') return encoding;
  if (shown === 'utf-16le' || shown === 'utf-16be') return shown;
  throw refuse('XML_ENCODING', 'bytes that are not UTF-16', 0);
}
