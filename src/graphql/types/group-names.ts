import type { ComplexType, Particle } from '../../wsdl/model.js';

/**
 * What the lists of repeated groups of this type may be called, where it has any with several elements that belong
 * together: types that extend it have those lists too, and call nothing else so.
 */
export function groupNames(type: ComplexType | null): readonly string[] {
  if (type === null || type.content.kind !== 'elements') return [];
  let count = 0;
  let hasSequence = false;
  const stack: { readonly particle: Particle; readonly isMany: boolean }[] = [
    { particle: type.content.particle, isMany: false },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { particle } = top;
    if (particle.kind === 'one' || particle.kind === 'any') continue;
    if (particle.max > 1) count += 1;
    const isMany = top.isMany || particle.max > 1;
    hasSequence ||= isMany && particle.kind !== 'choice' && particle.particles.length > 1;
    for (const inner of particle.particles) stack.push({ particle: inner, isMany });
  }
  // One more, for an element may have the first of them.
  return hasSequence ? Array.from({ length: count + 1 }, (_, at) => (at === 0 ? 'items' : `items${at + 1}`)) : [];
}
