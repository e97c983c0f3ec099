import { Buffer } from 'node:buffer';
import type { Cursor } from './cursor.js';
import type { XmlLimits } from './limits.js';
import type { Name } from './names.js';
import { skipPlainText } from './plain-text.js';
import { COPIED_BYTES_MIN, skimMemory } from './skim-memory.js';
import { Skimmer } from './skimmer.js';
import { CONTENT } from './states.js';
import type { TextScanner } from './text.js';

/**
 * Passes over skipped content, which is most of what a gateway reads, and checks and counts it in
 * full.
 */
export class SkippedContentScanner {
  readonly #cursor: Cursor;
  readonly #text: TextScanner;
  readonly #skimmer: SkippedContentSkimmer;

  constructor(cursor: Cursor, text: TextScanner, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#text = text;
    this.#skimmer = new SkippedContentSkimmer(cursor.elements, limits);
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

/** Skims content that the handler skips. */
class SkippedContentSkimmer extends Skimmer {
  protected prepare(): number {
    const { namespaces, watched, skipDepth } = this.elements;
    skimMemory.setPrefixes(namespaces, watched);
    return skipDepth;
  }

  protected skim(from: number, end: number): number {
    return skimMemory.skim(from, end);
  }

  protected open(name: Name, children: number): void {
    this.elements.push(name, false).children = children;
  }

  protected passed(): void {}
}
