import { collections, getOrMake } from '../../core/index.js';
import type { StartTag } from '../../xml/index.js';
import type { GroupParticle, RepeatedGroup } from '../plan/reply/repeated-group.js';

/**
 * Follows which repetition of a group is being read, and where in it. An element goes to its next
 * particle; where the current repetition has none left for it, the next one begins.
 */
export class Repetition {
  /** The number of the repetition, from 1. */
  ordinal = 0;
  /**
   * The repetition of the group within this one that has the last element; null where none has it.
   */
  inner: Repetition | null = null;
  readonly #index: GroupIndex;
  #at = -1;
  #count = 0;

  constructor(group: RepeatedGroup) {
    this.#index = indexOf(group);
  }

  /** The element that comes now. */
  step(tag: StartTag): void {
    if (this.ordinal === 0 || !this.#take(tag)) {
      this.#begin(tag);
    }
  }

  #begin(tag: StartTag): void {
    this.ordinal += 1;
    this.#at = -1;
    this.#count = 0;
    this.inner = null;
    this.#take(tag);
  }

  /**
   * Moves to the element's particle in the current repetition, if there is one. Groups nest as deep
   * as schemas.
   */
  #take(tag: StartTag): boolean {
    for (const at of particlesFor(this.#index, tag)) {
      const particle = this.#index.particles[at];
      if (particle === undefined || at < this.#at) continue;
      if (at === this.#at ? this.#stay(particle, tag) : this.#goTo(at, particle, tag)) return true;
    }
    return false;
  }

  #stay({ max }: GroupParticle, tag: StartTag): boolean {
    const { inner } = this;
    const isInner = inner === null ? false : inner.#take(tag);
    if (isInner) return true;
    if (this.#count >= max) return false;
    this.#count += 1;
    if (inner !== null) {
      inner.#begin(tag);
    }
    return true;
  }

  #goTo(at: number, { group }: GroupParticle, tag: StartTag): boolean {
    const excluded = this.#index.particles[this.#at]?.excluded ?? NOTHING;
    for (const [first, end] of excluded) {
      if (at >= first && at < end) return false;
    }
    this.#at = at;
    this.#count = 1;
    if (group === null) {
      this.inner = null;
    } else {
      this.inner = new Repetition(group);
      this.inner.#begin(tag);
    }
    return true;
  }
}

interface GroupIndex {
  readonly particles: readonly GroupParticle[];
  /** Maps local names to the particles that take such elements. */
  readonly named: ReadonlyMap<string, readonly { readonly uri: string; readonly at: number[] }[]>;
}

/** Matches by name, or else by local name, for stacks disagree about qualification. */
function particlesFor({ named }: GroupIndex, tag: StartTag): readonly number[] {
  const entries = named.get(tag.local);
  if (entries === undefined) return NOTHING;
  for (const { uri, at } of entries) {
    if (uri === tag.uri) return at;
  }
  return entries[0]?.at ?? NOTHING;
}

const NOTHING: readonly never[] = [];

const indexOf = collections.makeOncePer((group: RepeatedGroup): GroupIndex => {
  const named = new Map<string, { readonly uri: string; readonly at: number[] }[]>();
  for (const [at, { names }] of group.particles.entries()) {
    for (const { uri, local } of names) {
      const sameLocal = getOrMake(named, local, () => []);
      const entry = sameLocal.find((each) => each.uri === uri);
      if (entry === undefined) {
        sameLocal.push({ uri, at: [at] });
      } else if (entry.at.at(-1) !== at) {
        entry.at.push(at);
      }
    }
  }
  return { particles: group.particles, named };
});
