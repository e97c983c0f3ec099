import type { ComplexType, Particle } from '../../wsdl/model.js';

const LIST_NAME = /^items\d*$/;

/**
 * Names that the lists of repeated groups of this type can have, besides those inherited.
 * Types derived from it have the same lists, whatever their own content is, so none of their members takes such a name.
 */
export function groupNames(
  type: ComplexType,
  members: readonly { readonly name: string }[],
  inherited: readonly string[],
): readonly string[] {
  if (type.content.kind !== 'elements') return inherited;
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
  if (!hasSequence) return inherited;
  // Members keep the names they have: the lists take the free ones among so many.
  const most = Math.max(inherited.length, count + 1 + members.filter(({ name }) => LIST_NAME.test(name)).length);
  return Array.from({ length: most }, (_, at) => (at === 0 ? 'items' : `items${at + 1}`));
}
