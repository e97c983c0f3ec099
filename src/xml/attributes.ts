import type { Buffer } from 'node:buffer';
import { CLASS, CONTROL, IN_NAME, SPACE, STOPS_VALUE } from './chars.js';
import type { Cursor } from './cursor.js';
import type { Elements } from './elements.js';
import { declarationsMax, refuseByXmlLimit, type XmlLimits } from './limits.js';
import { guess, HASH_START, mix, type Name, NO_NAME, nameOf } from './names.js';
import { skipPlainValue } from './plain-text.js';
import { ATTRIBUTE_NAME, EQUALS, IN_TAG, QUOTE, VALUE, VALUE_REFERENCE } from './states.js';
import { namespaceNameOf, RAW, WIDE } from './tag.js';

/** Reads attributes, namespace declarations among them. */
export class AttributeScanner {
  /** White space has been seen since the name of the element or the last attribute. */
  hasSpace = false;
  /** Attributes that an element may have. */
  most: number;
  readonly #cursor: Cursor;
  readonly #elements: Elements;
  readonly #limits: XmlLimits;
  readonly #mostInScope: number;
  readonly #mostValue: number;
  readonly #mostUri: number;
  /** The name of the start tag, or of the attribute before the one being read. */
  #before = NO_NAME;
  #attribute = NO_NAME;
  /** The attribute being read is a namespace declaration. */
  #isDeclaration = false;
  /** The value being read: the offset where its limit lies, its flags, the quote that ends it. */
  #limit = 0;
  #flags = 0;
  #quote = 0;

  constructor(cursor: Cursor, limits: XmlLimits) {
    this.#cursor = cursor;
    this.#elements = cursor.elements;
    this.most = limits.attributes;
    this.#limits = limits;
    this.#mostInScope = limits.namespacesInScope;
    this.#mostValue = limits.attributeValueBytes;
    this.#mostUri = Math.min(limits.attributeValueBytes, limits.namespaceUriBytes);
  }

  reset(): void {
    this.#before = NO_NAME;
    this.#attribute = NO_NAME;
  }

  /** The name of the start tag has been read. */
  enter(name: Name): void {
    this.#before = name;
    this.hasSpace = false;
  }

  /**
   * A byte of an attribute's name follows at `i`. An attribute that lies in the chunk as a whole is
   * read at once.
   */
  begin(chunk: Buffer, i: number, end: number): number {
    const guessed = guess(this.#before.nextAttribute, this.#cursor.view, i, end);
    if (guessed !== null && guessed.length <= this.#cursor.nameBytes) {
      const after = i + guessed.length;
      if (chunk[after] === 0x3d) {
        this.#beginAttribute(guessed, this.#cursor.base + i);
        return this.quote(chunk, after + 1, end);
      }
    }
    const stop = Math.min(end, i + this.#cursor.nameBytes);
    let hash = HASH_START;
    let at = i;
    while (at < stop) {
      const byte = chunk[at]!;
      if ((CLASS[byte]! & IN_NAME) === 0) break;
      hash = mix(hash, byte);
      at++;
    }
    if (at + 1 >= stop || chunk[at] !== 0x3d) {
      this.#cursor.beginName(i);
      this.#cursor.state = ATTRIBUTE_NAME;
      return this.name(chunk, i, end);
    }
    const name = nameOf(chunk, i, at, hash, this.#cursor.base + i);
    this.#before.nextAttribute = name.place;
    this.#beginAttribute(name, this.#cursor.base + i);
    return this.quote(chunk, at + 1, end);
  }

  name(chunk: Buffer, i: number, end: number): number {
    const after = this.#cursor.nameEnd(chunk, i, end);
    if (after < 0) return end;
    const { tag } = this.#elements;
    const offset = this.#cursor.base + after - (tag.end - tag.start);
    this.#beginAttribute(this.#cursor.name(offset), offset);
    this.#cursor.state = EQUALS;
    return this.equals(chunk, after, end);
  }

  /** The name of an attribute is known; `offset` is where it begins. */
  #beginAttribute(name: Name, offset: number): void {
    const { tag, namespaces, depth } = this.#elements;
    this.#before = name;
    this.#attribute = name;
    this.#isDeclaration = name.declares !== null;
    if (this.#isDeclaration) {
      const limits = this.#limits;
      const isWithinElement = namespaces.declared < declarationsMax(limits, depth);
      if (isWithinElement && namespaces.count < this.#mostInScope) return;
      const perElement = depth === 0 ? 'namespacesOnRoot' : 'namespacesPerElement';
      throw refuseByXmlLimit(isWithinElement ? 'namespacesInScope' : perElement, limits, offset);
    }
    if (tag.attributeCount >= this.most) {
      throw refuseByXmlLimit('attributes', { ...this.#limits, attributes: this.most }, offset);
    }
  }

  equals(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) {
      i++;
    }
    if (i >= end) return end;
    if (chunk[i] !== 0x3d) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'an attribute without a value', i);
    }
    return this.quote(chunk, i + 1, end);
  }

  quote(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) {
      i++;
    }
    if (i >= end) {
      this.#cursor.state = QUOTE;
      return end;
    }
    const quote = chunk[i++]!;
    if (quote !== 0x22 && quote !== 0x27) {
      throw this.#cursor.refusal('XML_NOT_WELLFORMED', 'an attribute value without quotes', i - 1);
    }
    const most = this.#isDeclaration ? this.#mostUri : this.#mostValue;
    this.#quote = quote;
    this.#flags = 0;
    this.#limit = this.#cursor.base + i + most;
    this.#cursor.state = VALUE;
    return this.value(chunk, i, end);
  }

  value(chunk: Buffer, i: number, end: number): number {
    const start = i;
    const limit = this.#limit - this.#cursor.base;
    const stop = Math.min(limit, end);
    for (;;) {
      i = skipPlainValue(this.#cursor.view, i, stop);
      while (i < stop && (CLASS[chunk[i]!]! & STOPS_VALUE) === 0) {
        i++;
      }
      if (i >= end) break;
      const byte = chunk[i]!;
      if (byte === this.#quote && i <= limit) {
        this.#elements.tag.completeToken(chunk, start, i);
        this.#completeAttribute(i);
        return i + 1;
      }
      if (i >= limit) throw this.#refuseByValueLimit();
      if (byte === 0x26) {
        this.#flags |= RAW;
        this.#cursor.reference.begin();
        this.#cursor.state = VALUE_REFERENCE;
        i = this.#referenceInValue(chunk, i + 1, end);
        if (this.#cursor.state !== VALUE) break;
      } else {
        i += this.#valueCharacter(chunk, i, end, byte);
      }
    }
    this.#elements.tag.suspendToken(chunk, start, end);
    return end;
  }

  reference(chunk: Buffer, i: number, end: number): number {
    const after = this.#referenceInValue(chunk, i, end);
    this.#elements.tag.suspendToken(chunk, i, after);
    return after;
  }

  #referenceInValue(chunk: Buffer, i: number, end: number): number {
    const limit = this.#limit - this.#cursor.base;
    while (i < end) {
      if (i >= limit) throw this.#refuseByValueLimit();
      const done = this.#cursor.reference.take(chunk[i]!);
      if (done === null) throw this.#cursor.referenceRefusal(i);
      i++;
      if (done) {
        this.#cursor.state = VALUE;
        return i;
      }
    }
    return end;
  }

  /** A byte of a value that ends a plain run; returns the length of its character. */
  #valueCharacter(chunk: Buffer, i: number, end: number, byte: number): number {
    if (byte >= 0x80) {
      this.#flags |= WIDE;
      return this.#cursor.wideCharacter(chunk, i, end);
    }
    const kind = CLASS[byte]!;
    if (byte === 0x3c || (kind & CONTROL) !== 0) {
      throw this.#cursor.refusal(
        'XML_NOT_WELLFORMED',
        'a character that an attribute value cannot have',
        i,
      );
    }
    if ((kind & SPACE) !== 0) {
      this.#flags |= RAW;
    }
    return 1;
  }

  #completeAttribute(i: number): void {
    const { tag, namespaces } = this.#elements;
    const name = this.#attribute;
    if (name.declares === null) {
      tag.add(name, this.#flags);
    } else {
      namespaces.declare(name.declares, namespaceNameOf(tag, this.#flags), this.#cursor.base + i);
    }
    this.hasSpace = false;
    this.#cursor.state = IN_TAG;
  }

  #refuseByValueLimit(): Error {
    const isUri = this.#isDeclaration && this.#mostUri < this.#mostValue;
    return refuseByXmlLimit(
      isUri ? 'namespaceUriBytes' : 'attributeValueBytes',
      this.#limits,
      this.#limit,
    );
  }
}
