import { type Particle, typeKey, type WsdlModel, type XsdType } from '../../wsdl/model.js';
import { STATES_MAX } from './model-node.js';

/** The names of the types and elements whose content model stands for too many particles to be validated. */
export function oversizedModels(model: Pick<WsdlModel, 'types' | 'elements'>): readonly string[] {
  const sizes = new Map<Particle, number>();
  const found: string[] = [];
  const look = (name: string, type: XsdType): void => {
    if (type.kind !== 'complex') return;
    const { content } = type;
    const particle =
      content.kind === 'elements' ? content.particle : content.kind === 'opaque' && content.mixed?.particle;
    if (particle && sizeOf(particle, sizes) > STATES_MAX) found.push(name);
  };
  for (const type of model.types.values()) if (type.name !== null) look(typeKey(type.name), type);
  for (const { name, type } of model.elements.values()) if (type.name === null) look(typeKey(name), type);
  return found;
}

/** Particles, each as often as it is referred to. What is shared is counted once and remembered. */
function sizeOf(particle: Particle, sizes: Map<Particle, number>): number {
  const open: Particle[] = [particle];
  for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
    const children = next.kind === 'one' || next.kind === 'any' ? [] : next.particles;
    const unknown = children.filter((child) => !sizes.has(child));
    if (unknown.length > 0) open.push(...unknown);
    else {
      open.pop();
      sizes.set(
        next,
        children.reduce((size, child) => size + (sizes.get(child) ?? 0), 1),
      );
    }
  }
  return sizes.get(particle) ?? 0;
}
