import type { StartTag } from '../../xml/events.js';
import { XmlWriter } from '../../xml/writer.js';
import { resolveQName, XML_URI, XSI_URI } from '../plan/xsi.js';

/**
 * An element and all it holds, written again as XML text that stands alone. Prefixes are not kept: elements use the
 * default namespace, and of the names in content only xsi:type keeps its meaning.
 */
export class OpaqueXml {
  readonly #writer = new XmlWriter();
  /** Namespaces of the open elements. */
  readonly #uris: string[] = [];
  readonly #maxChars: number;
  #chars = 0;

  /** `maxChars`: how long the text may become. */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** True when it is longer than allowed: it takes no more and comes to nothing. */
  get isTooLong(): boolean {
    return this.#chars > this.#maxChars;
  }

  open(tag: StartTag): void {
    if (!this.#take(tag.local.length + 5)) return;
    this.#writer.open(null, tag.local);
    if (tag.uri !== (this.#uris.at(-1) ?? '')) this.#declare(null, tag.uri);
    this.#uris.push(tag.uri);
    for (let index = 0; index < tag.attributeCount; index++) this.#attribute(tag, index);
  }

  text(piece: string): void {
    if (this.#take(piece.length)) this.#writer.text(piece);
  }

  close(): void {
    if (this.isTooLong) return;
    this.#uris.pop();
    this.#writer.close();
  }

  /** The text, or null where it was too long. To be called when every element is closed. */
  finish(): string | null {
    return this.isTooLong ? null : this.#writer.finish().toString('utf8');
  }

  #attribute(tag: StartTag, index: number): void {
    const uri = tag.attributeUri(index);
    const local = tag.attributeLocal(index);
    const value = tag.attributeValue(index);
    if (!this.#take(local.length + value.length)) return;
    const isType = uri === XSI_URI && local === 'type';
    // `_n` cannot meet a prefix of ours, and no prefix of theirs is kept.
    const prefix = uri === '' ? null : uri === XML_URI ? 'xml' : `_${index}`;
    if (prefix !== null && prefix !== 'xml') this.#declare(prefix, uri);
    this.#writer.attribute(prefix, local, isType ? this.#typeName(tag, value) : value);
  }

  #typeName(tag: StartTag, value: string): string {
    const { uri, local } = resolveQName(tag, value);
    if (uri === '') return local;
    this.#declare('_t', uri);
    return `_t:${local}`;
  }

  #declare(prefix: string | null, uri: string): void {
    if (this.#take(uri.length + 10)) this.#writer.namespace(prefix, uri);
  }

  /** Whether so much more may be written. */
  #take(chars: number): boolean {
    this.#chars += chars;
    return !this.isTooLong;
  }
}
