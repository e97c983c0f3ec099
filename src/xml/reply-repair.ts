import { Buffer } from 'node:buffer';
import type { tolerated } from '../core/index.js';
import { isXmlChar } from './chars.js';
import { type KnownNamespace, PrefixRepair } from './prefix-repair.js';
import { RepairStart, type UnitWidth } from './repair-start.js';

/**
 * The position of a unit in a document: as far as it decides whether a character is content.
 * `other`: a DOCTYPE, or what is no XML, which its reader refuses: nothing is changed there.
 */
type Position =
  | 'text'
  | 'open'
  | 'bang'
  | 'dash'
  | 'bracket'
  | 'tag'
  | 'double'
  | 'single'
  | 'cdata'
  | 'comment'
  | 'instruction'
  | 'other';

const LESS = 0x3c;
const GREATER = 0x3e;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const DASH = 0x2d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const HASH = 0x23;

/** Units of the longest reference that is looked into: `&#x0000FFFF;` and a few leading zeros. */
const REFERENCE_UNITS = 16;

/** Positions in which characters are content. */
const CONTENT: ReadonlySet<Position> = new Set(['text', 'double', 'single', 'cdata', 'comment']);

/**
 * Repairs the bytes of one document while it streams, as far as a tolerance allows: white space
 * before the XML declaration, a wrong encoding in it, NUL and white space behind the document
 * element, characters that XML does not have, undeclared prefixes. Everything else stays as it is,
 * for the reader to refuse. Holds a reference, a declaration or a start tag at most.
 */
export class ReplyRepair {
  readonly #tolerance: tolerated.Tolerance;
  readonly #onDeviation: (deviation: tolerated.Deviation) => void;
  readonly #start: RepairStart;
  #width: UnitWidth = 'byte';
  #isUtf8 = true;
  #position: Position = 'text';
  #depth = 0;
  #hasBegun = false;
  /** The tag that is open ends an element; the last unit of it was a slash. */
  #isEndTag = false;
  #isSlash = false;
  /** Dashes, brackets or question marks directly before this unit. */
  #marks = 0;
  /** Units of a reference or of a character of three bytes, which may be replaced. */
  #held: number[] = [];
  /** NUL was dropped behind the document element. */
  #hasDropped = false;
  #droppedUnits = 0;
  readonly #droppedMax: number;
  #out: Buffer[] = [];
  /** Half of a unit of two bytes. */
  #half: Buffer | null = null;
  /** Null where undeclared prefixes stay. */
  readonly #prefixes: PrefixRepair | null;

  /**
   * `charset` is that of the Content-Type, in lower case; `known`: what undeclared prefixes are
   * known for; `droppedMax`: the most units that are dropped behind the end.
   */
  constructor(
    tolerance: tolerated.Tolerance,
    charset: string | null,
    onDeviation: (deviation: tolerated.Deviation) => void,
    known: KnownNamespace,
    droppedMax = Number.POSITIVE_INFINITY,
  ) {
    this.#droppedMax = droppedMax;
    this.#tolerance = tolerance;
    this.#onDeviation = onDeviation;
    this.#prefixes = tolerance.has('undeclared-prefix')
      ? new PrefixRepair(known, () => onDeviation('undeclared-prefix'))
      : null;
    this.#start = new RepairStart(
      charset,
      tolerance.has('leading-space'),
      tolerance.has('declared-encoding'),
    );
  }

  /** Takes the next bytes; returns those that are known. */
  write(chunk: Buffer): Buffer {
    if (this.#start.isOver) return this.#withPrefixes(this.#repair(chunk));
    const head = this.#start.take(chunk);
    return head === null ? NOTHING : this.#withPrefixes(this.#begin(head));
  }

  /** The document is over: returns the bytes that were held. */
  end(): Buffer {
    const head = this.#start.isOver ? NOTHING : this.#begin(this.#start.end());
    this.#flushHeld();
    const rest = this.#withPrefixes(Buffer.concat([head, ...this.#out.splice(0)]));
    const held = this.#bytesOf(this.#prefixes?.end() ?? '');
    const half = this.#half ?? NOTHING;
    this.#half = null;
    return Buffer.concat([rest, held, half]);
  }

  /** The bytes with the declarations of prefixes; the beginning of markup is held. */
  #withPrefixes(bytes: Buffer): Buffer {
    if (this.#prefixes === null || bytes.length === 0) return bytes;
    return this.#bytesOf(this.#prefixes.write(this.#textOf(bytes)));
  }

  /** Each unit as one character. */
  #textOf(bytes: Buffer): string {
    if (this.#width === 'byte') return bytes.toString('latin1');
    return (this.#width === 'be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
  }

  #bytesOf(text: string): Buffer {
    if (this.#width === 'byte') return Buffer.from(text, 'latin1');
    const bytes = Buffer.from(text, 'utf16le');
    return this.#width === 'be' ? bytes.swap16() : bytes;
  }

  #begin(head: Buffer): Buffer {
    const { width, isUtf8, hasSpace, hasEncoding } = this.#start;
    this.#width = width;
    this.#isUtf8 = isUtf8;
    if (hasSpace) {
      this.#onDeviation('leading-space');
    }
    if (hasEncoding) {
      this.#onDeviation('declared-encoding');
    }
    return this.#repair(head);
  }

  #repair(chunk: Buffer): Buffer {
    const bytes = this.#half === null ? chunk : Buffer.concat([this.#half, chunk]);
    this.#half = null;
    const size = this.#width === 'byte' ? 1 : 2;
    const end = bytes.length - (bytes.length % size);
    if (end < bytes.length) {
      this.#half = Buffer.from(bytes.subarray(end));
    }
    let from = 0;
    for (let at = 0; at < end; at += size) {
      const unit = this.#unitAt(bytes, at);
      if (this.#passes(unit)) continue;
      if (at > from) {
        this.#out.push(bytes.subarray(from, at));
      }
      from = at + size;
      this.#take(unit);
    }
    if (end > from) {
      this.#out.push(bytes.subarray(from, end));
    }
    const [only = NOTHING] = this.#out;
    const repaired = this.#out.length > 1 ? Buffer.concat(this.#out) : only;
    this.#out = [];
    return repaired;
  }

  #unitAt(bytes: Buffer, at: number): number {
    if (this.#width === 'byte') return bytes[at]!;
    return this.#width === 'le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }

  /** Whether a unit goes on as it is; then the position moves. Else it is to be taken. */
  #passes(unit: number): boolean {
    if (this.#held.length > 0 || this.#hasDropped) return false;
    if (this.#position === 'text') {
      if (unit > LESS && unit < 0xef) return true;
      if (unit === LESS) {
        this.#position = 'open';
        return true;
      }
      if (unit === 0 && this.#isBehind && this.#tolerance.has('trailing-bytes')) return false;
    }
    if (this.#mayBeReplaced(unit)) return false;
    this.#move(unit);
    return true;
  }

  get #isBehind(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  /** Whether a unit is a character that is replaced, or begins one. */
  #mayBeReplaced(unit: number): boolean {
    if (!this.#tolerance.has('control-characters') || !CONTENT.has(this.#position)) return false;
    if (this.#position === 'text' && this.#depth === 0) return false;
    if (unit < 0x20) return !isXmlChar(unit);
    if (unit === AMPERSAND) return this.#position !== 'cdata' && this.#position !== 'comment';
    if (this.#width !== 'byte') return unit >= 0xfffe;
    return unit === 0xef && this.#isUtf8;
  }

  /** Takes a unit that does not go on as it is. */
  #take(unit: number): void {
    if (
      this.#hasDropped ||
      (this.#held.length === 0 && this.#position === 'text' && this.#isBehind)
    ) {
      this.#drop(unit);
      return;
    }
    if (this.#held.length === 0 && unit !== AMPERSAND && unit !== 0xef) {
      this.#replace();
      return;
    }
    this.#held.push(unit);
    if (this.#held[0] === AMPERSAND) {
      this.#takeReference(unit);
    } else {
      this.#takeWide();
    }
  }

  #drop(unit: number): void {
    if ((unit === 0 || isSpace(unit)) && this.#droppedUnits < this.#droppedMax) {
      this.#droppedUnits++;
      if (!this.#hasDropped) {
        this.#onDeviation('trailing-bytes');
      }
      this.#hasDropped = true;
      return;
    }
    // Content behind it, or more than any message has: the reader refuses the NUL that is given
    // back.
    this.#hasDropped = false;
    this.#position = 'other';
    this.#emit([0, unit]);
  }

  #takeReference(unit: number): void {
    if (unit === SEMICOLON) {
      const code = codeOf(this.#held);
      if (code !== null && code <= 0x10ffff && !isXmlChar(code)) {
        this.#replace();
      } else {
        this.#flushHeld();
      }
      return;
    }
    const at = this.#held.length - 1;
    const mayGoOn = at === 0 || (at === 1 ? unit === HASH : isReferenceUnit(unit));
    if (mayGoOn && this.#held.length < REFERENCE_UNITS) return;
    // What ended it may be markup, or another character to be replaced.
    const last = this.#held.pop();
    this.#flushHeld();
    if (last === undefined) return;
    if (this.#passes(last)) {
      this.#emit([last]);
    } else {
      this.#take(last);
    }
  }

  /** U+FFFE and U+FFFF in UTF-8: EF BF BE, EF BF BF. */
  #takeWide(): void {
    const [, second, third] = this.#held;
    if (second !== undefined && second !== 0xbf) {
      const last = this.#held.pop();
      this.#flushHeld();
      if (last === undefined) return;
      if (this.#passes(last)) {
        this.#emit([last]);
      } else {
        this.#take(last);
      }
    } else if (third !== undefined) {
      if (third === 0xbe || third === 0xbf) {
        this.#replace();
      } else {
        this.#held.length = 2;
        this.#flushHeld();
        if (this.#passes(third)) {
          this.#emit([third]);
        } else {
          this.#take(third);
        }
      }
    }
  }

  #flushHeld(): void {
    if (this.#held.length > 0) {
      this.#emit(this.#held);
    }
    this.#held = [];
  }

  /**
   * Writes U+FFFD: by reference where the encoding does not have it, which a CDATA section must be
   * closed for.
   */
  #replace(): void {
    this.#held = [];
    this.#onDeviation('control-characters');
    if (this.#width !== 'byte') {
      this.#emit([0xfffd]);
    } else if (this.#isUtf8) {
      this.#out.push(REPLACEMENT);
    } else if (this.#position === 'cdata') {
      this.#out.push(IN_CDATA);
    } else {
      this.#out.push(this.#position === 'comment' ? IN_COMMENT : BY_REFERENCE);
    }
    this.#marks = 0;
  }

  #emit(units: readonly number[]): void {
    if (this.#width === 'byte') {
      this.#out.push(Buffer.from(units));
      return;
    }
    const bytes = Buffer.alloc(units.length * 2);
    for (const [index, unit] of units.entries()) {
      if (this.#width === 'le') {
        bytes.writeUInt16LE(unit, index * 2);
      } else {
        bytes.writeUInt16BE(unit, index * 2);
      }
    }
    this.#out.push(bytes);
  }

  /** Moves the position behind a unit. */
  #move(unit: number): void {
    switch (this.#position) {
      case 'open':
        this.#moveInOpen(unit);
        return;
      case 'bang':
        this.#position = unit === DASH ? 'dash' : unit === OPEN_BRACKET ? 'bracket' : 'other';
        return;
      case 'dash':
        this.#position = unit === DASH ? 'comment' : 'other';
        this.#marks = 0;
        return;
      case 'bracket':
        if (unit === OPEN_BRACKET) {
          this.#position = 'cdata';
        }
        this.#marks = 0;
        return;
      case 'tag':
        this.#moveInTag(unit);
        return;
      case 'double':
        if (unit === DOUBLE) {
          this.#position = 'tag';
        }
        return;
      case 'single':
        if (unit === SINGLE) {
          this.#position = 'tag';
        }
        return;
      case 'cdata':
        this.#moveIn(unit, CLOSE_BRACKET, 2);
        return;
      case 'comment':
        this.#moveIn(unit, DASH, 2);
        return;
      case 'instruction':
        this.#moveIn(unit, QUESTION, 1);
        return;
    }
  }

  #moveInOpen(unit: number): void {
    this.#marks = 0;
    this.#isEndTag = unit === SLASH;
    this.#isSlash = false;
    this.#position = unit === BANG ? 'bang' : unit === QUESTION ? 'instruction' : 'tag';
  }

  #moveInTag(unit: number): void {
    if (unit === DOUBLE) {
      this.#position = 'double';
    } else if (unit === SINGLE) {
      this.#position = 'single';
    } else if (unit === GREATER) {
      this.#hasBegun = true;
      if (this.#isEndTag) {
        this.#depth--;
      } else if (!this.#isSlash) {
        this.#depth++;
      }
      this.#position = 'text';
    }
    this.#isSlash = unit === SLASH;
  }

  /** A section that ends with so many marks and `>`. */
  #moveIn(unit: number, mark: number, marks: number): void {
    if (unit === mark) {
      this.#marks++;
    } else {
      if (unit === GREATER && this.#marks >= marks) {
        this.#position = 'text';
      }
      this.#marks = 0;
    }
  }
}

const isSpace = (unit: number): boolean =>
  unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;

const isReferenceUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x46) ||
  (unit >= 0x61 && unit <= 0x66) ||
  unit === 0x78;

/** The character of a reference, `&` and `;` included; null for the reference of an entity. */
function codeOf(units: readonly number[]): number | null {
  const found = /^&#(?:x([0-9A-Fa-f]+)|([0-9]+));$/.exec(String.fromCharCode(...units));
  if (found === null) return null;
  const [, hexadecimal, decimal = ''] = found;
  return hexadecimal === undefined
    ? Number.parseInt(decimal, 10)
    : Number.parseInt(hexadecimal, 16);
}

const NOTHING: Buffer = Buffer.alloc(0);
const REPLACEMENT = Buffer.from('\ufffd');
const BY_REFERENCE = Buffer.from('&#xFFFD;');
const IN_CDATA = Buffer.from(']]>&#xFFFD;<![CDATA[');
const IN_COMMENT = Buffer.from('?');
