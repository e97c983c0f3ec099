import { getOrMake } from '../../core/index.js';
import { isNcName } from '../../xml/index.js';

/** A set of characters: those in `parts`, or those in none of them, except those in `without`. */
export interface CharSet {
  readonly negated: boolean;
  readonly parts: readonly CharPart[];
  readonly without: CharSet | null;
}

export type CharPart =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** Many ranges: first and last characters in turn, in order, none touching another. */
  | { readonly kind: 'ranges'; readonly ends: readonly number[] }
  | { readonly kind: 'class'; readonly name: string; readonly test: (code: number) => boolean }
  | { readonly kind: 'set'; readonly set: CharSet };

/**
 * Whether a character is in a set. Recursion is as deep as the sets are written into each other,
 * which is bounded.
 */
export function has(set: CharSet, code: number): boolean {
  const found = set.parts.some((part) => {
    if (part.kind === 'range') return code >= part.from && code <= part.to;
    if (part.kind === 'ranges') return isWithin(part.ends, code);
    return part.kind === 'class' ? part.test(code) : has(part.set, code);
  });
  return found !== set.negated && (set.without === null || !has(set.without, code));
}

/** The cost of a look-up in a set, in parts of it. */
export function charsetCost({ parts, without }: CharSet): number {
  const own = parts.reduce(
    (sum, part) => sum + (part.kind === 'set' ? charsetCost(part.set) : 1),
    0,
  );
  return own + (without === null ? 0 : charsetCost(without));
}

/** Equal for sets that are written alike. */
export function charsetKey({ negated, parts, without }: CharSet): string {
  const shown = parts.map((part) => {
    if (part.kind === 'range') return `${part.from}-${part.to}`;
    if (part.kind === 'ranges') return part.ends.join('-');
    return part.kind === 'class' ? part.name : charsetKey(part.set);
  });
  return (
    `[${negated ? '^' : ''}${shown.join()}` +
    `${without === null ? '' : `~${charsetKey(without)}`}]`
  );
}

export const setOf = (
  parts: readonly CharPart[],
  negated = false,
  without: CharSet | null = null,
): CharSet => ({
  negated,
  parts: parts.length > FEW ? joined(parts) : parts,
  without,
});

const FEW = 8;

/** Joins the ranges of the parts into one; the other parts stay. */
function joined(parts: readonly CharPart[]): readonly CharPart[] {
  const ranges = parts.filter((part) => part.kind === 'range').sort((a, b) => a.from - b.from);
  const ends: number[] = [];
  for (const { from, to } of ranges) {
    const last = ends.at(-1);
    if (last === undefined || from > last + 1) {
      ends.push(from, to);
    } else if (to > last) {
      ends[ends.length - 1] = to;
    }
  }
  return [{ kind: 'ranges', ends }, ...parts.filter((part) => part.kind !== 'range')];
}

/** Binary search. */
function isWithin(ends: readonly number[], code: number): boolean {
  let low = 0;
  let high = ends.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code > (ends[2 * middle + 1] ?? 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < ends.length / 2 && code >= (ends[2 * low] ?? 0);
}

export const range = (from: number, to = from): CharPart => ({ kind: 'range', from, to });

/** `.`: anything but the ends of lines. */
export const DOT: CharSet = setOf([range(0x0a), range(0x0d)], true);

const named = (name: string, test: (code: number) => boolean): CharPart => ({
  kind: 'class',
  name,
  test,
});

const NAME_START = named('i', (code) => code === 0x3a || isNcName(String.fromCodePoint(code)));
const NAME_CHAR = named('c', (code) => code === 0x3a || isNcName(`_${String.fromCodePoint(code)}`));

/**
 * The escapes that stand for many characters, in lower case; in upper case they stand for all
 * others.
 */
const ESCAPES: ReadonlyMap<string, readonly CharPart[]> = new Map([
  ['s', [range(0x20), range(0x09), range(0x0a), range(0x0d)]],
  ['i', [NAME_START]],
  ['c', [NAME_CHAR]],
]);

/** The set of `\s`, `\I`, `\d` and their like, or null. */
export function multiCharacterEscape(letter: string): CharSet | null {
  const lower = letter.toLowerCase();
  const negated = letter !== lower;
  const parts = ESCAPES.get(lower);
  if (parts !== undefined) return setOf(parts, negated);
  if (lower === 'd') return setOf([category('Nd')], negated);
  if (lower === 'w') return setOf([category('P'), category('Z'), category('C')], !negated);
  return null;
}

/** General categories of Unicode (XSD 1.0 part 2, appendix F.1.1). */
const CATEGORIES: ReadonlySet<string> = new Set(
  (
    'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm ' +
    'Sc Sk So C Cc Cf Co Cn'
  ).split(' '),
);

const made = new Map<string, CharPart>();

/** The class of `\p{name}` for a general category, or null. */
export const categoryNamed = (name: string): CharPart | null =>
  CATEGORIES.has(name) ? category(name) : null;

function category(name: string): CharPart {
  return getOrMake(made, name, () => {
    // The expression is made of one of the names above, and applied to one character at a time.
    const expression = new RegExp(`^\\p{${name}}$`, 'u');
    return named(`p${name}`, (code) => expression.test(String.fromCodePoint(code)));
  });
}
