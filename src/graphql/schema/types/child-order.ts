import type { requestPlans } from '../../../codec/index.js';
import type { ComplexType, Particle } from '../../../wsdl/index.js';

/** The positions of the children of a type's elements; null where the order proves nothing. */
export function childOrder({ content }: ComplexType): requestPlans.ChildPositions | null {
  if (content.kind !== 'elements') return null;
  const places = new Map<string, { first: number; last: number }>();
  let next = 0;
  // A repetition or a choice has one position as a whole.
  const stack: { readonly particle: Particle; readonly place: number | null }[] = [
    { particle: content.particle, place: null },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { particle } = top;
    // A wildcard takes elements of any name.
    if (particle.kind === 'any') return null;
    const isOpen = top.place === null && particle.kind === 'sequence' && particle.max === 1;
    const place = isOpen ? null : (top.place ?? next++);
    if (particle.kind === 'one') {
      const known = places.get(particle.element.name.local) ?? { first: next, last: 0 };
      const at = place ?? 0;
      places.set(particle.element.name.local, {
        first: Math.min(known.first, at),
        last: Math.max(known.last, at),
      });
    } else {
      for (const inner of particle.particles.toReversed()) {
        stack.push({ particle: inner, place });
      }
    }
  }
  return places.size > 1 ? places : null;
}
