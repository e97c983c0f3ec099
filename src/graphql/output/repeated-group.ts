import type { GroupParticle, RepeatedGroup } from '../../codec/plan/group.js';
import { type Particle, typeKey } from '../../wsdl/model.js';
import type { QName } from '../../xml/events.js';

/**
 * The particles of one repetition of a group, in the order of the schema. `inner` are the groups that are shown as lists
 * of their own; whatever else is repeated is one place for all that is in it.
 */
export function repeatedGroup(root: Particle, inner: ReadonlyMap<Particle, RepeatedGroup>): RepeatedGroup {
  const places: MutablePlace[] = [];
  const stack: Step[] = childrenOf(root);
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if ('branches' in step) {
      exclude(places, step.branches);
      continue;
    }
    if ('starts' in step) {
      step.starts.push(places.length);
      continue;
    }
    const { particle } = step;
    const { max } = particle;
    if (particle.kind === 'any' || max === 0) continue;
    const group = inner.get(particle) ?? null;
    if (particle.kind === 'one') places.push({ names: [particle.element.name], max, group: null, excluded: [] });
    else if (group !== null) places.push({ names: group.names, max, group, excluded: [] });
    else if (max > 1) places.push({ names: namesIn(particle), max: Infinity, group: null, excluded: [] });
    else stack.push(...childrenOf(particle));
  }
  return { names: distinct(places.flatMap(({ names }) => names)), particles: places };
}

type MutablePlace = GroupParticle & { readonly excluded: [number, number][] };

type Step =
  | { readonly particle: Particle }
  /** A branch of a choice begins, or ends: how many places there are now is noted. */
  | { readonly starts: number[] }
  /** A choice ends, whose branches begin there. */
  | { readonly branches: readonly number[] };

/** For a stack: the first is the last. */
function childrenOf(particle: Particle): Step[] {
  if (particle.kind === 'one' || particle.kind === 'any') return [{ particle }];
  const children = particle.particles.map((child) => ({ particle: child }));
  if (particle.kind !== 'choice') return children.reverse();
  const starts: number[] = [];
  const branches = children.flatMap((child): readonly Step[] => [{ starts }, child]);
  return [...branches, { starts }, { branches: starts }].reverse();
}

/** No branch of a choice is followed by another: that is the next repetition. */
function exclude(places: readonly MutablePlace[], starts: readonly number[]): void {
  const end = starts.at(-1) ?? 0;
  for (const [branch, start] of starts.entries()) {
    const next = starts[branch + 1] ?? end;
    for (const place of places.slice(start, next)) if (next < end) place.excluded.push([next, end]);
  }
}

function namesIn(root: Particle): readonly QName[] {
  const names: QName[] = [];
  const stack = [root];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    if (particle.kind === 'one') names.push(particle.element.name);
    else if (particle.kind !== 'any') stack.push(...particle.particles.toReversed());
  }
  return distinct(names);
}

const distinct = (names: readonly QName[]): readonly QName[] => [
  ...new Map(names.map((name) => [typeKey(name), name])).values(),
];
