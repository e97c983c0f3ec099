import type { Problem } from '../base/problem.js';
import type { ComplexType, ElementDeclaration, Particle, XsdType } from './model.js';
import type { ReachableProblems } from './operations.js';

const REASONS = 20;
/** Beyond this many approximated types the report says no more about each operation than it does already. */
const TYPES = 500;

/**
 * Which approximated types an operation can meet. Walked backwards once, from each such type to all that contain it,
 * so that the cost does not multiply with the number of operations.
 */
export function reachableProblems(
  all: () => Iterable<XsdType>,
  approximated: ReadonlyMap<XsdType, readonly Problem[]>,
): ReachableProblems {
  let met: ReadonlyMap<XsdType, readonly Problem[]> | null = null;
  return ({ input, output, faults }) => {
    met ??= spread(containers(all()), approximated);
    const elements: ElementDeclaration[] = [];
    for (const payload of [input, output]) {
      if (payload === null) continue;
      if (payload.body !== null) elements.push(payload.body);
      for (const { element } of payload.headers) elements.push(element);
    }
    for (const { element } of faults) elements.push(element);
    const problems = new Set<Problem>();
    const types = new Set<XsdType>(elements.map(({ type }) => type));
    for (const { type } of elements) {
      // The wrapper of rpc style is made by the reader of messages: the schemas do not know it.
      if (type.kind === 'complex' && type.name === null) for (const inner of typesIn(type)) types.add(inner);
    }
    for (const type of types) {
      for (const problem of met.get(type) ?? approximated.get(type) ?? [])
        if (problems.size < REASONS) problems.add(problem);
    }
    return [...problems];
  };
}

/** For each type, the types whose content or derivation leads to it. */
function containers(all: Iterable<XsdType>): ReadonlyMap<XsdType, readonly XsdType[]> {
  const containers = new Map<XsdType, XsdType[]>();
  const queue = [...all];
  const seen = new Set(queue);
  for (let at = 0; at < queue.length; at++) {
    const type = queue[at];
    if (type?.kind !== 'complex') continue;
    for (const inner of [...typesIn(type), ...type.derived]) {
      const outer = containers.get(inner);
      if (outer === undefined) containers.set(inner, [type]);
      else outer.push(type);
      if (!seen.has(inner)) queue.push(inner);
      seen.add(inner);
    }
  }
  return containers;
}

/** The types of the elements directly in a content model, each once. */
function typesIn(type: ComplexType): ReadonlySet<XsdType> {
  const types = new Set<XsdType>();
  if (type.content.kind !== 'elements') return types;
  const particles: Particle[] = [type.content.particle];
  const seen = new Set<Particle>(particles);
  for (let at = 0; at < particles.length; at++) {
    const particle = particles[at];
    if (particle?.kind === 'one') types.add(particle.element.type);
    if (particle === undefined || particle.kind === 'one' || particle.kind === 'any') continue;
    for (const inner of particle.particles) {
      if (!seen.has(inner)) particles.push(inner);
      seen.add(inner);
    }
  }
  return types;
}

function spread(
  containers: ReadonlyMap<XsdType, readonly XsdType[]>,
  approximated: ReadonlyMap<XsdType, readonly Problem[]>,
): ReadonlyMap<XsdType, readonly Problem[]> {
  const met = new Map<XsdType, Problem[]>();
  for (const [start, problems] of [...approximated].slice(0, TYPES)) {
    const reached = new Set([start]);
    for (const type of reached) {
      const own = met.get(type) ?? [];
      if (own.length < REASONS) met.set(type, [...own, ...problems]);
      for (const outer of containers.get(type) ?? []) reached.add(outer);
    }
  }
  return met;
}
