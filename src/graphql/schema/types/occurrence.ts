import { type ElementDeclaration, type Particle, typeKey, xsd } from '../../../wsdl/index.js';

/** An element of a content model and how often it may stand there, whatever branches are taken. */
export interface Occurring {
  readonly element: ElementDeclaration;
  readonly required: boolean;
  /** More than one may stand there. */
  readonly many: boolean;
}

/** A choice between single elements that stand nowhere else in the type. */
export interface Choice {
  readonly elements: readonly ElementDeclaration[];
  readonly required: boolean;
  /** Several may follow one another, in any order. */
  readonly many: boolean;
}

/** A content model without its groups. */
export interface Flat {
  readonly elements: readonly Occurring[];
  readonly choices: readonly Choice[];
  /** There is a wildcard (xs:any). */
  readonly wildcard: boolean;
}

export const NOTHING: Flat = { elements: [], choices: [], wildcard: false };

/**
 * Flattens a content model: sequences and choices become how often each element occurs. An element
 * of one branch may be absent.
 */
export function flatten(root: Particle): Flat {
  let wildcard = false;
  const found = xsd.occurrencesIn(root, (particle) => {
    if (particle.kind === 'any') {
      wildcard = true;
    }
  });
  const elements = [...found.values()].map(({ element, min, max }) => ({
    element,
    required: min > 0,
    many: max > 1,
  }));
  return { elements, choices: choicesOf(root), wildcard };
}

/**
 * The outermost choices of a content model that are between single elements, and not repeated with
 * what is beside.
 */
function choicesOf(root: Particle): readonly Choice[] {
  const choices: Choice[] = [];
  const stack: Place[] = [{ particle: root, isCertain: true, isMany: false }];
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { particle } = place;
    if (particle.kind === 'one' || particle.kind === 'any') continue;
    const isCertain = place.isCertain && particle.min > 0;
    const isMany = place.isMany || particle.max > 1;
    if (particle.kind === 'choice' && particle.particles.length > 1) {
      const choice = choiceOf(particle.particles, isCertain, isMany);
      if (choice !== null) {
        choices.push(choice);
      }
    } else if (!isMany || particle.particles.length === 1) {
      for (const child of [...particle.particles].reverse()) {
        stack.push({ particle: child, isCertain, isMany });
      }
    }
  }
  if (choices.length === 0) return choices;
  const counts = countsOf(root);
  return choices.filter(({ elements }) =>
    elements.every(({ name }) => counts.get(typeKey(name)) === 1),
  );
}

interface Place {
  readonly particle: Particle;
  readonly isCertain: boolean;
  readonly isMany: boolean;
}

/** A choice within the choice adds its branches; null where a branch is more than one element. */
function choiceOf(
  particles: readonly Particle[],
  isCertain: boolean,
  isMany: boolean,
): Choice | null {
  const elements: ElementDeclaration[] = [];
  const choice = { elements, required: isCertain, many: isMany };
  const stack = [...particles].reverse();
  for (let particle = stack.pop(); particle !== undefined; particle = stack.pop()) {
    choice.required &&= particle.min > 0;
    choice.many ||= particle.max > 1;
    if (particle.kind === 'one') {
      elements.push(particle.element);
    } else if (particle.kind === 'any') {
      return null;
    } else if (particle.kind === 'choice' || particle.particles.length === 1) {
      stack.push(...[...particle.particles].reverse());
    } else {
      return null;
    }
  }
  return elements.length > 1 ? choice : null;
}

/** How many particles there are for each element. */
function countsOf(root: Particle): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const particle of particlesIn(root)) {
    if (particle.kind !== 'one') continue;
    const key = typeKey(particle.element.name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

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
