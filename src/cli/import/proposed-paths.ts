import type { ComplexType, ElementDeclaration, WsdlModel, XsdType } from '../../wsdl/index.js';

/** A value that a mapping could show without the elements around it. */
export interface ProposedPath {
  /** The XML name of the type, or of the element of a type without a name. */
  readonly type: string;
  readonly field: string;
  /** XML names with `/` between them. */
  readonly path: string;
}

/** Proposals of one import. */
const PROPOSED_MAX = 20;
/** Elements around a value. */
const DEPTH_MAX = 8;

/**
 * Finds elements that hold one element alone, which a field with `path` would show without them.
 */
export function proposedPaths({ types, elements }: WsdlModel): readonly ProposedPath[] {
  const proposed: ProposedPath[] = [];
  const owners: (readonly [string, XsdType])[] = [
    ...[...types.values()].map((type) => [type.name?.local ?? '', type] as const),
    ...[...elements.values()].flatMap(({ name, type }) =>
      type.name === null ? [[name.local, type] as const] : [],
    ),
  ];
  const counts = new Map<string, number>();
  for (const [name] of owners) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, type] of owners) {
    // A name that several types have would need its namespace.
    const isUsable = type.kind === 'complex' && counts.get(name) === 1;
    const children = isUsable ? childrenOf(type) : null;
    for (const child of children ?? []) {
      if (proposed.length === PROPOSED_MAX) return proposed;
      const path = child.max > 1 ? null : wayThrough(child.element);
      const field = path?.at(-1);
      const isTaken = children?.some(({ element }) => element.name.local === field) === true;
      if (path !== null && field !== undefined && !isTaken) {
        proposed.push({ type: name, field, path: path.join('/') });
      }
    }
  }
  return proposed;
}

/**
 * The names from an element down to the first that holds more than one; null where it does itself.
 */
function wayThrough(from: ElementDeclaration): readonly string[] | null {
  const path = [from.name.local];
  let { type } = from;
  let isList = false;
  while (path.length <= DEPTH_MAX && !isList) {
    const only = type.kind === 'complex' ? onlyChild(type) : null;
    if (only === null) break;
    path.push(only.element.name.local);
    ({ type } = only.element);
    isList = only.max > 1;
  }
  // A list right inside an element is shown as a list by itself.
  return path.length < (isList ? 3 : 2) ? null : path;
}

interface Child {
  readonly element: ElementDeclaration;
  readonly max: number;
}

function onlyChild(type: ComplexType): Child | null {
  const isPlain = type.attributes.length === 0 && type.anyAttribute === null;
  const isAlone = isPlain && !type.abstract && type.derived.length === 0;
  const children = isAlone ? childrenOf(type) : null;
  const [only, ...others] = children ?? [];
  return others.length === 0 ? (only ?? null) : null;
}

/** The elements of a plain sequence; null for other content. */
function childrenOf({ content }: ComplexType): readonly Child[] | null {
  if (content.kind !== 'elements') return null;
  const { particle } = content;
  if (particle.kind !== 'sequence' || particle.max > 1) return null;
  const children: Child[] = [];
  for (const each of particle.particles) {
    if (each.kind !== 'one') return null;
    children.push({ element: each.element, max: each.max });
  }
  return children;
}
