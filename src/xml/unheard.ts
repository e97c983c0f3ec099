import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import { SKIP } from './events.js';
import type { XmlLimits } from './limits.js';
import { isAt, type Name, NO_NAME, nameAt } from './names.js';
import { plainText, plainValue } from './plain.js';
import { CONTENT } from './states.js';
import type { TagScanner } from './tags.js';
import type { TextScanner } from './text.js';

/**
 * Passes over content that nobody wants to hear of, which is most of what a gateway reads, with all that is checked and
 * counted of it. One loop for the usual: it stops before anything else, which the other scanners read and judge.
 */
export class UnheardScanner {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #tags: TagScanner;
  readonly #text: TextScanner;
  readonly #mostDepth: number;
  readonly #mostChildren: number;
  readonly #mostElements: number;
  readonly #mostAttributes: number;
  readonly #mostValue: number;
  /** The attributes of the tag being read. */
  readonly #seen: Name[] = new Array<Name>(FEW).fill(NO_NAME);

  constructor(cursor: Cursor, tags: TagScanner, text: TextScanner, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#tags = tags;
    this.#text = text;
    this.#mostDepth = limits.depth;
    this.#mostChildren = limits.children;
    this.#mostElements = limits.elements;
    this.#mostAttributes = Math.min(FEW, limits.attributes);
    this.#mostValue = limits.attributeValueBytes;
  }

  /** Reads from a `<` or from behind markup, within skipped content, and not beyond it. Returns where it stopped. */
  read(chunk: Buffer, view: DataView, i: number, end: number): number {
    const elements = this.#elements;
    const tags = this.#tags;
    const { frames, namespaces } = elements;
    while (i + 4 < end) {
      const word = view.getInt32(i, true);
      if ((word & 0xff) !== 0x3c) {
        i = this.text(chunk, view, i, end);
        if (this.#cursor.state !== CONTENT) return i;
        continue;
      }
      const { top, depth } = elements;
      if ((word & 0xff00) === 0x2f00) {
        const { name } = top;
        const close = i + 2 + name.length;
        if (close >= end || view.getUint8(close) !== 0x3e || !isAt(name, view, i + 2, end)) return i;
        if (top.declaring || depth === elements.skipDepth) return i;
        elements.depth = depth - 1;
        elements.top = frames[depth - 1]!;
        i = close + 1;
        continue;
      }
      const name = tags.expected(view, i + 1, end);
      const frame = frames[depth + 1];
      if (name === null || name.scope !== namespaces.scope || frame === undefined) return i;
      const full = top.children >= this.#mostChildren || elements.count >= this.#mostElements;
      if (full || depth >= this.#mostDepth) return i;
      let close = i + 1 + name.length;
      let last = view.getUint8(close);
      if (last !== 0x3e) {
        close = this.#attributes(name, view, close, end);
        if (close < 0) return i;
        last = view.getUint8(close);
      }
      top.children++;
      elements.count++;
      tags.last = name;
      i = close + 1;
      if (last === 0x2f) {
        i++;
        continue;
      }
      elements.depth = depth + 1;
      elements.top = frame;
      frame.name = name;
      frame.interest = SKIP;
      frame.children = 0;
      frame.declaring = false;
    }
    return i;
  }

  /** Reads attributes from `i` on; returns the place of the `>` or `/>`, or -1 when one is not plain. */
  #attributes(name: Name, view: DataView, i: number, end: number): number {
    const seen = this.#seen;
    const { scope } = this.#elements.namespaces;
    let count = 0;
    let before = name;
    while (i + 4 < end) {
      const byte = view.getUint8(i);
      if (byte === 0x3e) return i;
      if (byte === 0x2f) return view.getUint8(i + 1) === 0x3e ? i : -1;
      if (byte !== 0x20 || count >= this.#mostAttributes) return -1;
      const attribute = nameAt(before.nextAttribute);
      if (attribute === null || attribute.declares !== null || !isAt(attribute, view, i + 1, end)) return -1;
      if (attribute.length > this.#cursor.nameBytes || (attribute.prefix !== '' && attribute.scope !== scope))
        return -1;
      // Perhaps twice the same: whether their namespaces differ is judged elsewhere.
      for (let k = 0; k < count; k++) if (seen[k]!.local === attribute.local) return -1;
      const start = i + attribute.length + 3;
      if (start >= end || view.getUint16(start - 2) !== 0x3d22) return -1;
      const stop = plainValue(view, start, end);
      if (stop >= end || view.getUint8(stop) !== 0x22 || stop - start > this.#mostValue) return -1;
      seen[count++] = attribute;
      before = attribute;
      i = stop + 1;
    }
    return -1;
  }

  /** Text up to a `<`, to the end of the chunk, or to where its state changes. Behind markup only. */
  text(chunk: Buffer, view: DataView, i: number, end: number): number {
    let at = i;
    for (;;) {
      at = plainText(view, at, end);
      if (at + 6 > end) break;
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

/** Tags with more attributes are left to others. */
const FEW = 8;

/** Length of a reference to a named entity, by its first six bytes; 0 when it is another one, or none. */
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
