import type { Particle } from '../../wsdl/index.js';

/** A particle and all that are within it, in the order of the schema. */
export function* particlesIn(root: Particle): Generator<Particle, void> {
  const stack = [root];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    yield particle;
    if ('particles' in particle) {
      for (const child of particle.particles.toReversed()) {
        stack.push(child);
      }
    }
  }
}
