import { collections, type Diagnostic } from '../../core/index.js';
import {
  type ComplexType,
  childrenOfBody,
  type ElementDeclaration,
  type Particle,
  type XsdType,
} from '../model.js';
import type { ReachableDiagnostics } from './operations.js';

const REASONS = 20;
/** Beyond this many approximated types no further reasons are added to operations. */
const TYPES = 500;

/**
 * Which approximated types an operation can meet. Walked backwards once, from each such type to all
 * that contain it, so that the cost does not multiply with the number of operations.
 */
export function reachableDiagnostics(
  all: () => Iterable<XsdType>,
  approximated: ReadonlyMap<XsdType, readonly Diagnostic[]>,
): ReachableDiagnostics {
  let met: ReadonlyMap<XsdType, readonly Diagnostic[]> | null = null;
  return ({ input, output, faults }) => {
    if (approximated.size === 0) return [];
    met ??= spread(containers(all()), approximated);
    const elements: ElementDeclaration[] = [];
    for (const payload of [input, output]) {
      if (payload === null) continue;
      elements.push(...childrenOfBody(payload));
      for (const { element } of payload.headers) {
        elements.push(element);
      }
    }
    for (const { element } of faults) {
      elements.push(element);
    }
    const diagnostics = new Set<Diagnostic>();
    const types = new Set<XsdType>(elements.map(({ type }) => type));
    for (const { type } of elements) {
      // The wrapper of rpc style is made by the reader of messages: the schemas do not know it.
      if (type.kind === 'complex' && type.name === null) {
        for (const inner of typesIn(type)) {
          types.add(inner);
        }
      }
    }
    for (const type of types) {
      for (const diagnostic of met.get(type) ?? approximated.get(type) ?? []) {
        if (diagnostics.size < REASONS) {
          diagnostics.add(diagnostic);
        }
      }
    }
    return [...diagnostics];
  };
}

/**
 * A node of the graph of containment: a type, or the particles of a compositor, which many types
 * may share.
 */
type Container = XsdType | readonly Particle[];

/** For each type or compositor, its direct containers. Linear: shared parts are visited once. */
function containers(all: Iterable<XsdType>): ReadonlyMap<Container, readonly Container[]> {
  const containers = new Map<Container, Container[]>();
  const queue: Container[] = [...all];
  const seen = new Set(queue);
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at];
    if (node === undefined) continue;
    for (const inner of directlyIn(node)) {
      collections.addToGroup(containers, inner, node);
      if (!seen.has(inner)) {
        queue.push(inner);
      }
      seen.add(inner);
    }
  }
  return containers;
}

/** The types of the elements in a content model, compositors looked through. */
function typesIn(type: ComplexType): ReadonlySet<XsdType> {
  const types = new Set<XsdType>();
  const reached = new Set<Container>(contentOf(type));
  for (const node of reached) {
    if ('kind' in node) {
      types.add(node);
    } else {
      for (const inner of directlyIn(node)) {
        reached.add(inner);
      }
    }
  }
  return types;
}

function directlyIn(node: Container): readonly Container[] {
  if (!('kind' in node)) return node.flatMap(containerIn);
  if (node.kind === 'simple') {
    return [node.base, node.item, ...node.members].filter((type) => type !== null);
  }
  return [...contentOf(node), ...node.attributes.map(({ type }) => type), ...node.derived];
}

function contentOf({ content }: ComplexType): readonly Container[] {
  if (content.kind === 'text') return [content.type];
  if (content.kind === 'array') return [content.item];
  const particle = content.kind === 'opaque' ? (content.mixed?.particle ?? null) : null;
  return containerIn(content.kind === 'elements' ? content.particle : particle);
}

function containerIn(particle: Particle | null): readonly Container[] {
  if (particle === null || particle.kind === 'any') return [];
  return particle.kind === 'one' ? [particle.element.type] : [particle.particles];
}

function spread(
  containers: ReadonlyMap<Container, readonly Container[]>,
  approximated: ReadonlyMap<XsdType, readonly Diagnostic[]>,
): ReadonlyMap<XsdType, readonly Diagnostic[]> {
  const met = new Map<XsdType, Diagnostic[]>();
  const visits = new Map<Container, number>();
  for (const [start, diagnostics] of [...approximated].slice(0, TYPES)) {
    const reached = new Set<Container>([start]);
    for (const node of reached) {
      // All containers were visited from here before.
      const count = visits.get(node) ?? 0;
      if (count >= REASONS) continue;
      visits.set(node, count + 1);
      if ('kind' in node) {
        const own = met.get(node) ?? [];
        if (own.length < REASONS) {
          met.set(node, [...own, ...diagnostics]);
        }
      }
      for (const outer of containers.get(node) ?? []) {
        reached.add(outer);
      }
    }
  }
  return met;
}
