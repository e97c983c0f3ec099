import { Buffer } from 'node:buffer';
import { Refusal } from '../core/index.js';
import { stringOf } from './byte-string.js';
import type { BytesTest, NamespaceBinding, StartTag, WrittenTag } from './events.js';
import { type Name, NO_NAME, uriOf } from './names.js';
import type { Namespaces } from './namespaces.js';
import { normaliseValue } from './references.js';

/** The value has characters beyond ASCII. */
export const WIDE = 1;
/** The value has references or white space other than spaces. */
export const RAW = 2;

/** The position of an attribute of a start tag. */
export interface PlacedAttribute {
  readonly name: Name;
  readonly start: number;
  readonly end: number;
  readonly flags: number;
}

/** An attribute of the tag being read. They are used again and again. */
class Attribute implements PlacedAttribute {
  name = NO_NAME;
  uri = '';
  /** The value lies from `start` to `end` in the chunk or the carry buffer. */
  start = 0;
  end = 0;
  flags = 0;
}

/** The start tag being read. Values stay bytes until they are read. */
export class Tag implements StartTag, WrittenTag {
  uri = '';
  name: Name = NO_NAME;
  depth = 0;
  offsetBytes = 0;
  contentBytes = 0;
  attributeCount = 0;
  readonly #namespaces: Namespaces;
  readonly #attributes: Attribute[] = [];
  readonly #seen = new Set<string>();
  #chunk: Buffer = NOTHING;
  /**
   * Bytes of earlier chunks: the values of the first `#carried` attributes, then the token that is
   * being read.
   */
  #carry: Buffer = NOTHING;
  #carryEnd = 0;
  #carried = 0;
  /**
   * The offset of the token being read in the carry buffer; -1 when the chunk has it as a whole.
   */
  #token = -1;
  /**
   * The bytes that hold the token that was completed last, from `start` to `end`: valid until the
   * next call.
   */
  bytes: Buffer = NOTHING;
  start = 0;
  end = 0;

  constructor(namespaces: Namespaces) {
    this.#namespaces = namespaces;
  }

  get local(): string {
    return this.name.local;
  }

  get prefix(): string {
    return this.name.prefix;
  }

  begin(offset: number, depth: number): void {
    this.offsetBytes = offset;
    this.depth = depth;
    this.attributeCount = 0;
    this.#carryEnd = 0;
    this.#carried = 0;
    this.#token = -1;
  }

  /** Lets go of the chunk, and of a carry buffer that one message made large. */
  release(): void {
    this.begin(0, 0);
    this.#chunk = NOTHING;
    this.bytes = NOTHING;
    if (this.#carry.length > KEPT_BYTES) {
      this.#carry = NOTHING;
    }
  }

  /** Copies the values in the chunk, which ends inside this tag; each byte once. */
  suspend(chunk: Buffer): void {
    for (let i = this.#carried; i < this.attributeCount; i++) {
      const attribute = this.#attributes[i]!;
      const start = this.#carryEnd;
      this.#append(chunk, attribute.start, attribute.end);
      attribute.start = start;
      attribute.end = this.#carryEnd;
    }
    this.#carried = this.attributeCount;
  }

  /** The chunk ends inside a name or value, which began at `start` or in an earlier chunk. */
  suspendToken(chunk: Buffer, start: number, end: number): void {
    if (this.#token < 0) {
      this.suspend(chunk);
      this.#token = this.#carryEnd;
    }
    this.#append(chunk, start, end);
  }

  /** The name or value is complete: sets `bytes`, `start` and `end`. */
  completeToken(chunk: Buffer, start: number, end: number): void {
    if (this.#token < 0) {
      this.bytes = chunk;
      this.start = start;
      this.end = end;
      return;
    }
    this.#append(chunk, start, end);
    this.bytes = this.#carry;
    this.start = this.#token;
    this.end = this.#carryEnd;
    this.#carryEnd = this.#token;
    this.#token = -1;
  }

  /** Adds an attribute whose value is the token completed last. */
  add(name: Name, flags: number): void {
    const carried = this.bytes === this.#carry;
    this.place(name, carried ? this.#chunk : this.bytes, this.start, this.end, flags);
    if (!carried) return;
    this.#carryEnd = this.end;
    this.#carried = this.attributeCount;
  }

  /** Adds an attribute whose value lies in this chunk. */
  place(name: Name, chunk: Buffer, start: number, end: number, flags: number): void {
    const index = this.attributeCount++;
    if (index === this.#attributes.length) {
      this.#attributes.push(new Attribute());
    }
    const attribute = this.#attributes[index]!;
    attribute.name = name;
    attribute.start = start;
    attribute.end = end;
    attribute.flags = flags;
    this.#chunk = chunk;
  }

  /** The attributes, all in the chunk, by their distance from `origin`. */
  placedFrom(origin: number): readonly PlacedAttribute[] {
    return this.#attributes.slice(0, this.attributeCount).map(({ name, start, end, flags }) => ({
      name,
      start: start - origin,
      end: end - origin,
      flags,
    }));
  }

  /**
   * Finds the namespaces of the attributes of a complete tag. Throws a `Refusal` for an unbound or
   * double one.
   */
  resolveAttributes(): void {
    const count = this.attributeCount;
    for (let i = 0; i < count; i++) {
      const attribute = this.#attributes[i]!;
      const { name } = attribute;
      attribute.uri = name.prefix === '' ? '' : this.#namespaces.uriOf(name, this.offsetBytes);
    }
    if (count > FEW) {
      this.#refuseDuplicatesOfMany();
      return;
    }
    for (let i = 1; i < count; i++) {
      const { name, uri } = this.#attributes[i]!;
      for (let j = 0; j < i; j++) {
        const other = this.#attributes[j]!;
        if (other.name.local === name.local && other.uri === uri) throw this.#duplicate(i + 1);
      }
    }
  }

  #refuseDuplicatesOfMany(): void {
    this.#seen.clear();
    for (let i = 0; i < this.attributeCount; i++) {
      // A local name holds no space, so the key cannot be made in two ways.
      const { name, uri } = this.#attributes[i]!;
      this.#seen.add(`${name.local} ${uri}`);
    }
    const distinct = this.#seen.size;
    this.#seen.clear();
    if (distinct !== this.attributeCount) throw this.#duplicate(this.attributeCount);
  }

  /**
   * The refusal for a double among the first `count`: of XML when written alike, else of
   * namespaces.
   */
  #duplicate(count: number): Refusal {
    const written = new Set(
      this.#attributes.slice(0, count).map(({ name }) => `${name.prefix}:${name.local}`),
    );
    const code = written.size < count ? 'XML_NOT_WELLFORMED' : 'XML_NS_ERROR';
    return new Refusal(code, 'an attribute that comes twice', {
      facts: { offsetBytes: this.offsetBytes },
    });
  }

  attributeUri(index: number): string {
    return index < this.attributeCount ? this.#attributes[index]!.uri : '';
  }

  attributeLocal(index: number): string {
    return index < this.attributeCount ? this.#attributes[index]!.name.local : '';
  }

  attributeValue(index: number): string {
    if (index >= this.attributeCount) return '';
    const bytes = index < this.#carried ? this.#carry : this.#chunk;
    const { start, end, flags } = this.#attributes[index]!;
    return stringOfValue(bytes, start, end, flags);
  }

  attributePasses(index: number, test: BytesTest): boolean {
    if (index >= this.attributeCount) return false;
    const { start, end, flags } = this.#attributes[index]!;
    return flags === 0 && test(index < this.#carried ? this.#carry : this.#chunk, start, end);
  }

  attribute(uri: string, local: string): string | null {
    for (let i = 0; i < this.attributeCount; i++) {
      const attribute = this.#attributes[i]!;
      if (attribute.name.local === local && attribute.uri === uri) return this.attributeValue(i);
    }
    return null;
  }

  namespace(prefix: string): string | null {
    return this.#namespaces.find(prefix);
  }

  declares(uri: string): boolean {
    return this.#namespaces.declares(uri);
  }

  get written(): WrittenTag {
    return this;
  }

  attributePrefix(index: number): string {
    return index < this.attributeCount ? this.#attributes[index]!.name.prefix : '';
  }

  get declarationCount(): number {
    return this.#namespaces.declared;
  }

  declaredPrefix(index: number): string {
    return this.#namespaces.declaredPrefix(index);
  }

  declaredUri(index: number): string {
    return this.#namespaces.declaredUri(index);
  }

  namespacesInScope(): readonly NamespaceBinding[] {
    return this.#namespaces.inScope();
  }

  #append(chunk: Buffer, start: number, end: number): void {
    const needed = this.#carryEnd + end - start;
    if (needed > this.#carry.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(1024, needed * 2));
      this.#carry.copy(grown, 0, 0, this.#carryEnd);
      this.#carry = grown;
    }
    for (let i = start; i < end; i++) {
      this.#carry[this.#carryEnd++] = chunk[i]!;
    }
  }
}

const NOTHING: Buffer = Buffer.alloc(0);
const KEPT_BYTES = 64 * 1024;
/** Up to here comparing each with each is faster than a set. */
const FEW = 8;

/** The token completed last, as a namespace name. */
export function namespaceNameOf(tag: Tag, flags: number): string {
  return flags < RAW
    ? uriOf(tag.bytes, tag.start, tag.end)
    : stringOfValue(tag.bytes, tag.start, tag.end, flags);
}

function stringOfValue(bytes: Buffer, start: number, end: number, flags: number): string {
  const written = stringOf(bytes, start, end, (flags & WIDE) === 0);
  return (flags & RAW) === 0 ? written : normaliseValue(written);
}
