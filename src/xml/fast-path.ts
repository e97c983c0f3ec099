import type { Buffer } from 'node:buffer';
import { CanonicalContentSkimmer } from './canonical-content.js';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import { ELEMENTS_ONLY, PRESENCE } from './events.js';
import { declarationsMax, type XmlLimits } from './limits.js';
import { ModelSkimmer } from './models/skimmer.js';
import { isAt, type Name, nameAt } from './names.js';
import { skipPlainValue } from './plain-text.js';
import { SelectedContentScanner } from './selected-content.js';
import { SkippedContentScanner } from './skipped-content.js';
import { type CachedStartTag, cachedStartTagOf } from './start-tag-cache.js';
import { CONTENT, OUTSIDE } from './states.js';
import type { Tag } from './tag.js';
import type { TagScanner } from './tags.js';
import type { TextScanner } from './text.js';

/**
 * The fast path of the scanner: plain text, and whole tags with the expected name and plain
 * attributes. It leaves all other markup, and every error, to the scanners that go step by step.
 * Both must report the same events.
 */
export class FastPathScanner {
  /** Attributes that an element may have. */
  mostAttributes: number;
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #tag: Tag;
  readonly #tags: TagScanner;
  readonly #text: TextScanner;
  readonly #skipped: SkippedContentScanner;
  readonly #selected: SelectedContentScanner;
  readonly #models: ModelSkimmer;
  readonly #canonical: CanonicalContentSkimmer;
  readonly #limits: XmlLimits;
  readonly #nameBytes: number;
  readonly #mostValue: number;
  readonly #mostInScope: number;

  constructor(cursor: Cursor, tags: TagScanner, text: TextScanner, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.#tag = cursor.elements.tag;
    this.#tags = tags;
    this.#text = text;
    this.#skipped = new SkippedContentScanner(cursor, text, limits);
    this.#selected = new SelectedContentScanner(cursor, limits);
    this.#models = new ModelSkimmer(cursor, limits);
    this.#canonical = new CanonicalContentSkimmer(cursor.elements, limits);
    this.#limits = limits;
    this.#nameBytes = limits.nameChars;
    this.mostAttributes = limits.attributes;
    this.#mostValue = limits.attributeValueBytes;
    this.#mostInScope = limits.namespacesInScope;
  }

  /**
   * Content from a `<` or from behind markup. Returns where it stopped: near the end, or before
   * markup that is not on the fast path.
   */
  read(chunk: Buffer, i: number, end: number): number {
    const cursor = this.#cursor;
    const elements = this.#elements;
    const { view } = cursor;
    while (i + 4 < end) {
      if (elements.skipDepth !== 0) {
        i = this.#skipped.read(chunk, i, end);
        if (i + 4 >= end || cursor.state !== CONTENT) return i;
      } else if (elements.model !== null && elements.top.interest === PRESENCE) {
        i = this.#models.pass(chunk, i, end);
        if (i + 4 >= end) return i;
      } else if (elements.top.mayBeCanonical) {
        i = this.#canonical.pass(chunk, i, end);
        if (i + 4 >= end) return i;
      } else if (elements.top.selection !== null) {
        const stop = this.#selected.pass(chunk, i, end);
        if (stop > i) {
          i = stop;
          continue;
        }
      }
      const word = view.getInt32(i, true);
      if ((word & 0xff) !== 0x3c) {
        i = this.#run(chunk, view, i, end);
        if (cursor.state !== CONTENT) return i;
        continue;
      }
      const after =
        (word & 0xff00) === 0x2f00 ? this.#endTag(view, i, end) : this.startTag(chunk, i, end);
      if (after < 0) return i;
      i = after;
      if (cursor.state !== CONTENT) return i;
    }
    return i;
  }

  /** Text up to a `<`, to the end of the chunk, or to where its state changes. */
  #run(chunk: Buffer, view: DataView, i: number, end: number): number {
    const { interest } = this.#elements.top;
    if (interest <= ELEMENTS_ONLY) return this.#skipped.text(chunk, view, i, end);
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
      if (depth === 1) {
        this.#cursor.state = OUTSIDE;
      }
    }
    return close + 1;
  }

  /**
   * The start tag at `i`, or the tag of an empty element, but not of an empty document element;
   * or -1.
   */
  startTag(chunk: Buffer, i: number, end: number): number {
    const { view, base } = this.#cursor;
    const elements = this.#elements;
    const name = this.#tags.expected(view, i + 1, end);
    if (name === null) return -1;
    const behindName = i + 1 + name.length;
    let close = behindName;
    if (view.getUint8(close) !== 0x3e) {
      const cached = cachedStartTagOf(name);
      if (cached !== null && cached.limits === this.#limits && cached.isAt(view, close, end)) {
        return this.#openCached(name, cached, chunk, i, close);
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
      if (close !== behindName) {
        this.#tag.resolveAttributes();
      }
      elements.openSkipped(name, base + i);
      if (close !== behindName) {
        elements.watch(name, base + behind);
      }
      if (empty) {
        elements.closeSkipped();
      }
      return behind;
    }
    if (close === behindName) {
      this.#tag.begin(base + i, elements.depth + 1);
    }
    elements.namespaces.begin();
    elements.open(name, base + behind);
    if (empty) {
      elements.close(base + behind, base + behind);
    }
    return behind;
  }

  /** Opens the cached start tag at `i`; or returns -1. */
  #openCached(
    name: Name,
    cached: CachedStartTag,
    chunk: Buffer,
    i: number,
    behindName: number,
  ): number {
    const elements = this.#elements;
    const { namespaces } = elements;
    const declared = cached.declarations.prefixes.length;
    if (declared > declarationsMax(this.#limits, elements.depth)) return -1;
    if (namespaces.count + declared > this.#mostInScope) return -1;
    if (cached.attributes.length > this.mostAttributes) return -1;
    elements.begin(this.#cursor.base + i);
    namespaces.declareCached(cached.declarations);
    for (const { name: attribute, start, end, flags } of cached.attributes) {
      this.#tag.place(attribute, chunk, behindName + start, behindName + end, flags);
    }
    this.#tags.last = name;
    const behind = behindName + cached.length;
    elements.open(name, this.#cursor.base + behind);
    return behind;
  }

  /**
   * Reads attributes from `i` on; returns the place of the `>` or `/>`, or -1 when one is not
   * plain.
   */
  #attributes(name: Name, chunk: Buffer, view: DataView, i: number, end: number): number {
    const tag = this.#tag;
    let before = name;
    while (i + 4 < end) {
      const byte = view.getUint8(i);
      if (byte === 0x3e) return i;
      if (byte === 0x2f) return view.getUint8(i + 1) === 0x3e ? i : -1;
      if (byte !== 0x20) return -1;
      const attribute = nameAt(before.nextAttribute);
      if (attribute === null || attribute.declares !== null || !isAt(attribute, view, i + 1, end)) {
        return -1;
      }
      const start = i + attribute.length + 3;
      if (start >= end || view.getUint16(start - 2) !== 0x3d22) return -1;
      if (attribute.length > this.#nameBytes || tag.attributeCount >= this.mostAttributes) {
        return -1;
      }
      const stop = skipPlainValue(view, start, end);
      if (stop >= end || view.getUint8(stop) !== 0x22 || stop - start > this.#mostValue) return -1;
      tag.place(attribute, chunk, start, stop, 0);
      before = attribute;
      i = stop + 1;
    }
    return -1;
  }
}

/** Returns the end of the white space that begins at `i`, as it stands between tags. */
function behindSpace(view: DataView, i: number, end: number): number {
  while (i < end) {
    const byte = view.getUint8(i);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x09) break;
    i++;
  }
  return i;
}
