import { stringOf } from './byte-string.js';
import type { StartTag } from './events.js';
import { nameIn } from './names.js';
import type { Namespaces } from './namespaces.js';
import { normaliseValue } from './references.js';
import { skimMemory } from './skim-memory.js';

/**
 * A start tag that the skimmer read in selected content, in its memory. None of its attributes has
 * a namespace, and it declares none.
 */
export class SelectedTag implements StartTag {
  uri = '';
  local = '';
  depth = 0;
  offsetBytes = 0;
  contentBytes = 0;
  attributeCount = 0;
  readonly #namespaces: Namespaces;
  #nameStart = 0;
  #prefixBytes = 0;
  /** Four numbers of each attribute: where its name begins, its length, and its value. */
  readonly #attributes: number[] = [];
  readonly #isWritten: boolean[] = [];

  constructor(namespaces: Namespaces) {
    this.#namespaces = namespaces;
  }

  begin(nameStart: number, prefixBytes: number): void {
    this.#nameStart = nameStart;
    this.#prefixBytes = prefixBytes;
    this.attributeCount = 0;
  }

  addAttribute(
    nameStart: number,
    nameLength: number,
    start: number,
    end: number,
    isWritten: boolean,
  ): void {
    const at = 4 * this.attributeCount;
    this.#attributes[at] = nameStart;
    this.#attributes[at + 1] = nameLength;
    this.#attributes[at + 2] = start;
    this.#attributes[at + 3] = end;
    this.#isWritten[this.attributeCount++] = isWritten;
  }

  get prefix(): string {
    const end = this.#nameStart + Math.max(0, this.#prefixBytes - 1);
    return skimMemory.bytes.latin1Slice(this.#nameStart, end);
  }

  attributeUri(): string {
    return '';
  }

  attributeLocal(index: number): string {
    if (index >= this.attributeCount) return '';
    const start = this.#attributes[4 * index]!;
    return nameIn(skimMemory.bytes, start, start + this.#attributes[4 * index + 1]!).local;
  }

  attributeValue(index: number): string {
    if (index >= this.attributeCount) return '';
    const start = this.#attributes[4 * index + 2]!;
    const end = this.#attributes[4 * index + 3]!;
    const isWritten = this.#isWritten[index] === true;
    const value = stringOf(skimMemory.bytes, start, end, !isWritten);
    return isWritten ? normaliseValue(value) : value;
  }

  attribute(uri: string, local: string): string | null {
    if (uri !== '') return null;
    for (let index = 0; index < this.attributeCount; index++) {
      if (this.#isNamed(index, local)) return this.attributeValue(index);
    }
    return null;
  }

  #isNamed(index: number, local: string): boolean {
    const start = this.#attributes[4 * index]!;
    if (this.#attributes[4 * index + 1] !== local.length) return false;
    for (let at = 0; at < local.length; at++) {
      if (skimMemory.bytes[start + at] !== local.charCodeAt(at)) return false;
    }
    return true;
  }

  namespace(prefix: string): string | null {
    return this.#namespaces.find(prefix);
  }

  declares(): boolean {
    return false;
  }
}
