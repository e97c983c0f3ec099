import { type ElementDeclaration, type Operation, type Particle, typeKey } from './model.js';

/** The child of Body of the requests of an operation; '' for none. */
export const bodyKey = ({ input }: Operation): string =>
  input.body === null ? '' : typeKey(input.body.name);

/** The name of an operation and the child of Body of its requests. */
export const requestKey = ({ name, input }: Operation): string =>
  JSON.stringify([name, input.body === null ? null : typeKey(input.body.name)]);

/**
 * Whether the declared output of an operation may be empty: no part has content or attributes that
 * are required. An empty Body, or no content at all, is then this output: a void operation that is
 * done. A simple value is required.
 */
export function mayOutputBeEmpty({
  output,
  isDoneWithoutContent,
}: Pick<Operation, 'output' | 'isDoneWithoutContent'>): boolean {
  if (output === null || output.body === null || isDoneWithoutContent === true) return true;
  const elements = output.several?.parts.map(({ element }) => element) ?? [output.body];
  return (output.attachments ?? []).length === 0 && elements.every(mayBeEmpty);
}

function mayBeEmpty({ type }: ElementDeclaration): boolean {
  if (type.kind === 'simple' || type.abstract) return false;
  if (type.attributes.some(({ required }) => required)) return false;
  const { content } = type;
  switch (content.kind) {
    case 'empty':
    case 'array':
      return true;
    case 'elements':
      return isOptional(content.particle);
    case 'opaque':
      // Content of any kind is a value, where it is not mixed content without elements that are
      // required.
      return (
        content.mixed !== null &&
        (content.mixed.particle === null || isOptional(content.mixed.particle))
      );
    case 'text':
      return false;
  }
}

function isOptional(particle: Particle): boolean {
  if (particle.min === 0 || particle.max === 0) return true;
  if (particle.kind === 'one' || particle.kind === 'any') return false;
  return particle.kind === 'choice'
    ? particle.particles.some(isOptional)
    : particle.particles.every(isOptional);
}
