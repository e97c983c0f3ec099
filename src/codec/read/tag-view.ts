import type { QName, StartTag } from '../../xml/index.js';

/** A start tag under another name, or with some of its attributes only. */
export class TagView implements StartTag {
  readonly uri: string;
  readonly local: string;
  readonly prefix = '';
  readonly offsetBytes = 0;
  readonly contentBytes = 0;
  readonly #tag: StartTag;
  /** The indexes of the attributes that it has; null: all. */
  readonly #kept: readonly number[] | null;

  constructor(tag: StartTag, { uri, local }: QName, kept: readonly number[] | null = null) {
    this.uri = uri;
    this.local = local;
    this.#tag = tag;
    this.#kept = kept;
  }

  get depth(): number {
    return this.#tag.depth;
  }

  get attributeCount(): number {
    return this.#kept === null ? this.#tag.attributeCount : this.#kept.length;
  }

  attributeUri(index: number): string {
    return this.#tag.attributeUri(this.#indexOf(index));
  }

  attributeLocal(index: number): string {
    return this.#tag.attributeLocal(this.#indexOf(index));
  }

  attributeValue(index: number): string {
    return this.#tag.attributeValue(this.#indexOf(index));
  }

  attribute(uri: string, local: string): string | null {
    return this.#tag.attribute(uri, local);
  }

  namespace(prefix: string): string | null {
    return this.#tag.namespace(prefix);
  }

  declares(uri: string): boolean {
    return this.#tag.declares(uri);
  }

  #indexOf(index: number): number {
    return this.#kept === null ? index : (this.#kept[index] ?? -1);
  }
}
