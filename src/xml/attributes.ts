import { CLASS, CONTROL, IN_NAME, SPACE, STOPS_VALUE, utf8Length } from './chars.js';
import { Elements, refuse } from './elements.js';
import type { XmlHandler } from './events.js';
import type { XmlLimits } from './limits.js';
import { guess, HASH_START, mix, type Name, NO_NAME, nameOf } from './names.js';
import { NO_VIEW, plainValue } from './plain.js';
import { Reference } from './references.js';
import { ATTRIBUTE_NAME, EQUALS, IN_TAG, OUTSIDE, QUOTE, type State, VALUE, VALUE_REFERENCE } from './states.js';
import { namespaceNameOf, RAW, WIDE } from './tag.js';

/**
 * Reads names and attributes. Here as in the classes above it, each method reads from `i` on, as far as its state goes or
 * the chunk lasts, and returns where it stopped, so no byte is looked at twice however the message is cut.
 */
export class AttributeScanner {
  readonly elements: Elements;
  protected state: State = OUTSIDE;
  /** The chunk being scanned, for reading four bytes at once. */
  protected view: DataView = NO_VIEW;
  /** Offset of the first byte of the chunk. */
  protected base = 0;
  protected readonly reference = new Reference();
  /** Whether white space has been seen since the name of the element or the last attribute. */
  protected spaced = false;
  protected readonly nameBytes: number;
  readonly #mostAttributes: number;
  readonly #mostDeclared: number;
  readonly #mostInScope: number;
  readonly #mostValue: number;
  readonly #mostUri: number;
  /** The name of the start tag, or of the attribute before the one being read. */
  protected before = NO_NAME;
  #attribute = NO_NAME;
  /** Whether the attribute being read is a namespace declaration. */
  #declares = false;
  /** The token being read: its hash so far, the offset where its limit lies, its flags, the quote that ends it. */
  #hash = 0;
  #limit = 0;
  #flags = 0;
  #quote = 0;

  constructor(handler: XmlHandler, limits: XmlLimits) {
    this.#mostAttributes = limits.attributes;
    this.#mostDeclared = limits.namespacesPerElement;
    this.#mostInScope = limits.namespacesInScope;
    this.#mostValue = limits.attributeValueBytes;
    this.#mostUri = Math.min(limits.attributeValueBytes, limits.namespaceUriBytes);
    this.nameBytes = limits.nameChars;
    this.elements = new Elements(handler, limits);
  }

  protected resetAttributes(handler: XmlHandler): void {
    this.elements.reset(handler);
    this.before = NO_NAME;
    this.#attribute = NO_NAME;
  }

  /** A byte of an attribute's name follows at `i`. What lies in the chunk as a whole is read at once. */
  protected beginAttribute(chunk: Buffer, i: number, end: number): number {
    const guessed = guess(this.before.nextAttribute, chunk, this.view, i, end);
    if (guessed !== null && guessed.bytes.length <= this.nameBytes) {
      const after = i + guessed.bytes.length;
      if (chunk[after] === 0x3d) {
        this.#named(guessed, this.base + i);
        return this.quote(chunk, after + 1, end);
      }
    }
    const stop = Math.min(end, i + this.nameBytes);
    let hash = HASH_START;
    let at = i;
    while (at < stop) {
      const byte = chunk[at]!;
      if ((CLASS[byte]! & IN_NAME) === 0) break;
      hash = mix(hash, byte);
      at++;
    }
    if (at + 1 >= stop || chunk[at] !== 0x3d) {
      this.beginName(i);
      this.state = ATTRIBUTE_NAME;
      return this.attributeName(chunk, i, end);
    }
    const name = nameOf(chunk, i, at, hash, this.base + i);
    this.before.nextAttribute = name.place;
    this.#named(name, this.base + i);
    return this.quote(chunk, at + 1, end);
  }

  protected attributeName(chunk: Buffer, i: number, end: number): number {
    const after = this.nameEnd(chunk, i, end);
    if (after < 0) return end;
    const { tag } = this.elements;
    const offset = this.base + after - (tag.end - tag.start);
    this.#named(this.name(offset), offset);
    this.state = EQUALS;
    return this.equals(chunk, after, end);
  }

  /** The name of an attribute is known; `offset` is where it begins. */
  #named(name: Name, offset: number): void {
    const { tag, namespaces } = this.elements;
    this.before = name;
    this.#attribute = name;
    this.#declares = name.declares !== null;
    if (this.#declares) {
      if (namespaces.declared < this.#mostDeclared && namespaces.count < this.#mostInScope) return;
      throw refuse('XML_NS_LIMIT', 'declarations', offset);
    }
    if (tag.attributeCount >= this.#mostAttributes) throw refuse('XML_ATTR_LIMIT', 'attributes', offset);
  }

  protected equals(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) i++;
    if (i >= end) return end;
    if (chunk[i] !== 0x3d) throw refuse('XML_NOT_WELLFORMED', 'attribute without value', this.base + i);
    return this.quote(chunk, i + 1, end);
  }

  protected quote(chunk: Buffer, i: number, end: number): number {
    while (i < end && (CLASS[chunk[i]!]! & SPACE) !== 0) i++;
    if (i >= end) {
      this.state = QUOTE;
      return end;
    }
    const quote = chunk[i++]!;
    if (quote !== 0x22 && quote !== 0x27) {
      throw refuse('XML_NOT_WELLFORMED', 'attribute without quotes', this.base + i - 1);
    }
    const most = this.#declares ? this.#mostUri : this.#mostValue;
    this.#quote = quote;
    this.#flags = 0;
    this.#limit = this.base + i + most;
    this.state = VALUE;
    return this.value(chunk, i, end);
  }

  protected value(chunk: Buffer, i: number, end: number): number {
    const start = i;
    const limit = this.#limit - this.base;
    const stop = Math.min(limit, end);
    for (;;) {
      i = plainValue(this.view, i, stop);
      while (i < stop && (CLASS[chunk[i]!]! & STOPS_VALUE) === 0) i++;
      if (i >= end) break;
      const byte = chunk[i]!;
      if (byte === this.#quote && i <= limit) {
        this.elements.tag.completeToken(chunk, start, i);
        this.#attributeComplete(i);
        return i + 1;
      }
      if (i >= limit) throw this.#valueLimit();
      if (byte === 0x26) {
        this.#flags |= RAW;
        this.reference.begin();
        this.state = VALUE_REFERENCE;
        i = this.#referenceInValue(chunk, i + 1, end);
        if (this.state !== VALUE) break;
      } else {
        i += this.#valueCharacter(chunk, i, end, byte);
      }
    }
    this.elements.tag.suspendToken(chunk, start, end);
    return end;
  }

  protected valueReference(chunk: Buffer, i: number, end: number): number {
    const after = this.#referenceInValue(chunk, i, end);
    this.elements.tag.suspendToken(chunk, i, after);
    return after;
  }

  #referenceInValue(chunk: Buffer, i: number, end: number): number {
    const limit = this.#limit - this.base;
    while (i < end) {
      if (i >= limit) throw this.#valueLimit();
      const done = this.reference.take(chunk[i]!);
      if (done === null) throw refuse('XML_NOT_WELLFORMED', 'reference', this.base + i);
      i++;
      if (done) {
        this.state = VALUE;
        return i;
      }
    }
    return end;
  }

  /** A byte of a value that ends a plain run; returns the length of its character. */
  #valueCharacter(chunk: Buffer, i: number, end: number, byte: number): number {
    if (byte >= 0x80) {
      this.#flags |= WIDE;
      return this.wideCharacter(chunk, i, end);
    }
    const kind = CLASS[byte]!;
    if (byte === 0x3c || (kind & CONTROL) !== 0) throw refuse('XML_NOT_WELLFORMED', 'attribute value', this.base + i);
    if ((kind & SPACE) !== 0) this.#flags |= RAW;
    return 1;
  }

  #attributeComplete(i: number): void {
    const { tag, namespaces } = this.elements;
    const name = this.#attribute;
    if (name.declares === null) tag.add(name, this.#flags);
    else namespaces.declare(name.declares, namespaceNameOf(tag, this.#flags), this.base + i);
    this.spaced = false;
    this.state = IN_TAG;
  }

  #valueLimit(): Error {
    const code = !this.#declares ? 'XML_ATTR_VALUE_LIMIT' : 'XML_NS_LIMIT';
    return refuse(code, 'attribute value', this.#limit);
  }

  protected beginName(i: number): void {
    this.#hash = HASH_START;
    this.#limit = this.base + i + this.nameBytes;
  }

  /** Reads a name up to the byte behind it, or returns -1 when the chunk ends first. */
  protected nameEnd(chunk: Buffer, i: number, end: number): number {
    const start = i;
    const limit = this.#limit - this.base;
    const stop = Math.min(limit, end);
    let hash = this.#hash;
    while (i < stop) {
      const byte = chunk[i]!;
      if ((CLASS[byte]! & IN_NAME) === 0) break;
      hash = mix(hash, byte);
      i++;
    }
    this.#hash = hash;
    if (i >= end) {
      this.elements.tag.suspendToken(chunk, start, end);
      return -1;
    }
    if (i === limit && (CLASS[chunk[i]!]! & IN_NAME) !== 0) throw refuse('XML_NAME_LIMIT', 'name', this.#limit);
    this.elements.tag.completeToken(chunk, start, i);
    return i;
  }

  /** The name `nameEnd` came to the end of. Throws a `Refusal` when it is no qualified name; `offset` is its place. */
  protected name(offset: number): Name {
    const { tag } = this.elements;
    return nameOf(tag.bytes, tag.start, tag.end, this.#hash, offset);
  }

  /** Length of the character beyond ASCII at `i`. Throws a `Refusal` when it is none. */
  protected wideCharacter(chunk: Buffer, i: number, end: number): number {
    const length = utf8Length(chunk, i, end);
    if (length > 0) return length;
    throw length === 0
      ? refuse('XML_ENCODING', 'UTF-8', this.base + i)
      : refuse('XML_NOT_WELLFORMED', 'character', this.base + i);
  }
}
