import { type ElementDeclaration, type Particle, typeKey } from '../model.js';

/** How often an element may occur in a content model, over all its choices. */
export interface Occurrence {
  readonly element: ElementDeclaration;
  readonly min: number;
  readonly max: number;
}

/** Called for each particle after those within it; `certain`: it occurs exactly once, whatever is chosen. */
type ParticleVisitor = (particle: Particle, certain: boolean) => void;

/** The elements of a content model by `typeKey`, in document order: a sequence adds up, a choice takes least and most. */
export function occurrencesIn(root: Particle, visit?: ParticleVisitor): ReadonlyMap<string, Occurrence> {
  const top = frameOf({ kind: 'sequence', particles: [root], min: 1, max: 1 }, true);
  const stack = [top];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { particle, certain } = frame;
    const group = particle.kind === 'one' || particle.kind === 'any' ? null : particle;
    const child = group?.particles[frame.next++];
    if (child !== undefined) {
      stack.push(frameOf(child, certain && particle.kind !== 'choice' && isOnce(child)));
      continue;
    }
    stack.pop();
    if (particle.kind === 'one') frame.sum.set(typeKey(particle.element.name), { ...ONCE, element: particle.element });
    if (particle.kind === 'choice') completeChoice(frame, particle.particles.length);
    const parent = stack.at(-1);
    if (parent === undefined) break;
    visit?.(particle, certain);
    // Chains of extensions are groups that begin with a group, as deep as they are long: its sum is not copied.
    const isFirst = parent.particle.kind !== 'choice' && parent.sum.size === 0 && isOnce(particle);
    if (isFirst) parent.sum = frame.sum;
    else if (particle.max > 0) merge(parent, frame);
  }
  return top.sum;
}

interface Frame {
  readonly particle: Particle;
  readonly certain: boolean;
  sum: Map<string, Occurrence>;
  /** Of a choice: in how many of its branches each element is. */
  readonly branches: Map<string, number>;
  next: number;
}

const ONCE = { min: 1, max: 1 } as const;

const isOnce = ({ min, max }: Particle): boolean => min === 1 && max === 1;

const frameOf = (particle: Particle, certain: boolean): Frame => ({
  particle,
  certain,
  sum: new Map(),
  branches: new Map(),
  next: 0,
});

function merge({ particle: { kind }, sum, branches }: Frame, { particle, sum: inner }: Frame): void {
  for (const [key, { element, min, max }] of inner) {
    const known = sum.get(key);
    const least = min * particle.min;
    const most = max * particle.max;
    if (kind !== 'choice') sum.set(key, { element, min: (known?.min ?? 0) + least, max: (known?.max ?? 0) + most });
    else {
      sum.set(key, { element, min: Math.min(known?.min ?? least, least), max: Math.max(known?.max ?? 0, most) });
      branches.set(key, (branches.get(key) ?? 0) + 1);
    }
  }
}

/** Makes elements optional that are not in every branch. */
function completeChoice({ sum, branches }: Frame, count: number): void {
  for (const [key, known] of sum) if ((branches.get(key) ?? 0) < count) sum.set(key, { ...known, min: 0 });
}
