import { getOrMake } from '../../core/index.js';
import { type CharSet, charsetKey } from './charset.js';
import type { PatternNode } from './parse.js';

/** A non-deterministic automaton (Thompson's construction), as tables by state. */
export interface Nfa {
  readonly start: number;
  readonly end: number;
  /** The set of `charSets` that leads on from a state; `NEVER` where no character does. */
  readonly sets: readonly number[];
  /** The state a character leads to. */
  readonly after: readonly number[];
  /** The states that are reached without a character. */
  readonly empties: readonly (readonly number[])[];
  /** Each set that is used, once. */
  readonly charSets: readonly CharSet[];
}

export const NEVER = -1;

/** Counted repetition is written out, so large counts make large automata. */
const MAX_STATES = 10_000;

/** The automaton of a parsed pattern that is not too large. Recursion is as deep as the groups. */
export function buildNfa(pattern: PatternNode): Nfa {
  const builder = new Builder();
  const end = builder.addState();
  const start = builder.build(pattern, end);
  return {
    start,
    end,
    sets: builder.sets,
    after: builder.after,
    empties: builder.empties,
    charSets: builder.charSets,
  };
}

/**
 * Whether a pattern has more states than allowed. `NaN`, from counts beyond all numbers, is too
 * large.
 */
export const isTooLarge = (pattern: PatternNode): boolean => !(sizeOf(pattern) <= MAX_STATES);

/** The number of states; at least one for each node, so that counting an empty group costs too. */
function sizeOf(node: PatternNode): number {
  if (node.kind === 'set') return 1;
  if (node.kind !== 'repeat') return node.parts.reduce((size, part) => size + sizeOf(part), 1);
  const size = sizeOf(node.part);
  const optional = node.max === Infinity ? 1 : node.max - node.min;
  return node.min * size + optional * (size + 1);
}

class Builder {
  readonly sets: number[] = [];
  readonly after: number[] = [];
  readonly empties: (readonly number[])[] = [];
  readonly charSets: CharSet[] = [];
  /** A counted set is met often; sets that are written alike are one. */
  readonly #same = new Map<CharSet, number>();
  readonly #known = new Map<string, number>();

  addState(empties: readonly number[] = NONE): number {
    this.sets.push(NEVER);
    this.after.push(0);
    this.empties.push(empties);
    return this.sets.length - 1;
  }

  /**
   * The first state of `node`, which ends at `end`. Built from the end on, so nothing is patched
   * but loops.
   */
  build(node: PatternNode, end: number): number {
    if (node.kind === 'repeat') return this.#repeat(node, end);
    if (node.kind !== 'set') {
      if (node.kind === 'choice') {
        return this.addState(node.parts.map((part) => this.build(part, end)));
      }
      return node.parts.reduceRight((at, part) => this.build(part, at), end);
    }
    const state = this.addState();
    this.sets[state] = this.#set(node.set);
    this.after[state] = end;
    return state;
  }

  /** `x{2,4}` is `xx(x(x)?)?`: whichever branch is taken, few states are live at once. */
  #repeat({ part, min, max }: PatternNode & { readonly kind: 'repeat' }, end: number): number {
    let at = end;
    if (max === Infinity) {
      at = this.addState();
      this.empties[at] = [end, this.build(part, at)];
    } else {
      for (let count = min; count < max; count += 1) {
        at = this.addState([end, this.build(part, at)]);
      }
    }
    for (let count = 0; count < min; count += 1) {
      at = this.build(part, at);
    }
    return at;
  }

  #set(set: CharSet): number {
    return getOrMake(this.#same, set, () => {
      const key = charsetKey(set);
      const index = this.#known.get(key) ?? this.charSets.length;
      if (index === this.charSets.length) {
        this.charSets.push(set);
      }
      this.#known.set(key, index);
      return index;
    });
  }
}

const NONE: readonly number[] = [];
