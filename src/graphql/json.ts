/**
 * The value of a JSON text. Throws a `SyntaxError` also where an object has two members of one name: readers disagree
 * about which of them counts, so what one of them has checked another may not see.
 */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (hasDuplicate(text)) throw new SyntaxError('two members of one name');
  return value;
}

/** Walks a text that is known to be JSON, once from left to right. */
function hasDuplicate(text: string): boolean {
  /** The names so far of every object that is open; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
        open.push(new Set());
        isName = true;
        break;
      case OPEN_BRACKET:
        open.push(null);
        isName = false;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        isName = false;
        break;
      case COMMA:
        isName = open.at(-1) != null;
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        const names = isName ? open.at(-1) : null;
        if (names) {
          const name = nameOf(text.slice(at + 1, end));
          if (names.has(name)) return true;
          names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      default:
    }
  }
  return false;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A name may be written with escapes. */
const nameOf = (written: string): string => (written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written);

/** The index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at++;
  }
  return text.length;
}
