import { blockNamed } from './blocks.js';
import {
  type CharPart,
  type CharSet,
  categoryNamed,
  DOT,
  multiCharacterEscape,
  range,
  setOf,
} from './charset.js';

/** A regular expression as a tree. `Infinity` is no upper bound. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly min: number;
      readonly max: number;
    };

const PATTERN_CHARS = 65_536;
const DEPTH = 200;

/**
 * Parses a regular expression by the grammar of XSD 1.0 part 2, appendix F, or returns the reason
 * why it is none.
 *
 * Expressions are anchored by themselves, and `^` and `$` are ordinary characters. Yet a branch
 * that begins with `^` and ends with `$` has them as anchors: .NET takes them so, the WSDLs written
 * for it use them, and a value that has both characters in these positions was not intended. Lazy
 * quantifiers and `(?:` do not change which texts match, so they are read too.
 */
export function parsePattern(pattern: string): PatternNode | { readonly unsupported: string } {
  if (pattern.length > PATTERN_CHARS) return { unsupported: 'it is too long' };
  const parser = new Parser(pattern);
  const node = parser.expression(0);
  if (parser.reason !== null) return { unsupported: parser.reason };
  return parser.isAtEnd ? node : { unsupported: 'a ) without its (' };
}

const EMPTY: PatternNode = { kind: 'sequence', parts: [] };

/** A recursive descent parser. Once a reason is set, the nodes it returns are to be ignored. */
class Parser {
  reason: string | null = null;
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  /**
   * Branches up to the end or a closing parenthesis. Recursion is as deep as the groups, which is
   * bounded.
   */
  expression(depth: number): PatternNode {
    if (depth > DEPTH) return this.#fail('groups are nested too deeply');
    const branches: PatternNode[] = [];
    do {
      branches.push(this.#branch(depth));
    } while (this.#take('|'));
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : { kind: 'choice', parts: branches };
  }

  #branch(depth: number): PatternNode {
    const pieces: PatternNode[] = [];
    const opensWithAnchor = this.#peek() === '^';
    let endsWithAnchor = false;
    while (this.reason === null && !this.isAtEnd && this.#peek() !== '|' && this.#peek() !== ')') {
      endsWithAnchor = this.#peek() === '$';
      const atom = this.#atom(depth);
      const piece = this.#quantified(atom);
      if (piece !== atom) {
        endsWithAnchor = false;
      }
      pieces.push(piece);
    }
    const isAnchored =
      opensWithAnchor && endsWithAnchor && pieces.length >= 2 && pieces[0]?.kind === 'set';
    return { kind: 'sequence', parts: isAnchored ? pieces.slice(1, -1) : pieces };
  }

  #quantified(atom: PatternNode): PatternNode {
    const bounds = this.#quantifier();
    if (bounds === null) return atom;
    this.#take('?');
    const { min, max } = bounds;
    if (max < min) return this.#fail('a quantifier whose bounds are in the wrong order');
    return max === 0 ? EMPTY : { kind: 'repeat', part: atom, min, max };
  }

  #quantifier(): { readonly min: number; readonly max: number } | null {
    if (this.#take('?')) return { min: 0, max: 1 };
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#peek() !== '{') return null;
    this.#at += 1;
    const min = this.#count();
    const max = this.#take(',') ? (this.#peek() === '}' ? Infinity : this.#count()) : min;
    if (min === null || max === null || !this.#take('}')) {
      this.#fail('a quantifier that is none');
      return null;
    }
    return { min, max };
  }

  #count(): number | null {
    let digits = '';
    while (/^[0-9]$/.test(this.#peek())) {
      digits += this.#next();
    }
    return digits === '' || digits.length > 9 ? null : Number(digits);
  }

  #atom(depth: number): PatternNode {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[':
        return { kind: 'set', set: this.#set(0) };
      case '.':
        return { kind: 'set', set: DOT };
      case '\\':
        return { kind: 'set', set: asSet(this.#escape()) };
      case '?':
      case '*':
      case '+':
      case '{':
        return this.#fail('a quantifier without what it counts');
      case ']':
        return this.#fail('a ] without its [');
      default:
        return { kind: 'set', set: asSet(codeOf(character)) };
    }
  }

  #group(depth: number): PatternNode {
    if (this.#take('?') && !this.#take(':')) {
      return this.#fail('groups that begin with (? are of another dialect');
    }
    const inner = this.expression(depth + 1);
    return this.#take(')') ? inner : this.#fail('a ( without its )');
  }

  /** A character class expression, behind its `[`. */
  #set(depth: number): CharSet {
    if (depth > DEPTH) {
      this.#fail('classes are nested too deeply');
    }
    const negated = this.#take('^');
    const parts: CharPart[] = [];
    while (this.reason === null && !this.#take(']')) {
      if (this.isAtEnd) {
        this.#fail('a [ without its ]');
      } else if (this.#peek() === '-' && this.#peek(1) === '[') {
        this.#at += 2;
        const without = this.#set(depth + 1);
        if (!this.#take(']') || parts.length === 0) {
          this.#fail('a subtraction that is not the end of its class');
        }
        return setOf(parts, negated, without);
      } else {
        parts.push(this.#part());
      }
    }
    if (parts.length === 0) {
      this.#fail('a class without characters');
    }
    return setOf(parts, negated);
  }

  /** A range, an escape or one character. A hyphen that cannot be that of a range is itself. */
  #part(): CharPart {
    const from = this.#member();
    const isRange =
      typeof from === 'number' &&
      this.#peek() === '-' &&
      this.#peek(1) !== ']' &&
      this.#peek(1) !== '[';
    if (typeof from !== 'number') return { kind: 'set', set: from };
    if (!isRange) return range(from);
    this.#at += 1;
    const to = this.#member();
    if (typeof to === 'number' && to >= from) return range(from, to);
    this.#fail('a range whose ends are in the wrong order');
    return range(from);
  }

  #member(): number | CharSet {
    const character = this.#next();
    if (character === '\\') return this.#escape();
    if (character === '[') {
      this.#fail('a [ inside a class');
    }
    return codeOf(character);
  }

  /** One character or a set of them, behind the backslash. */
  #escape(): number | CharSet {
    const letter = this.#next();
    if (letter === 'p' || letter === 'P') return this.#property(letter === 'P');
    const single = SINGLE.get(letter);
    if (single !== undefined) return single;
    // Authors escape what needs none: quotation marks, slashes, spaces.
    if (letter !== '' && !/^[\p{L}\p{N}]$/u.test(letter)) return codeOf(letter);
    const set = multiCharacterEscape(letter);
    if (set !== null) return set;
    this.#fail(letter === '' ? 'a \\ at its end' : `\\${letter} is of another dialect`);
    return 0;
  }

  #property(negated: boolean): CharSet {
    const end = this.#characters.indexOf('}', this.#at);
    const written =
      this.#take('{') && end !== -1 && end - this.#at <= 64
        ? this.#characters.slice(this.#at, end)
        : [];
    const name = written.join('');
    const part = name.startsWith('Is') ? blockNamed(name.slice(2)) : categoryNamed(name);
    this.#at = end + 1;
    if (part !== null) return setOf([part], negated);
    this.#fail('\\p of an unknown category or block');
    return setOf([]);
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  #next(): string {
    const character = this.#peek();
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #fail(reason: string): PatternNode {
    this.reason ??= reason;
    return EMPTY;
  }
}

const SINGLE: ReadonlyMap<string, number> = new Map([
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
]);

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

const asSet = (parsed: number | CharSet): CharSet =>
  typeof parsed === 'number' ? setOf([range(parsed)]) : parsed;
