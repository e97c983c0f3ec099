import type { BytesTest, Interest, QName, StartTag, WrittenTag, XmlHandler } from './events.js';

/** The declared namespace that a namespace stands for; the same where it stands for itself. */
export type DeclaredNamespace = (uri: string) => string;

/**
 * Passes an element on under its declared name, and the elements inside under the declared
 * namespaces that theirs stand for. For handlers that know declared names alone.
 */
export class RenamedContent implements XmlHandler {
  readonly #handler: XmlHandler;
  readonly #to: QName;
  readonly #declared: DeclaredNamespace;
  readonly #tag: RenamedTag;
  #depth = 0;

  constructor(handler: XmlHandler, to: QName, declared: DeclaredNamespace) {
    this.#handler = handler;
    this.#to = to;
    this.#declared = declared;
    this.#tag = new RenamedTag(declared);
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
    if (isRoot) return this.#handler.open(this.#tag.of(tag, this.#to));
    const uri = this.#declared(tag.uri);
    if (uri === tag.uri) return this.#handler.open(tag);
    return this.#handler.open(this.#tag.of(tag, { uri, local: tag.local }));
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
  readonly #declared: DeclaredNamespace;
  #tag: StartTag | null = null;
  uri = '';
  local = '';

  constructor(declared: DeclaredNamespace) {
    this.#declared = declared;
  }

  of(tag: StartTag, { uri, local }: QName): this {
    this.#tag = tag;
    this.uri = uri;
    this.local = local;
    return this;
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

  /** A type that xsi:type names is one of the declared namespace. */
  namespace(prefix: string): string | null {
    const uri = this.#real.namespace(prefix);
    return uri === null ? null : this.#declared(uri);
  }

  declares(uri: string): boolean {
    return this.#real.declares(uri);
  }

  get #real(): StartTag {
    if (this.#tag === null) throw new Error('a tag that is not lent');
    return this.#tag;
  }
}
