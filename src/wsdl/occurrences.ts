import { type ElementDeclaration, type Particle, typeKey } from './model.js';

/** How often an element may occur in a content model, over all its choices. */
export interface Occurrence {
  readonly element: ElementDeclaration;
  readonly min: number;
  readonly max: number;
}

/**
 * Called for each particle after those within it; `certain`: it occurs exactly once, whatever is
 * chosen.
 */
type ParticleVisitor = (particle: Particle, certain: boolean) => void;

/**
 * The elements of a content model by `typeKey`, in document order: a sequence adds up, a choice
 * takes least and most.
 */
export function occurrencesIn(
  root: Particle,
  visit?: ParticleVisitor,
): ReadonlyMap<string, Occurrence> {
  const top = frameOf({ kind: 'sequence', particles: [root], min: 1, max: 1 }, true);
  const stack = [top];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { particle, certain } = frame;
    const child = particle.particles[frame.next++];
    if (child !== undefined) {
      const isCertain = certain && particle.kind !== 'choice' && isOnce(child);
      if (child.kind !== 'one' && child.kind !== 'any') {
        stack.push(frameOf(child, isCertain));
        continue;
      }
      visit?.(child, isCertain);
      if (child.kind === 'one' && child.max > 0) {
        const { element, min, max } = child;
        add(frame, typeKey(element.name), { element, min, max });
      }
      continue;
    }
    stack.pop();
    if (particle.kind === 'choice') {
      completeChoice(frame, particle.particles.length);
    }
    const parent = stack.at(-1);
    if (parent === undefined) break;
    visit?.(particle, certain);
    // Chains of extensions are groups that begin with a group, as deep as they are long: its sum is
    // not copied.
    const isFirst = parent.particle.kind !== 'choice' && parent.sum.size === 0 && isOnce(particle);
    if (isFirst) {
      parent.sum = frame.sum;
    } else if (particle.max > 0) {
      merge(parent, frame);
    }
  }
  return top.sum;
}

type Group = Extract<Particle, { readonly particles: readonly Particle[] }>;

interface Frame {
  readonly particle: Group;
  readonly certain: boolean;
  sum: Map<string, Occurrence>;
  /** The number of branches of a choice that have each element. */
  readonly branches: Map<string, number>;
  next: number;
}

const isOnce = ({ min, max }: Particle): boolean => min === 1 && max === 1;

const frameOf = (particle: Group, certain: boolean): Frame => ({
  particle,
  certain,
  sum: new Map(),
  branches: new Map(),
  next: 0,
});

function merge(frame: Frame, { particle, sum: inner }: Frame): void {
  for (const [key, { element, min, max }] of inner) {
    add(frame, key, { element, min: min * particle.min, max: max * particle.max });
  }
}

/** Adds what one particle of a group has of an element. */
function add(
  { particle: { kind }, sum, branches }: Frame,
  key: string,
  occurrence: Occurrence,
): void {
  const known = sum.get(key);
  const { element, min, max } = occurrence;
  if (kind !== 'choice') {
    const isFirst = known === undefined;
    sum.set(key, isFirst ? occurrence : { element, min: known.min + min, max: known.max + max });
  } else {
    sum.set(key, {
      element,
      min: Math.min(known?.min ?? min, min),
      max: Math.max(known?.max ?? 0, max),
    });
    branches.set(key, (branches.get(key) ?? 0) + 1);
  }
}

/** Makes elements optional that are not in every branch. */
function completeChoice({ sum, branches }: Frame, count: number): void {
  for (const [key, known] of sum) {
    if ((branches.get(key) ?? 0) < count) {
      sum.set(key, { ...known, min: 0 });
    }
  }
}
