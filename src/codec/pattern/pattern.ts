import { Automaton } from './automaton.js';
import { type CharSet, charsetCost, has } from './charset.js';
import { buildNfa, isTooLarge } from './nfa.js';
import { type PatternNode, parsePattern } from './parse.js';

/** A compiled XSD regular expression, which matches in linear time. */
export interface Pattern {
  /**
   * Whether all of `text` matches. No recursion, no backtracking; each character costs a look-up
   * once warm.
   */
  matches(text: string): boolean;
}

/**
 * Compiles a regular expression of XSD 1.0 part 2, appendix F, into an automaton. One that is
 * malformed, of another dialect or too large is answered with the reason, for a warning.
 */
export function compilePattern(pattern: string): Pattern | { readonly unsupported: string } {
  const parsed = parsePattern(pattern);
  if ('unsupported' in parsed) return parsed;
  const run = runOf(parsed);
  if (run !== null) return run;
  if (isTooLarge(parsed)) return { unsupported: 'it counts too far' };
  // Schemas declare many types that no message ever has.
  let automaton: Automaton | null = null;
  return {
    matches: (text) => {
      automaton ??= new Automaton(buildNfa(parsed));
      return automaton.matches(text);
    },
  };
}

/** A number of characters of one set, the most common pattern: counted, without an automaton. */
function runOf(pattern: PatternNode): Pattern | null {
  let node = pattern;
  while (node.kind === 'sequence' && node.parts.length === 1 && node.parts[0] !== undefined) {
    node = node.parts[0];
  }
  if (node.kind !== 'repeat' || node.part.kind !== 'set') return null;
  const { min, max } = node;
  const { set } = node.part;
  if (charsetCost(set) > MAX_COST) return null;
  const ascii = Array.from({ length: 128 }, (_, code) => has(set, code));
  return { matches: (text) => isRun(text, set, ascii, min, max) };
}

/** Parts of a set that are tested for every character beyond ASCII. */
const MAX_COST = 64;

function isRun(
  text: string,
  set: CharSet,
  ascii: readonly boolean[],
  min: number,
  max: number,
): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) {
      at += 1;
    }
    if (count === max || !(ascii[code] ?? has(set, code))) return false;
    count += 1;
  }
  return count >= min;
}
