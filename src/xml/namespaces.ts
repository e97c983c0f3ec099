import { Refusal } from '../base/refusal.js';
import type { Name } from './names.js';

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** The namespace declarations in force: a stack, with the newest of each prefix found at once however many there are. */
export class Namespaces {
  /** Declarations in force, `xml` not counted. */
  count = 0;
  readonly #prefixes: string[] = [];
  readonly #uris: string[] = [];
  /** The declaration of the same prefix that this one hides, or -1. */
  readonly #hidden: number[] = [];
  readonly #newest = new Map<string, number>();
  /** Where the declarations of each element that has some begin, and the scope to go back to. */
  readonly #marks: number[] = [];
  readonly #scopes: number[] = [];
  #scope = 0;
  /** First declaration of the start tag being read. */
  #first = 0;

  reset(): void {
    this.count = 0;
    this.#newest.clear();
    this.#marks.length = 0;
    this.#scopes.length = 0;
    this.#first = 0;
    this.#scope = nextScope();
  }

  /** A start tag begins. */
  begin(): void {
    this.#first = this.count;
  }

  /** Declarations on the start tag being read. */
  get declared(): number {
    return this.count - this.#first;
  }

  /** Binds a prefix ('' for the default) for the tag being read. Throws a `Refusal`; Namespaces 1.0 sections 3 to 5. */
  declare(prefix: string, uri: string, offset: number): void {
    if (prefix === 'xmlns' || uri === XMLNS_NAMESPACE || (prefix === 'xml') !== (uri === XML_NAMESPACE)) {
      throw new Refusal('XML_NS_ERROR', `reserved namespace at byte ${offset}`);
    }
    if (uri === '' && prefix !== '') throw new Refusal('XML_NS_ERROR', `prefix undeclared at byte ${offset}`);
    const hidden = this.#newest.get(prefix) ?? -1;
    if (hidden >= this.#first) throw new Refusal('XML_NOT_WELLFORMED', `duplicate attribute at byte ${offset}`);
    this.#prefixes[this.count] = prefix;
    this.#uris[this.count] = uri;
    this.#hidden[this.count] = hidden;
    this.#newest.set(prefix, this.count++);
  }

  /** The start tag is complete. True when it declared something: then `leave` is due at its end. */
  enter(): boolean {
    if (this.count === this.#first) return false;
    this.#marks.push(this.#first);
    this.#scopes.push(this.#scope);
    this.#scope = nextScope();
    return true;
  }

  /** An element ends for which `enter` said true. */
  leave(): void {
    const mark = this.#marks.pop() ?? 0;
    while (this.count > mark) {
      this.count--;
      const prefix = this.#prefixes[this.count]!;
      const hidden = this.#hidden[this.count]!;
      if (hidden < 0) this.#newest.delete(prefix);
      else this.#newest.set(prefix, hidden);
    }
    this.#scope = this.#scopes.pop() ?? 0;
  }

  /** What the name's prefix means for an element. Throws a `Refusal` when it means nothing. */
  uriOf(name: Name, offset: number): string {
    if (name.scope === this.#scope) return name.uri;
    const uri = this.find(name.prefix);
    if (uri === null) throw new Refusal('XML_NS_ERROR', `unbound prefix at byte ${offset}`);
    name.uri = uri;
    name.scope = this.#scope;
    return uri;
  }

  /** What a prefix is bound to; '' for the default where none is declared; null for a prefix that is not bound. */
  find(prefix: string): string | null {
    const index = this.#newest.get(prefix);
    if (index !== undefined) return this.#uris[index]!;
    if (prefix === '') return '';
    return prefix === 'xml' ? XML_NAMESPACE : null;
  }

  /** Whether the start tag being read declares a namespace with this URI. */
  declares(uri: string): boolean {
    for (let i = this.#first; i < this.count; i++) if (this.#uris[i] === uri) return true;
    return false;
  }
}

let scopes = 0;

/** A number no other scope of any message has or had: names remember their meaning by it. */
const nextScope = (): number => ++scopes;
