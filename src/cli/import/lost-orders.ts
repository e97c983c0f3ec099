import type { Particle, WsdlModel, XsdType } from '../../wsdl/index.js';

/**
 * The XML names of types whose replies lose the order between the elements of a repeated choice: by
 * default each branch is a list.
 */
export function lostOrders({ types, elements }: WsdlModel): readonly string[] {
  const owners: (readonly [string, XsdType])[] = [
    ...[...types.values()].map((type) => [type.name?.local ?? '', type] as const),
    ...[...elements.values()].map(({ name, type }) => [name.local, type] as const),
  ];
  const seen = new Set<XsdType>();
  const found = new Set<string>();
  for (const [name, type] of owners) {
    if (seen.has(type)) continue;
    seen.add(type);
    if (type.kind === 'complex' && type.content.kind === 'elements') {
      if (hasRepeatedChoice(type.content.particle)) {
        found.add(name);
      }
    }
  }
  return [...found];
}

/** Whether a choice of several elements may come more than once. */
function hasRepeatedChoice(root: Particle): boolean {
  const stack = [{ particle: root, isRepeated: false }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { particle } = top;
    if (!('particles' in particle)) continue;
    const isRepeated = top.isRepeated || particle.max > 1;
    if (particle.kind === 'choice' && isRepeated && particle.particles.length > 1) return true;
    for (const inner of particle.particles) {
      stack.push({ particle: inner, isRepeated });
    }
  }
  return false;
}
