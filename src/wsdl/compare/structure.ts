import { type Particle, typeKey } from '../model.js';

/** Which elements of a content model exclude each other. */
export interface Structure {
  /**
   * Keys of elements of which only one may occur: of each choice enough pairs to look for in
   * another model.
   */
  readonly pairs: readonly (readonly [string, string])[];
  /** Whether only one of two elements may occur. */
  excludes(one: string, other: string): boolean;
  /** Equal for models with equivalent groups, however often single elements occur in them. */
  readonly text: string;
}

/** The structure of a content model, as far as the elements of `keys` are concerned. */
export function structureOf(root: Particle, keys: ReadonlyMap<string, unknown>): Structure {
  const top: Group = {
    kind: 'sequence',
    min: 1,
    max: 1,
    above: null,
    depth: 0,
    isOnce: true,
    inside: [],
  };
  const groups = [top];
  const leaves = new Map<string, Group[]>();
  const stack: Step[] = [{ particle: root, above: top }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { particle, above } = step;
    if (particle.kind === 'any' || particle.max === 0) continue;
    if (particle.kind === 'one') {
      const key = typeKey(particle.element.name);
      if (!keys.has(key)) continue;
      above.inside.push(key);
      const known = leaves.get(key) ?? [];
      leaves.set(key, known);
      if (known.length < MAX_LEAVES) {
        known.push(leafIn(above));
      }
      continue;
    }
    const group = isTransparent(particle, above) ? above : groupIn(above, particle);
    if (group !== above) {
      groups.push(group);
    }
    for (const inner of [...particle.particles].reverse()) {
      stack.push({ particle: inner, above: group });
    }
  }
  const excludes = (one: string, other: string): boolean => {
    const [ones, others] = [leaves.get(one) ?? [], leaves.get(other) ?? []];
    return (
      one !== other && ones.length > 0 && ones.every((a) => others.every((b) => areExclusive(a, b)))
    );
  };
  const pairs = groups
    .filter(({ kind, isOnce }) => kind === 'choice' && isOnce)
    .flatMap(neighbours);
  return {
    pairs: pairs.filter(([one, other]) => excludes(one, other)),
    excludes,
    text: textOf(groups),
  };
}

interface Step {
  readonly particle: Particle;
  readonly above: Group;
}

interface Group {
  readonly kind: Particle['kind'];
  readonly min: number;
  readonly max: number;
  readonly above: Group | null;
  readonly depth: number;
  /** It occurs at most once in the whole model. */
  readonly isOnce: boolean;
  /** Groups, and keys of elements. */
  readonly inside: (Group | string)[];
}

/** The number of occurrences of one element that are compared: later ones in the model are not. */
const MAX_LEAVES = 8;

const groupIn = (above: Group, { kind, min, max }: Particle): Group => {
  const group: Group = {
    ...{ kind, min, max, above },
    depth: above.depth + 1,
    isOnce: above.isOnce && max <= 1,
    inside: [],
  };
  above.inside.push(group);
  return group;
};

/** A leaf in a group, which is not listed in `inside`. */
const leafIn = (above: Group): Group => ({
  ...{ kind: 'one', min: 1, max: 1, above, inside: [] },
  depth: above.depth + 1,
  isOnce: above.isOnce,
});

/**
 * Whether a group has no effect: it occurs once, and has one member or is in a group of its kind.
 */
const isTransparent = (particle: Particle, above: Group): boolean =>
  'particles' in particle &&
  particle.min === 1 &&
  particle.max === 1 &&
  (particle.kind === above.kind || particle.particles.length === 1);

/** Whether the nearest group that holds both is a choice, taken once. */
function areExclusive(one: Group, other: Group): boolean {
  let [a, b] = [one, other];
  while (a.above !== null && b.above !== null && a.above !== b.above) {
    if (a.depth >= b.depth) {
      a = a.above;
    } else {
      b = b.above;
    }
  }
  return (
    a !== b &&
    a.above !== null &&
    a.above === b.above &&
    a.above.kind === 'choice' &&
    a.above.isOnce
  );
}

/** The first element of each branch with that of the next. */
function neighbours({ inside }: Group): readonly (readonly [string, string])[] {
  const firsts = inside.map(firstOf).filter((key) => key !== null);
  return firsts.slice(1).map((key, at) => [firsts[at] ?? key, key] as const);
}

function firstOf(inside: Group | string): string | null {
  const stack = [inside];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (typeof at === 'string') return at;
    stack.push(...[...at.inside].reverse());
  }
  return null;
}

/**
 * The text of all groups except those with one member or none. An inner group comes after its outer
 * one in `groups`.
 */
function textOf(groups: readonly Group[]): string {
  const texts = new Map<Group, string>();
  for (const group of [...groups].reverse()) {
    const isPlain = group.min === 1 && group.max === 1;
    const parts = group.inside
      .map((inside) => (typeof inside === 'string' ? inside : (texts.get(inside) ?? '')))
      .filter((text) => text !== '');
    const often = `${group.min === 0 ? '?' : ''}${group.max > 1 ? '*' : ''}`;
    const isSeen = parts.length > 1 || (parts.length === 1 && !isPlain);
    texts.set(group, isSeen ? `${group.kind}${often}(${parts.join(' ')})` : parts.join(''));
  }
  const [top] = groups;
  return top === undefined ? '' : (texts.get(top) ?? '');
}
