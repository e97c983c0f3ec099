import { type CharSet, keyOf } from './charset.js';
import type { PatternNode } from './parse.js';

/** A non-deterministic automaton (Thompson's construction), as tables by place. */
export interface Program {
  readonly start: number;
  readonly end: number;
  /** The set of `charSets` that leads on from a place; `NEVER` where no character does. */
  readonly sets: readonly number[];
  /** The place a character leads to. */
  readonly after: readonly number[];
  /** The places that are reached without a character. */
  readonly empties: readonly (readonly number[])[];
  /** Each set that is used, once. */
  readonly charSets: readonly CharSet[];
}

export const NEVER = -1;

/** Counted repetition is written out, so large counts make large automata. */
const MAX_PLACES = 10_000;

/** The automaton of a parsed pattern that is not too large. Recursion is as deep as the groups. */
export function programOf(pattern: PatternNode): Program {
  const builder = new Builder();
  const end = builder.place();
  const start = builder.build(pattern, end);
  return { start, end, sets: builder.sets, after: builder.after, empties: builder.empties, charSets: builder.charSets };
}

/** What counts beyond all numbers has no size that could be compared. */
export const isTooLarge = (pattern: PatternNode): boolean => !(sizeOf(pattern) <= MAX_PLACES);

/** How many places there will be; at least one, so that to count nothing far has its price too. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'sequence':
    case 'choice':
      return node.parts.reduce((size, part) => size + sizeOf(part), 1);
    case 'repeat': {
      const size = sizeOf(node.part);
      const optional = node.max === Infinity ? 1 : node.max - node.min;
      return node.min * size + optional * (size + 1);
    }
  }
}

class Builder {
  readonly sets: number[] = [];
  readonly after: number[] = [];
  readonly empties: (readonly number[])[] = [];
  readonly charSets: CharSet[] = [];
  /** Sets that are counted come often, and sets that are written alike are one. */
  readonly #same = new Map<CharSet, number>();
  readonly #known = new Map<string, number>();

  place(empties: readonly number[] = NONE): number {
    this.sets.push(NEVER);
    this.after.push(0);
    this.empties.push(empties);
    return this.sets.length - 1;
  }

  /** The place where `node` begins that ends at `end`. Built from the end on, so nothing is patched but loops. */
  build(node: PatternNode, end: number): number {
    switch (node.kind) {
      case 'set': {
        const place = this.place();
        this.sets[place] = this.#set(node.set);
        this.after[place] = end;
        return place;
      }
      case 'sequence':
        return node.parts.reduceRight((at, part) => this.build(part, at), end);
      case 'choice':
        return this.place(node.parts.map((part) => this.build(part, end)));
      case 'repeat':
        return this.#repeat(node, end);
    }
  }

  /** `x{2,4}` is `xx(x(x)?)?`: whichever way is taken, few places are live at once. */
  #repeat({ part, min, max }: PatternNode & { readonly kind: 'repeat' }, end: number): number {
    let at = end;
    if (max === Infinity) {
      at = this.place();
      this.empties[at] = [end, this.build(part, at)];
    } else {
      for (let count = min; count < max; count += 1) at = this.place([end, this.build(part, at)]);
    }
    for (let count = 0; count < min; count += 1) at = this.build(part, at);
    return at;
  }

  #set(set: CharSet): number {
    const same = this.#same.get(set);
    if (same !== undefined) return same;
    const key = keyOf(set);
    const place = this.#known.get(key) ?? this.charSets.length;
    if (place === this.charSets.length) this.charSets.push(set);
    this.#known.set(key, place);
    this.#same.set(set, place);
    return place;
  }
}

const NONE: readonly number[] = [];
