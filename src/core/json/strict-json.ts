/** Bounds of a JSON text, checked before it is parsed: `JSON.parse` builds everything at once. */
export interface JsonBounds {
  /** Objects and lists within each other. */
  readonly levels: number;
  /** Objects, lists, and commas. */
  readonly parts: number;
  /** Members of all objects. */
  readonly members: number;
}

const UNBOUNDED: JsonBounds = { levels: Infinity, parts: Infinity, members: Infinity };

/** A JSON text beyond its bounds. */
export class JsonBoundsError extends Error {
  readonly bound: keyof JsonBounds;

  constructor(bound: keyof JsonBounds) {
    super('more than allowed');
    this.name = 'JsonBoundsError';
    this.bound = bound;
  }
}

/**
 * Parses a JSON text. Throws a `SyntaxError` also where an object has two members of one name:
 * readers disagree about which of them counts, so that a check of one could miss the other. Throws
 * a `JsonBoundsError` for more than the bounds allow, before anything of it is built.
 */
export function parseStrictJson(text: string, bounds: JsonBounds = UNBOUNDED): unknown {
  scan(text, bounds);
  return JSON.parse(text);
}

/** Scans a text once from left to right, and throws for duplicate members and exceeded bounds. */
function scan(text: string, { levels, parts: partsMax, members: membersMax }: JsonBounds): void {
  /** The names so far of every object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  let parts = 0;
  let members = 0;
  let strings = 0;
  for (let at = nextMark(text, 0); at < text.length; at = nextMark(text, at + 1)) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        isName = text.charCodeAt(at) === OPEN_BRACE;
        open.push(isName ? new Set() : null);
        if (open.length > levels) throw new JsonBoundsError('levels');
        if (++parts > partsMax) throw new JsonBoundsError('parts');
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = open.at(-1) != null;
        if (++parts > partsMax) throw new JsonBoundsError('parts');
        break;
      case QUOTE: {
        // Each is a member's name, or a value, of which there are no more than parts and members.
        if (++strings > 1 + partsMax + 2 * membersMax) throw new JsonBoundsError('parts');
        const end = endOfString(text, at);
        const names = isName ? open.at(-1) : null;
        if (names) {
          const name = nameOf(text.slice(at + 1, end));
          if (names.has(name)) throw new SyntaxError('two members of one name');
          if (++members > membersMax) throw new JsonBoundsError('members');
          names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      default:
    }
  }
}

const MARK = /["{}[\],]/g;

const MARKS: ReadonlySet<number> = new Set([...'"{}[],'].map((mark) => mark.charCodeAt(0)));

/**
 * The index of the next character that is no number, word or blank: a search of them is faster than
 * a look at each. Most follow each other, or a colon.
 */
function nextMark(text: string, from: number): number {
  const unit = text.charCodeAt(from);
  if (MARKS.has(unit)) return from;
  if (unit === COLON && MARKS.has(text.charCodeAt(from + 1))) return from + 1;
  MARK.lastIndex = from;
  return MARK.test(text) ? MARK.lastIndex - 1 : text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A name may be written with escapes. */
const nameOf = (written: string): string =>
  written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;

/**
 * Quotes that are searched for, and backslashes before one: where there are more, it takes less
 * time to look at each character.
 */
const SEARCHED_MAX = 16;

/** The index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  for (let searched = 1; quote !== -1; searched++) {
    let backslashes = 0;
    while (backslashes < SEARCHED_MAX && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) {
      backslashes++;
    }
    if (backslashes === SEARCHED_MAX) return endFrom(text, start + 1);
    if (backslashes % 2 === 0) return quote;
    if (searched === SEARCHED_MAX) return endFrom(text, quote + 1);
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

function endFrom(text: string, from: number): number {
  for (let at = from; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) {
      at += 2;
    } else if (unit === QUOTE) {
      return at;
    } else {
      at++;
    }
  }
  return text.length;
}
