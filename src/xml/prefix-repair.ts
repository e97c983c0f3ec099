/**
 * The namespace that a prefix which nothing declares is known for; null for any other. `isRoot`: it
 * is that of the document element. `isDeclared`: whether a namespace is declared there.
 */
export type KnownNamespace = (
  prefix: string,
  isRoot: boolean,
  isDeclared: (uri: string) => boolean,
) => string | null;

/** The namespace of a prefix that nothing declares, and that is known for none. */
const UNDECLARED = 'urn:soapstone:undeclared:';

/** Units of a start tag that are held at most; from a longer one on nothing is changed. */
const TAG_UNITS_MAX = 64 * 1024;

/** Sections that are no tags, with their ends. */
const SECTIONS: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const LONGEST_START = 9;

/** What one start tag says of prefixes. */
interface TagNames {
  /** Each prefix that is used, once. */
  readonly used: ReadonlySet<string>;
  /** Those in names of types: `xsi:type="xsd:int"`. */
  readonly inValues: ReadonlySet<string>;
  /** What the tag declares, by prefix; '' is the default namespace. */
  readonly declared: ReadonlyMap<string, string>;
}

/**
 * Declares the prefixes that a document uses and does not declare, on the tag that uses them, while
 * it streams. Units are bytes as Latin-1, or those of UTF-16: names are compared as they came.
 */
export class PrefixRepair {
  readonly #known: KnownNamespace;
  readonly #onRepair: () => void;
  /** What is not passed on yet: the beginning of markup. */
  #held = '';
  /** Units of a held tag that were looked at, and the quote that is open there. */
  #seen = 0;
  #quote = '';
  /** The end of the section that is open; '' for none. */
  #end = '';
  /** Nothing more is changed: a DOCTYPE, or a tag that is too long. */
  #isOver = false;
  /** What each open element declares. */
  readonly #open: ReadonlyMap<string, string>[] = [];
  /** How often each prefix, and each namespace, is declared by open elements. */
  readonly #prefixes = new Map<string, number>();
  readonly #uris = new Map<string, number>();

  constructor(known: KnownNamespace, onRepair: () => void) {
    this.#known = known;
    this.#onRepair = onRepair;
  }

  write(text: string): string {
    if (this.#isOver) return text;
    this.#held += text;
    let out = '';
    for (;;) {
      const piece = this.#next();
      if (piece === '') return out;
      out += piece;
    }
  }

  /** The document is over: returns what was held. */
  end(): string {
    return this.#take(this.#held.length);
  }

  /** The next piece that is known; '' while more is needed. */
  #next(): string {
    if (this.#held === '' || this.#isOver) return this.#take(this.#held.length);
    if (this.#end !== '') return this.#nextOfSection();
    const begin = this.#held.indexOf('<');
    if (begin !== 0) return this.#take(begin < 0 ? this.#held.length : begin);
    const section = SECTIONS.find(([start]) => this.#held.startsWith(start));
    if (section !== undefined) {
      this.#end = section[1];
      return this.#take(section[0].length);
    }
    const isMarkup = this.#held.startsWith('<!');
    if (isMarkup && this.#held.length >= LONGEST_START) return this.#passAll();
    return isMarkup || this.#held.length < 2 ? '' : this.#nextTag();
  }

  #nextOfSection(): string {
    const at = this.#held.indexOf(this.#end);
    if (at >= 0) {
      const length = at + this.#end.length;
      this.#end = '';
      return this.#take(length);
    }
    // The last units may be the beginning of the end.
    return this.#take(Math.max(0, this.#held.length - this.#end.length + 1));
  }

  #nextTag(): string {
    const length = this.#tagLength();
    if (length === 0) return this.#held.length > TAG_UNITS_MAX ? this.#passAll() : '';
    const tag = this.#take(length);
    if (!tag.startsWith('</')) return this.#repaired(tag);
    this.#leave();
    return tag;
  }

  /** Units of the tag at the beginning; 0 while its end is not there. */
  #tagLength(): number {
    for (let at = Math.max(1, this.#seen); at < this.#held.length; at++) {
      const unit = this.#held[at] ?? '';
      if (this.#quote !== '') {
        if (unit === this.#quote) {
          this.#quote = '';
        }
      } else if (unit === '"' || unit === "'") {
        this.#quote = unit;
      } else if (unit === '>') {
        return at + 1;
      }
    }
    this.#seen = this.#held.length;
    return 0;
  }

  #repaired(tag: string): string {
    const { used, inValues, declared } = namesOf(tag);
    const bindings = new Map(declared);
    for (const prefix of [...used, ...inValues]) {
      if (bindings.has(prefix) || this.#prefixes.has(prefix)) continue;
      const uri = this.#meant(prefix, declared, used.has(prefix));
      if (uri !== null) bindings.set(prefix, uri);
    }
    const added = [...bindings].slice(declared.size);
    const isEmpty = tag.endsWith('/>');
    if (!isEmpty) {
      this.#enter(bindings);
    }
    if (added.length === 0) return tag;
    this.#onRepair();
    const end = isEmpty ? '/>' : '>';
    const declarations = added.map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
    return tag.slice(0, -end.length) + declarations.join('') + end;
  }

  /**
   * The namespace that a prefix is known for, else the default one that its own tag declares. In a
   * value, null for one that is not known: its reader decides.
   */
  #meant(prefix: string, declared: ReadonlyMap<string, string>, isOfName: boolean): string | null {
    const isRoot = isOfName && this.#open.length === 0;
    const own = new Set(declared.values());
    const known = this.#known(prefix, isRoot, (uri) => own.has(uri) || this.#uris.has(uri));
    if (known !== null || !isOfName) return known;
    return declared.get('') ?? `${UNDECLARED}${prefix}`;
  }

  #enter(bindings: ReadonlyMap<string, string>): void {
    this.#open.push(bindings);
    for (const [prefix, uri] of bindings) {
      count(this.#prefixes, prefix, 1);
      count(this.#uris, uri, 1);
    }
  }

  #leave(): void {
    for (const [prefix, uri] of this.#open.pop() ?? []) {
      count(this.#prefixes, prefix, -1);
      count(this.#uris, uri, -1);
    }
  }

  #passAll(): string {
    this.#isOver = true;
    return this.#take(this.#held.length);
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#seen = 0;
    return taken;
  }
}

function count(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}

/** Attributes whose values are names of types. */
const TYPE_NAMES = /:(?:type|arrayType|itemType)$/;

const PREFIX = /^[\w.\-\x80-\uffff]+$/;

function namesOf(tag: string): TagNames {
  const used = new Set<string>();
  const inValues = new Set<string>();
  const declared = new Map<string, string>();
  const use = (name: string, prefixes: Set<string>): void => {
    const colon = name.indexOf(':');
    const prefix = name.slice(0, Math.max(0, colon));
    if (prefix !== 'xml' && PREFIX.test(prefix)) prefixes.add(prefix);
  };
  use(/^<([^\s/>]*)/.exec(tag)?.[1] ?? '', used);
  for (const [, name = '', value = ''] of tag.matchAll(
    /\s([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')/g,
  )) {
    const uri = value.slice(1, -1);
    if (name === 'xmlns') declared.set('', uri);
    else if (name.startsWith('xmlns:')) declared.set(name.slice(6), uri);
    else use(name, used);
    if (TYPE_NAMES.test(name)) use(uri.trim(), inValues);
  }
  return { used, inValues, declared };
}
