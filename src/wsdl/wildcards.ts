import type { Particle, Wildcard } from './model.js';

/** The `xs:any` wildcards in a content model. */
export function wildcardsIn(root: Particle): readonly Wildcard[] {
  const found: Wildcard[] = [];
  const stack = [root];
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    if (particle.max === 0) continue;
    if (particle.kind === 'any') {
      found.push(particle.wildcard);
    } else if (particle.kind !== 'one') {
      for (const inner of particle.particles) {
        stack.push(inner);
      }
    }
  }
  return found;
}

/** Whether one of these wildcards allows this namespace. */
export const allowsAny = (wildcards: readonly Wildcard[], uri: string): boolean =>
  wildcards.some((wildcard) => allows(wildcard, uri));

/** Whether a wildcard allows this namespace. */
export const allows = ({ namespaces }: Wildcard, uri: string): boolean =>
  namespaces.kind === 'any' || namespaces.uris.includes(uri) === (namespaces.kind === 'only');
