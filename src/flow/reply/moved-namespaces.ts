import type { ElementDeclaration, Particle, XsdType } from '../../wsdl/index.js';
import type { QName } from '../../xml/index.js';

/**
 * The declared namespaces that those of a reply stand for, whose child of Body is in another than
 * the declared one. A namespace that begins with that of the child stands for the declared one of
 * the same end: `urn:old/types` for `urn:new/types`. Declared namespaces stand for themselves.
 */
export function movedNamespaces(found: QName, output: ElementDeclaration): (uri: string) => string {
  const from = found.uri;
  const to = output.name.uri;
  // Without a namespace of its own the child says nothing about the elements inside.
  if (from === '' || from === to) return (uri) => uri;
  const declared = namespacesWithin(output);
  return (uri) => {
    if (uri === from) return to;
    if (!uri.startsWith(from) || declared.has(uri)) return uri;
    const moved = to + uri.slice(from.length);
    return declared.has(moved) ? moved : uri;
  };
}

const KNOWN = new WeakMap<ElementDeclaration, ReadonlySet<string>>();

/** The namespaces of the elements and types that may be within an element. */
function namespacesWithin(element: ElementDeclaration): ReadonlySet<string> {
  const known = KNOWN.get(element);
  if (known !== undefined) return known;
  const uris = new Set<string>();
  const types = new Set<XsdType>([element.type]);
  for (const type of types) {
    uris.add(type.name?.uri ?? '');
    if (type.kind === 'simple') continue;
    for (const derived of type.derived) {
      types.add(derived);
    }
    for (const { name, type: inner } of elementsOf(type)) {
      uris.add(name.uri);
      types.add(inner);
    }
  }
  KNOWN.set(element, uris);
  return uris;
}

function elementsOf(type: Exclude<XsdType, { kind: 'simple' }>): readonly ElementDeclaration[] {
  const particles: Particle[] = type.content.kind === 'elements' ? [type.content.particle] : [];
  const elements: ElementDeclaration[] = [];
  for (const particle of particles) {
    if (particle.kind === 'one') {
      elements.push(particle.element);
    } else if (particle.kind !== 'any') {
      particles.push(...particle.particles);
    }
  }
  return elements;
}
