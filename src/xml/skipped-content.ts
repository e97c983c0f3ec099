import { Buffer } from 'node:buffer';
import {
  DEPTH,
  DEPTH_MAX,
  ELEMENTS,
  FLOOR,
  LOWEST,
  NAME,
  NAMES_END,
  PLAIN_END,
} from './assembly/layout.js';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import type { XmlLimits } from './limits.js';
import { nameIn } from './names.js';
import { skipPlainText } from './plain-text.js';
import { COPIED_BYTES_MIN, skimMemory } from './skim-memory.js';
import { CONTENT } from './states.js';
import type { TextScanner } from './text.js';

/**
 * Passes over skipped content, which is most of what a gateway reads, and checks and counts it in
 * full.
 */
export class SkippedContentScanner {
  readonly #cursor: Cursor;
  readonly #text: TextScanner;
  readonly #skimmer: Skimmer;

  constructor(cursor: Cursor, text: TextScanner, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#text = text;
    this.#skimmer = new Skimmer(cursor.elements, limits);
  }

  /**
   * Reads from a `<` or from behind markup, within skipped content, and not beyond it. Returns
   * where it stopped.
   */
  read(chunk: Buffer, i: number, end: number): number {
    for (;;) {
      const stop = this.#skimmer.pass(chunk, i, end);
      const { plainEnd } = this.#skimmer;
      if (plainEnd === i || stop >= end || chunk[stop] === 0x3c) return stop;
      i = this.#text.resume(chunk, plainEnd, end, stop);
      if (i >= end || this.#cursor.state !== CONTENT) return i;
    }
  }

  /**
   * Text up to a `<`, to the end of the chunk, or to where its state changes. Behind markup only.
   */
  text(chunk: Buffer, view: DataView, i: number, end: number): number {
    let at = i;
    const near = Math.min(end, i + COPIED_BYTES_MIN);
    for (;;) {
      at = skipPlainText(view, at, near);
      if (at + 6 > near) break;
      const word = view.getInt32(at, true);
      const byte = word & 0xff;
      if (byte === 0x3c) return at;
      if (byte === 0x26) {
        const length = namedReferenceBytes(word, view.getUint16(at + 4, true));
        if (length === 0) break;
        at += length;
      } else if ((word & 0xc000) === 0x8000 && byte >= 0xc2 && byte < 0xe0) {
        // Two bytes of UTF-8 are always a character of XML.
        at += 2;
      } else {
        break;
      }
    }
    return this.#text.resume(chunk, at, end, i);
  }
}

/**
 * Length of a reference to a named entity, by its first six bytes; 0 when it is another one, or
 * none.
 */
function namedReferenceBytes(word: number, rest: number): number {
  if (word === LT || word === GT) return 4;
  if (word === AMP) return (rest & 0xff) === 0x3b ? 5 : 0;
  return (word === QUO && rest === T_END) || (word === APO && rest === S_END) ? 6 : 0;
}

const LT = Buffer.from('&lt;').readInt32LE();
const GT = Buffer.from('&gt;').readInt32LE();
const AMP = Buffer.from('&amp').readInt32LE();
const QUO = Buffer.from('&quo').readInt32LE();
const T_END = Buffer.from('t;').readUInt16LE();
const APO = Buffer.from('&apo').readInt32LE();
const S_END = Buffer.from('s;').readUInt16LE();

/**
 * A call for less than this costs more than it saves; after a gain below the second, some calls are
 * skipped.
 */
const LEAST_BYTES = 48;
const WORTH_BYTES = 256;
const LONGEST_BACKOFF = 64;
/**
 * Bytes for each open element that must be copied first: a deep message in tiny chunks must not
 * cost more.
 */
const BYTES_FOR_NAME = 8;

/**
 * Passes over skipped content, sixteen bytes at a step, in WebAssembly (`assembly/skim.ts`). That
 * has memory of its own: the chunk is copied there, and so are the names of open elements as far as
 * they changed.
 */
class Skimmer {
  /** The end of the plain text at which it stopped; where it stopped, if that is no text. */
  plainEnd = 0;
  readonly #elements: Elements;
  readonly #limits: XmlLimits;
  /** Calls to skip, and how many they were the last time. */
  #backoff = 0;
  #lastBackoff = 0;

  constructor(elements: Elements, limits: XmlLimits) {
    this.#elements = elements;
    this.#limits = limits;
  }

  /**
   * Reads from a `<` or from behind markup, within skipped content. Returns where it stopped:
   * before markup that it does not read, or near the end.
   */
  pass(chunk: Buffer, i: number, end: number): number {
    this.plainEnd = i;
    if (this.#backoff > 0) {
      this.#backoff--;
      return i;
    }
    const memory = skimMemory;
    while (end - i >= LEAST_BYTES) {
      if (!this.#enter(end - i)) return i;
      memory.hold(chunk, i, end);
      const { shift } = memory;
      const stop = memory.skim(i + shift, memory.end + shift) - shift;
      this.#leave();
      this.plainEnd = memory.word(PLAIN_END) - shift;
      const bytes = stop - i;
      // A text that goes on beyond the held part is passed over, though its beginning is the stop.
      if (this.plainEnd - i < WORTH_BYTES) {
        this.#backOff();
      } else {
        this.#lastBackoff = 0;
      }
      i = stop;
      if (bytes === 0 || memory.isEnough(stop, end)) break;
    }
    return i;
  }

  #backOff(): void {
    this.#lastBackoff = Math.min(LONGEST_BACKOFF, 2 * this.#lastBackoff + 1);
    this.#backoff = this.#lastBackoff;
  }

  /**
   * Copies the changed open elements to the memory. False when that costs too much, or their names
   * do not fit.
   */
  #enter(bytes: number): boolean {
    const memory = skimMemory;
    const elements = this.#elements;
    const { frames, depth, skipDepth } = elements;
    if (owner !== this) {
      owner = this;
      elements.lowest = 0;
    }
    memory.setLimits(this.#limits);
    let level = Math.max(skipDepth, elements.lowest);
    if (depth > DEPTH_MAX || (depth - level) * BYTES_FOR_NAME > bytes) return false;
    let namesEnd = level === skipDepth ? NAME : memory.nameEnd(level);
    memory.setChildren(level, frames[level]!.children);
    while (level < depth) {
      const { name, children, isDeclaring } = frames[++level]!;
      if (!memory.setFrame(level, namesEnd, name.bytes, isDeclaring)) return false;
      memory.setChildren(level, children);
      namesEnd += name.length;
    }
    memory.setPrefixes(elements.namespaces, elements.watched);
    memory.setWord(NAMES_END, namesEnd);
    memory.setWord(FLOOR, skipDepth);
    memory.setWord(DEPTH, depth);
    memory.setWord(ELEMENTS, elements.count);
    return true;
  }

  /** Copies the changed open elements back. */
  #leave(): void {
    const memory = skimMemory;
    const elements = this.#elements;
    const depth = memory.word(DEPTH);
    let level = memory.word(LOWEST);
    elements.depth = level;
    elements.top = elements.frames[level]!;
    elements.top.children = memory.childrenAt(level);
    while (level < depth) {
      const name = nameIn(memory.bytes, memory.nameStart(++level), memory.nameEnd(level));
      elements.push(name, false).children = memory.childrenAt(level);
    }
    elements.count = memory.word(ELEMENTS);
    elements.lowest = depth;
  }
}

/** The skimmer whose open elements are in the memory. */
let owner: Skimmer | null = null;
