import type { xsd } from '../../wsdl/index.js';
import { type CharSet, has } from '../pattern/charset.js';
import { buildNfa, isTooLarge, NEVER, type Nfa } from '../pattern/nfa.js';
import { parsePattern } from '../pattern/parse.js';

/** Texts that a search comes through, and their characters. */
const STEPS_MAX = 4000;
const CHARACTERS_MAX = 512;

const USUAL = 'aA10bBcdefghijklmnopqrstuvwxyzCDEFGHIJKLMNOPQRSTUVWXYZ23456789-. @_:/+,;#()*!$%=?~';

/** A beginning of a text, and the states that it leads to in each automaton. */
interface Beginning {
  readonly text: string;
  readonly length: number;
  readonly states: readonly (readonly number[])[];
}

/**
 * Texts that match all patterns at once and have a length within the facets, shortest first. Of
 * those that lead to the same states one is given; the search ends after some thousand steps.
 */
export function* textsOfPatterns(facets: xsd.Facets): Generator<string> {
  const automata = facets.patterns.flatMap((pattern) => {
    const parsed = parsePattern(pattern);
    return 'unsupported' in parsed || isTooLarge(parsed) ? [] : [buildNfa(parsed)];
  });
  if (automata.length === 0) return;
  const least = facets.length ?? facets.minLength ?? 0;
  const most = Math.min(facets.length ?? facets.maxLength ?? CHARACTERS_MAX, CHARACTERS_MAX);
  const characters = charactersOf(automata);
  const seen = new Set<string>();
  const start = automata.map((nfa) => reached(nfa, [nfa.start]));
  const queue: Beginning[] = [{ text: '', length: 0, states: start }];
  for (let at = 0; at < Math.min(queue.length, STEPS_MAX); at++) {
    const { text, length, states } = queue[at] ?? { text: '', length: 0, states: [] };
    if (length >= least && automata.every((nfa, index) => states[index]?.includes(nfa.end))) {
      yield text;
    }
    if (length === most) continue;
    for (const character of characters) {
      const next = automata.map((nfa, index) => stepped(nfa, states[index] ?? [], character));
      const key = `${Math.min(length + 1, least)} ${next.join(' ')}`;
      if (next.some((each) => each.length === 0) || seen.has(key)) continue;
      seen.add(key);
      queue.push({ text: text + character, length: length + 1, states: next });
    }
  }
}

/** The first of the characters that are in the same sets. */
function charactersOf(automata: readonly Nfa[]): readonly string[] {
  const sets = automata.flatMap(({ charSets }) => charSets);
  const classes = new Map<string, string>();
  for (const character of [...USUAL, ...sets.flatMap((set) => rareCharacter(set) ?? [])]) {
    const code = character.codePointAt(0) ?? 0;
    const members = sets.map((set) => (has(set, code) ? 1 : 0)).join('');
    if (members.includes('1') && !classes.has(members)) {
      classes.set(members, character);
    }
  }
  return [...classes.values()];
}

/** A character of a set that has no usual one; null for none below U+2FFF. */
function rareCharacter(set: CharSet): string | null {
  if ([...USUAL].some((character) => has(set, character.codePointAt(0) ?? 0))) return null;
  for (let code = 0x20; code < 0x2fff; code++) {
    if (has(set, code)) return String.fromCodePoint(code);
  }
  return null;
}

function stepped(nfa: Nfa, states: readonly number[], character: string): readonly number[] {
  const code = character.codePointAt(0) ?? 0;
  const next = states.filter((state) => {
    const set = nfa.charSets[nfa.sets[state] ?? NEVER];
    return set !== undefined && has(set, code);
  });
  return reached(
    nfa,
    next.map((state) => nfa.after[state] ?? nfa.end),
  );
}

/** The states, and those that are reached from them without a character, in order. */
function reached({ empties }: Nfa, from: readonly number[]): readonly number[] {
  const found = new Set<number>();
  const left = [...from];
  for (let state = left.pop(); state !== undefined; state = left.pop()) {
    if (found.has(state)) continue;
    found.add(state);
    left.push(...(empties[state] ?? []));
  }
  return [...found].sort((one, other) => one - other);
}
