import { type ElementDeclaration, type Particle, typeKey } from './model.js';

/** How often an element may stand in a content model, whatever way is taken through it. */
export interface Occurrence {
  readonly element: ElementDeclaration;
  readonly min: number;
  readonly max: number;
}

/** The elements of a content model by `typeKey`, in document order: a sequence adds up, a choice takes least and most. */
export function occurrencesIn(root: Particle): ReadonlyMap<string, Occurrence> {
  const result: Occurrences = new Map();
  const stack: Frame[] = [{ particle: root, sum: new Map(), next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { particle } = frame;
    const group = particle.kind === 'one' || particle.kind === 'any' ? null : particle;
    const child = group?.particles[frame.next++];
    if (child !== undefined) {
      stack.push({ particle: child, sum: new Map(), next: 0 });
      continue;
    }
    stack.pop();
    if (particle.kind === 'one') {
      frame.sum.set(typeKey(particle.element.name), { element: particle.element, min: 1, max: 1 });
    }
    const parent = stack.at(-1);
    if (particle.max > 0) merge(parent?.sum ?? result, frame.sum, particle, parent ?? null);
  }
  return result;
}

type Occurrences = Map<string, Occurrence>;

interface Frame {
  readonly particle: Particle;
  readonly sum: Occurrences;
  next: number;
}

function merge(into: Occurrences, from: Occurrences, particle: Particle, parent: Frame | null): void {
  const isBranch = parent?.particle.kind === 'choice' && parent.particle.particles.length > 1;
  const isFirst = parent === null || parent.next === 1;
  for (const [key, { element, min, max }] of from) {
    const known = into.get(key);
    const least = min * particle.min;
    const most = max * particle.max;
    if (isBranch) {
      const knownMin = known?.min ?? (isFirst ? least : 0);
      into.set(key, { element, min: Math.min(knownMin, least), max: Math.max(known?.max ?? 0, most) });
    } else into.set(key, { element, min: (known?.min ?? 0) + least, max: (known?.max ?? 0) + most });
  }
  if (!isBranch) return;
  for (const [key, known] of into) if (!from.has(key)) into.set(key, { ...known, min: 0 });
}
