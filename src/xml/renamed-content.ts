import type { BytesTest, Interest, QName, StartTag, WrittenTag, XmlHandler } from './events.js';

/**
 * Passes an element on under its declared name, and the elements inside that are in its namespace
 * under the declared one. For handlers that know declared names alone.
 */
export class RenamedContent implements XmlHandler {
  readonly #handler: XmlHandler;
  readonly #from: QName;
  readonly #to: QName;
  readonly #tag: RenamedTag;
  #depth = 0;

  constructor(handler: XmlHandler, from: QName, to: QName) {
    this.#handler = handler;
    this.#from = from;
    this.#to = to;
    this.#tag = new RenamedTag(from, to);
    if (handler.asciiText !== undefined) {
      this.asciiText = handler.asciiText.bind(handler);
    }
    if (handler.comment !== undefined) {
      this.comment = handler.comment.bind(handler);
    }
    if (handler.instruction !== undefined) {
      this.instruction = handler.instruction.bind(handler);
    }
  }

  asciiText?(bytes: Uint8Array, start: number, end: number): boolean;
  comment?(chars: string): void;
  instruction?(): void;

  open(tag: StartTag): Interest {
    const isRoot = this.#depth === 0;
    this.#depth++;
    // Without a namespace of its own the wrapper says nothing about the elements inside.
    if (!isRoot && (this.#from.uri === '' || tag.uri !== this.#from.uri)) {
      return this.#handler.open(tag);
    }
    return this.#handler.open(this.#tag.of(tag, isRoot ? this.#to.local : tag.local));
  }

  text(chars: string): void {
    this.#handler.text(chars);
  }

  close(contentEndBytes: number, endBytes: number): void {
    this.#depth--;
    this.#handler.close(contentEndBytes, endBytes);
  }
}

/** A start tag of another name, lent as the tag that it stands for. */
export class RenamedTag implements StartTag {
  readonly #from: QName;
  readonly #to: QName;
  #tag: StartTag | null = null;
  local = '';

  constructor(from: QName, to: QName) {
    this.#from = from;
    this.#to = to;
  }

  of(tag: StartTag, local: string): this {
    this.#tag = tag;
    this.local = local;
    return this;
  }

  get uri(): string {
    return this.#to.uri;
  }

  get prefix(): string {
    return this.#real.prefix;
  }

  get depth(): number {
    return this.#real.depth;
  }

  get offsetBytes(): number {
    return this.#real.offsetBytes;
  }

  get contentBytes(): number {
    return this.#real.contentBytes;
  }

  get attributeCount(): number {
    return this.#real.attributeCount;
  }

  get written(): WrittenTag {
    const { written } = this.#real;
    if (written === undefined) throw new Error('a tag that no message has');
    return written;
  }

  attributeUri(index: number): string {
    return this.#real.attributeUri(index);
  }

  attributeLocal(index: number): string {
    return this.#real.attributeLocal(index);
  }

  attributePasses(index: number, test: BytesTest): boolean {
    return this.#real.attributePasses?.(index, test) ?? false;
  }

  attributeValue(index: number): string {
    return this.#real.attributeValue(index);
  }

  attribute(uri: string, local: string): string | null {
    return this.#real.attribute(uri, local);
  }

  /**
   * A type that xsi:type names in the namespace of the wrapper is one of the declared namespace.
   */
  namespace(prefix: string): string | null {
    const uri = this.#real.namespace(prefix);
    return uri !== null && uri !== '' && uri === this.#from.uri ? this.#to.uri : uri;
  }

  declares(uri: string): boolean {
    return this.#real.declares(uri);
  }

  get #real(): StartTag {
    if (this.#tag === null) throw new Error('a tag that is not lent');
    return this.#tag;
  }
}
