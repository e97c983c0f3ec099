import type { StartTag } from '../../xml/index.js';

/** Longer words before a colon are no prefixes. */
const PREFIX_UNITS_MAX = 256;

/**
 * The namespaces of the prefixes in the text of one element. They are looked up while the element
 * is open, for its declarations are gone later. Bounded by the declarations in scope.
 */
export class ContentNames {
  readonly #tag: Pick<StartTag, 'namespace'>;
  /** The namespace of names without a prefix. */
  readonly #defaultUri: string;
  #bound: Map<string, string> | null = null;
  /** The beginning of a word whose end has not come. */
  #word = '';

  constructor(tag: Pick<StartTag, 'namespace'>) {
    this.#tag = tag;
    this.#defaultUri = tag.namespace('') ?? '';
  }

  /** The namespaces of prefixes that were found. */
  get bound(): ReadonlyMap<string, string> {
    return this.#bound ?? NONE;
  }

  /** Takes a chunk of the text. Linear, however it is cut. */
  add(chars: string): void {
    let from = 0;
    for (let colon = chars.indexOf(':'); colon >= 0; colon = chars.indexOf(':', from)) {
      const start = wordStart(chars, from, colon);
      this.#use((start === 0 ? this.#word : '') + chars.slice(start, colon));
      this.#word = '';
      from = colon + 1;
    }
    const start = wordStart(chars, from, chars.length);
    const word = (start === 0 ? this.#word : '') + chars.slice(start);
    this.#word = word.length > PREFIX_UNITS_MAX ? word.slice(-PREFIX_UNITS_MAX) : word;
  }

  /** Takes a whole text, or the value of an attribute. */
  addWhole(text: string): void {
    this.add(text);
    this.endRun();
  }

  /** Ends a run of text: a child begins. */
  endRun(): void {
    this.#word = '';
  }

  /**
   * A name of the text as `{namespace}name`; as it is where it is in none, or its prefix is not
   * bound.
   */
  qualified(name: string): string {
    const colon = name.indexOf(':');
    const uri = colon === -1 ? this.#defaultUri : (this.#bound?.get(name.slice(0, colon)) ?? '');
    return uri === '' ? name : `{${uri}}${name.slice(colon + 1)}`;
  }

  /** The namespace of a prefix that was found. Null for any other. */
  namespace(prefix: string): string | null {
    return prefix === '' ? this.#defaultUri : (this.#bound?.get(prefix) ?? null);
  }

  #use(prefix: string): void {
    if (prefix === '' || prefix.length >= PREFIX_UNITS_MAX || this.#bound?.has(prefix) === true) {
      return;
    }
    const uri = this.#tag.namespace(prefix);
    if (uri === null) return;
    this.#bound ??= new Map();
    this.#bound.set(prefix, uri);
  }
}

/** The names of a complete text. */
export function namesIn(tag: Pick<StartTag, 'namespace'>, text: string): ContentNames {
  const names = new ContentNames(tag);
  names.add(text);
  return names;
}

/**
 * Splits prefixes into those with one binding in all of an element (`shared`), and those declared
 * where they are used.
 */
export function sharedBindings(bound: Iterable<ReadonlyMap<string, string>>): {
  readonly shared: ReadonlyMap<string, string>;
  readonly own: ReadonlySet<string>;
} {
  const shared = new Map<string, string>();
  const own = new Set<string>();
  for (const bindings of bound) {
    for (const [prefix, uri] of bindings) {
      if (prefix === 'xml') continue;
      if ((shared.get(prefix) ?? uri) === uri) {
        shared.set(prefix, uri);
      } else {
        own.add(prefix);
      }
    }
  }
  for (const prefix of own) {
    shared.delete(prefix);
  }
  return { shared, own };
}

const NONE: ReadonlyMap<string, string> = new Map();

/** The start of the word that ends at `end`, not before `from`. */
export function wordStart(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && isNameUnit(text.charCodeAt(start - 1))) {
    start--;
  }
  return start;
}

/** Whether a UTF-16 unit may be in a name; true for more than the specification allows. */
export const isNameUnit = (unit: number): boolean =>
  unit >= 0x80 ||
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x2d ||
  unit === 0x2e ||
  unit === 0x5f;
