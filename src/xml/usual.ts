import type { Buffer } from 'node:buffer';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import { ELEMENTS, PRESENCE } from './events.js';
import { declarationsMax, type XmlLimits } from './limits.js';
import { isAt, type Name, nameAt } from './names.js';
import { type Opening, openingOf } from './openings.js';
import { plainValue } from './plain.js';
import { CONTENT, OUTSIDE } from './states.js';
import type { Tag } from './tag.js';
import type { TagScanner } from './tags.js';
import type { TextScanner } from './text.js';
import { UnheardScanner } from './unheard.js';

/**
 * Reads what content is made of nearly always: plain text, and tags that lie in the chunk as a whole and are the ones
 * expected here, with plain attributes. Anything else it leaves untouched to the scanners that go step by step, and
 * which judge all that is wrong: the two must never differ in what they tell.
 */
export class UsualScanner {
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #tag: Tag;
  readonly #tags: TagScanner;
  readonly #text: TextScanner;
  readonly #unheard: UnheardScanner;
  readonly #limits: XmlLimits;
  readonly #nameBytes: number;
  readonly #mostAttributes: number;
  readonly #mostValue: number;
  readonly #mostInScope: number;

  constructor(cursor: Cursor, tags: TagScanner, text: TextScanner, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#tag = cursor.elements.tag;
    this.#tags = tags;
    this.#text = text;
    this.#unheard = new UnheardScanner(cursor, text, limits);
    this.#limits = limits;
    this.#nameBytes = limits.nameChars;
    this.#mostAttributes = limits.attributes;
    this.#mostValue = limits.attributeValueBytes;
    this.#mostInScope = limits.namespacesInScope;
  }

  /** Content from a `<` or from behind markup. Returns where it stopped: near the end, or before what others must read. */
  read(chunk: Buffer, i: number, end: number): number {
    const cursor = this.#cursor;
    const { view } = cursor;
    while (i + 4 < end) {
      if (this.#elements.skipDepth !== 0) {
        i = this.#unheard.read(chunk, i, end);
        if (i + 4 >= end || cursor.state !== CONTENT) return i;
      }
      const word = view.getInt32(i, true);
      if ((word & 0xff) !== 0x3c) {
        i = this.#run(chunk, view, i, end);
        if (cursor.state !== CONTENT) return i;
        continue;
      }
      const after = (word & 0xff00) === 0x2f00 ? this.#endTag(view, i, end) : this.startTag(chunk, i, end);
      if (after < 0) return i;
      i = after;
      if (cursor.state !== CONTENT) return i;
    }
    return i;
  }

  /** Text up to a `<`, to the end of the chunk, or to where its state changes. */
  #run(chunk: Buffer, view: DataView, i: number, end: number): number {
    const { interest } = this.#elements.top;
    if (interest <= ELEMENTS) return this.#unheard.text(chunk, view, i, end);
    if (interest === PRESENCE) {
      const behind = behindSpace(view, i, end);
      if (behind < end && view.getUint8(behind) === 0x3c) return behind;
    }
    return this.#text.run(chunk, i, end);
  }

  /** The end tag at `i`, of the element opened last; or -1. */
  #endTag(view: DataView, i: number, end: number): number {
    const elements = this.#elements;
    const { name } = elements.top;
    const close = i + 2 + name.length;
    if (close >= end || view.getUint8(close) !== 0x3e || !isAt(name, view, i + 2, end)) return -1;
    const { depth, skipDepth } = elements;
    if (skipDepth !== 0 && depth !== skipDepth) {
      elements.closeSkipped();
    } else {
      elements.close(this.#cursor.base + i, this.#cursor.base + close + 1);
      if (depth === 1) this.#cursor.state = OUTSIDE;
    }
    return close + 1;
  }

  /** The start tag at `i`, or the tag of an empty element, but not of an empty document element; or -1. */
  startTag(chunk: Buffer, i: number, end: number): number {
    const { view, base } = this.#cursor;
    const elements = this.#elements;
    const name = this.#tags.expected(view, i + 1, end);
    if (name === null) return -1;
    const behindName = i + 1 + name.length;
    let close = behindName;
    if (view.getUint8(close) !== 0x3e) {
      const opening = openingOf(name);
      if (opening !== null && opening.limits === this.#limits && opening.isAt(view, close, end)) {
        return this.#open(name, opening, chunk, i, close);
      }
      this.#tag.begin(base + i, elements.depth + 1);
      close = this.#attributes(name, chunk, view, behindName, end);
      if (close < 0) return -1;
    }
    const empty = view.getUint8(close) === 0x2f;
    if (empty && elements.depth === 0) return -1;
    const behind = empty ? close + 2 : close + 1;
    elements.admit(base + i);
    this.#tags.last = name;
    if (elements.skipDepth !== 0) {
      if (close !== behindName) this.#tag.resolveAttributes();
      elements.openSkipped(name, base + i);
      if (empty) elements.closeSkipped();
      return behind;
    }
    if (close === behindName) this.#tag.begin(base + i, elements.depth + 1);
    elements.namespaces.begin();
    elements.open(name, base + behind);
    if (empty) elements.close(base + behind, base + behind);
    return behind;
  }

  /** A start tag at `i` that is known from its name to its end; or -1. */
  #open(name: Name, opening: Opening, chunk: Buffer, i: number, behindName: number): number {
    const elements = this.#elements;
    const { namespaces } = elements;
    const declared = opening.declarations.prefixes.length;
    if (declared > declarationsMax(this.#limits, elements.depth)) return -1;
    if (namespaces.count + declared > this.#mostInScope) return -1;
    elements.begin(this.#cursor.base + i);
    namespaces.redeclare(opening.declarations);
    for (const { name: attribute, start, end, flags } of opening.attributes) {
      this.#tag.place(attribute, chunk, behindName + start, behindName + end, flags);
    }
    this.#tags.last = name;
    const behind = behindName + opening.length;
    elements.open(name, this.#cursor.base + behind);
    return behind;
  }

  /** Reads attributes from `i` on; returns the place of the `>` or `/>`, or -1 when one is not plain. */
  #attributes(name: Name, chunk: Buffer, view: DataView, i: number, end: number): number {
    const tag = this.#tag;
    let before = name;
    while (i + 4 < end) {
      const byte = view.getUint8(i);
      if (byte === 0x3e) return i;
      if (byte === 0x2f) return view.getUint8(i + 1) === 0x3e ? i : -1;
      if (byte !== 0x20) return -1;
      const attribute = nameAt(before.nextAttribute);
      if (attribute === null || attribute.declares !== null || !isAt(attribute, view, i + 1, end)) return -1;
      const start = i + attribute.length + 3;
      if (start >= end || view.getUint16(start - 2) !== 0x3d22) return -1;
      if (attribute.length > this.#nameBytes || tag.attributeCount >= this.#mostAttributes) return -1;
      const stop = plainValue(view, start, end);
      if (stop >= end || view.getUint8(stop) !== 0x22 || stop - start > this.#mostValue) return -1;
      tag.place(attribute, chunk, start, stop, 0);
      before = attribute;
      i = stop + 1;
    }
    return -1;
  }
}

/** Where white space, as it stands between tags, ends. */
function behindSpace(view: DataView, i: number, end: number): number {
  while (i < end) {
    const byte = view.getUint8(i);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x09) break;
    i++;
  }
  return i;
}
