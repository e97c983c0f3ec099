import { Refusal } from '../core/index.js';
import type { NamespaceBinding } from './events.js';
import type { Name } from './names.js';

export const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** The declarations of one start tag, kept for the next message. */
export interface Declarations {
  readonly prefixes: readonly string[];
  readonly uris: readonly string[];
  /**
   * The scope it opened the last time, and the one around it: in equal scopes names keep their
   * namespaces.
   */
  outerScope: number;
  innerScope: number;
}

/**
 * The namespace declarations in force: a stack, searched from its top while it is low and by an
 * index beyond.
 */
export class Namespaces {
  /** Declarations in force, `xml` not counted. */
  count = 0;
  /**
   * The number of the scope in force, by which names cache their namespace. Equal numbers mean
   * equal declarations.
   */
  scope = ROOT_SCOPE;
  readonly #prefixes: string[] = [];
  readonly #uris: string[] = [];
  /**
   * The newest of the first `#indexed` declarations, by prefix. `#hidden` has the declaration that
   * each one hides, or -1.
   */
  readonly #newest = new Map<string, number>();
  readonly #hidden: number[] = [];
  #indexed = 0;
  /**
   * The first declaration of each open element that has some; `#scopes` has the scope to return to.
   */
  readonly #marks: number[] = [];
  readonly #scopes: number[] = [];
  /** First declaration of the start tag being read. */
  #first = 0;
  /** The declarations of the start tag being read, where it is cached. */
  #known: Declarations | null = null;

  reset(): void {
    this.count = 0;
    if (this.#indexed > 0) {
      this.#newest.clear();
    }
    this.#indexed = 0;
    // A message that was read to its end has left none.
    if (this.#marks.length > 0) {
      this.#marks.length = 0;
      this.#scopes.length = 0;
    }
    this.#first = 0;
    this.#known = null;
    this.scope = ROOT_SCOPE;
  }

  /** A start tag begins. */
  begin(): void {
    this.#first = this.count;
    this.#known = null;
  }

  /** Declarations on the start tag being read. */
  get declared(): number {
    return this.count - this.#first;
  }

  /** The prefix of a declaration of the start tag being read. */
  declaredPrefix(index: number): string {
    return index < this.declared ? this.#prefixes[this.#first + index]! : '';
  }

  declaredUri(index: number): string {
    return index < this.declared ? this.#uris[this.#first + index]! : '';
  }

  /** The declarations in force, each prefix once, in the order of their first one. */
  inScope(): readonly NamespaceBinding[] {
    const uris = new Map<string, string>();
    for (let index = 0; index < this.count; index++) {
      uris.set(this.#prefixes[index]!, this.#uris[index]!);
    }
    return Array.from(uris, ([prefix, uri]) => ({ prefix, uri }));
  }

  /**
   * Binds a prefix ('' for the default) for the tag being read. Throws a `Refusal`; Namespaces 1.0
   * sections 3 to 5.
   */
  declare(prefix: string, uri: string, offset: number): void {
    if (
      prefix === 'xmlns' ||
      uri === XMLNS_NAMESPACE ||
      (prefix === 'xml') !== (uri === XML_NAMESPACE)
    ) {
      throw new Refusal('XML_NS_ERROR', 'a reserved prefix or namespace', {
        facts: { offsetBytes: offset },
      });
    }
    if (uri === '' && prefix !== '') {
      throw new Refusal('XML_NS_ERROR', 'a prefix that is bound to no namespace', {
        facts: { offsetBytes: offset },
      });
    }
    if (this.#newestOf(prefix) >= this.#first) {
      throw new Refusal('XML_NOT_WELLFORMED', 'an attribute that comes twice', {
        facts: { offsetBytes: offset },
      });
    }
    this.#prefixes[this.count] = prefix;
    this.#uris[this.count++] = uri;
  }

  /** Binds the declarations of a cached start tag. */
  declareCached(known: Declarations): void {
    const { prefixes, uris } = known;
    for (let i = 0; i < prefixes.length; i++) {
      this.#prefixes[this.count] = prefixes[i]!;
      this.#uris[this.count++] = uris[i]!;
    }
    this.#known = known;
  }

  /** The declarations of the start tag being read. */
  declarations(): Declarations {
    return {
      prefixes: this.#prefixes.slice(this.#first, this.count),
      uris: this.#uris.slice(this.#first, this.count),
      outerScope: NO_SCOPE,
      innerScope: NO_SCOPE,
    };
  }

  /** The start tag is complete. True when it declared something: then `leave` is due at its end. */
  enter(): boolean {
    if (this.count === this.#first) return false;
    this.#marks.push(this.#first);
    this.#scopes.push(this.scope);
    const known = this.#known;
    if (known === null) {
      this.scope = nextScope();
      return true;
    }
    if (known.outerScope !== this.scope) {
      known.outerScope = this.scope;
      known.innerScope = nextScope();
    }
    this.scope = known.innerScope;
    return true;
  }

  /** Leaves an element for which `enter` returned true. */
  leave(): void {
    const mark = this.#marks.pop() ?? 0;
    while (this.#indexed > mark) {
      const prefix = this.#prefixes[--this.#indexed]!;
      const hidden = this.#hidden[this.#indexed]!;
      if (hidden < 0) {
        this.#newest.delete(prefix);
      } else {
        this.#newest.set(prefix, hidden);
      }
    }
    this.count = mark;
    this.scope = this.#scopes.pop() ?? ROOT_SCOPE;
  }

  /** The namespace of an element's name. Throws a `Refusal` where its prefix is not bound. */
  uriOf(name: Name, offset: number): string {
    if (name.scope === this.scope) return name.uri;
    const uri = this.find(name.prefix);
    if (uri === null) {
      throw new Refusal('XML_NS_ERROR', 'a prefix that is not declared', {
        facts: { offsetBytes: offset },
      });
    }
    name.uri = uri;
    name.scope = this.scope;
    return uri;
  }

  /** The prefix of a declaration in force; the newest has the index `count - 1`. */
  prefixAt(index: number): string {
    return this.#prefixes[index]!;
  }

  /** The namespace of a declaration in force. */
  uriAt(index: number): string {
    return this.#uris[index]!;
  }

  /**
   * The namespace a prefix is bound to; '' for the default where none is declared; null for a
   * prefix that is not bound.
   */
  find(prefix: string): string | null {
    const index = this.#newestOf(prefix);
    if (index >= 0) return this.#uris[index]!;
    if (prefix === '') return '';
    return prefix === 'xml' ? XML_NAMESPACE : null;
  }

  /** Whether the start tag being read declares a namespace with this URI. */
  declares(uri: string): boolean {
    for (let i = this.#first; i < this.count; i++) {
      if (this.#uris[i] === uri) return true;
    }
    return false;
  }

  /** The newest declaration of a prefix, or -1. */
  #newestOf(prefix: string): number {
    if (this.count > FEW) return this.#newestByIndex(prefix);
    let index = this.count - 1;
    while (index >= 0 && this.#prefixes[index] !== prefix) {
      index--;
    }
    return index;
  }

  #newestByIndex(prefix: string): number {
    for (; this.#indexed < this.count; this.#indexed++) {
      const added = this.#prefixes[this.#indexed]!;
      this.#hidden[this.#indexed] = this.#newest.get(added) ?? -1;
      this.#newest.set(added, this.#indexed);
    }
    return this.#newest.get(prefix) ?? -1;
  }
}

/** Up to here a search is faster than an index. */
const FEW = 16;

/** The scope in which nothing is declared. */
const ROOT_SCOPE = 1;
/** Never in force. */
const NO_SCOPE = 0;
let scopes = ROOT_SCOPE;

/** A number no other scope of any message has or had. */
const nextScope = (): number => ++scopes;
