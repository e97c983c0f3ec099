import type { Problem } from '../base/problem.js';
import type { QName } from '../xml/events.js';
import { opaqueType } from './builtin.js';
import { type Component, nameIn, type SchemaUnit } from './components.js';
import { readElement } from './elements.js';
import { type ElementDeclaration, type Particle, typeKey } from './model.js';
import { XSD } from './namespaces.js';
import { isTrue, type SchemaReading } from './schema-reading.js';
import { attributeOf, problemAt, type XmlNode } from './tree.js';

/** What was read: null for "no content". With `trouble` the content model is not to be relied on. */
export interface ReadParticle {
  readonly particle: Particle | null;
  readonly trouble: Problem | null;
}

export type ParticleReader = (node: XmlNode, unit: SchemaUnit) => ReadParticle;

type Compositor = 'sequence' | 'choice' | 'all';
interface Occurrence {
  readonly min: number;
  readonly max: number;
}

/** Compositors and groups inside each other; documents nest less deeply than this, only groups can exceed it. */
const DEPTH = 200;
/** Groups that contain groups can multiply: a content model with more elements than this is not built. */
const MOST = 65_535;
const INLINE = 500;

/** Reads content models: `sequence`, `choice`, `all`, and `group` references with what they refer to. */
export function readParticles(reading: SchemaReading): ParticleReader {
  const groups = new Map<XmlNode, ReadParticle>();
  const open = new Set<XmlNode>();
  const substitutes = new Map<string, readonly Particle[]>();
  let depth = 0;
  const sizes = new WeakMap<Particle, number>();
  const sizeOf = (particle: Particle): number => sizes.get(particle) ?? 1;

  function compositor(node: XmlNode, unit: SchemaUnit, kind: Compositor): ReadParticle {
    const particles: Particle[] = [];
    let size = 0;
    for (const child of node.children) {
      if (child.uri !== XSD) continue;
      const { particle, trouble } = member(child, unit);
      if (trouble !== null) return { particle: null, trouble };
      if (particle === null) continue;
      size += sizeOf(particle);
      if (size > MOST) return { particle: null, trouble: problemAt(node, 'The content model is larger than allowed.') };
      if (particle.kind === kind && isOnce(particle) && particle.particles.length <= INLINE) {
        particles.push(...particle.particles);
      } else particles.push(particle);
    }
    const { min, max } = occurrenceOf(node, reading);
    if (max === 0 || particles.length === 0) return { particle: null, trouble: null };
    return sized({ kind, particles, min, max }, size);
  }

  function sized(particle: Particle, size: number): ReadParticle {
    sizes.set(particle, size);
    return { particle, trouble: null };
  }

  function member(node: XmlNode, unit: SchemaUnit): ReadParticle {
    if (depth >= DEPTH) return { particle: null, trouble: problemAt(node, 'The content model nests too deeply.') };
    depth++;
    const read = memberOf(node, unit);
    depth--;
    return read;
  }

  function memberOf(node: XmlNode, unit: SchemaUnit): ReadParticle {
    switch (node.local) {
      case 'sequence':
      case 'choice':
      case 'all':
        return compositor(node, unit, node.local);
      case 'group':
        return group(node, unit);
      case 'element':
        return element(node, unit);
      case 'any': {
        const occurrence = occurrenceOf(node, reading);
        return { particle: occurrence.max === 0 ? null : { kind: 'any', ...occurrence }, trouble: null };
      }
      default:
        return { particle: null, trouble: null };
    }
  }

  function group(node: XmlNode, unit: SchemaUnit): ReadParticle {
    const ref = attributeOf(node, 'ref') ?? '';
    const name = nameIn(node, ref, unit);
    const found = name === null ? undefined : reading.components.groups.get(typeKey(name));
    if (found === undefined) return { particle: null, trouble: problemAt(node, `The group ${ref} is not declared.`) };
    const original = open.has(found.node) ? reading.components.redefined.get(found.node) : undefined;
    const read = groupContent(original ?? found, node);
    const { min, max } = occurrenceOf(node, reading);
    const { particle } = read;
    if (particle === null || (min === 1 && max === 1)) return read;
    if (max === 0) return { particle: null, trouble: null };
    return sized(
      isOnce(particle) ? { ...particle, min, max } : { kind: 'sequence', particles: [particle], min, max },
      sizeOf(particle),
    );
  }

  function groupContent({ node, unit }: Component, from: XmlNode): ReadParticle {
    const known = groups.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) {
      return { particle: null, trouble: problemAt(from, 'The group contains itself.') };
    }
    open.add(node);
    const content = node.children.find(({ uri, local }) => uri === XSD && local !== 'annotation');
    const read = content === undefined ? { particle: null, trouble: null } : member(content, unit);
    open.delete(node);
    groups.set(node, read);
    return read;
  }

  function element(node: XmlNode, unit: SchemaUnit): ReadParticle {
    const { min, max } = occurrenceOf(node, reading);
    if (max === 0) return { particle: null, trouble: null };
    const ref = attributeOf(node, 'ref');
    if (ref === null) {
      return {
        particle: { kind: 'one', element: readElement({ node, unit }, 'local', reading), min, max },
        trouble: null,
      };
    }
    const particles = referred(node, ref, unit);
    const [only] = particles;
    if (only?.kind === 'one' && particles.length === 1) return { particle: { ...only, min, max }, trouble: null };
    return sized({ kind: 'choice', particles, min, max }, particles.length);
  }

  /** The element referred to and what may stand in its place (XSD part 1 section 3.3.6, substitution groups). */
  function referred(node: XmlNode, ref: string, unit: SchemaUnit): readonly Particle[] {
    const name = nameIn(node, ref, unit);
    const key = name === null ? '' : typeKey(name);
    const known = substitutes.get(key);
    if (known !== undefined) return known;
    const head = reading.element(key);
    if (head === null) return [once(missingElement(node, ref, name ?? { uri: '', local: ref }, reading))];
    const keys = new Set([key]);
    for (const at of keys) {
      for (const member of reading.components.members.get(at) ?? []) {
        keys.add(typeKey({ uri: member.unit.target, local: attributeOf(member.node, 'name') ?? '' }));
      }
    }
    const concrete = [...keys].filter((candidate) => !isAbstract(candidate));
    const elements = concrete.map((candidate) => reading.element(candidate)).filter((one) => one !== null);
    const particles = elements.length === 0 ? [once(head)] : elements.map(once);
    substitutes.set(key, particles);
    return particles;
  }

  const isAbstract = (key: string): boolean => {
    const component = reading.components.elements.get(key);
    return component !== undefined && isTrue(attributeOf(component.node, 'abstract'));
  };

  return member;
}

const once = (element: ElementDeclaration): Particle => ({ kind: 'one', element, min: 1, max: 1 });

function missingElement(node: XmlNode, ref: string, name: QName, reading: SchemaReading): ElementDeclaration {
  const type = opaqueType(null);
  reading.approximate(type, problemAt(node, `The element ${ref} is not declared; it is kept as XML.`));
  return { kind: 'element', name, type, nillable: true, default: null, fixed: null, documentation: null };
}

const isOnce = ({ min, max }: Occurrence): boolean => min === 1 && max === 1;

function occurrenceOf(node: XmlNode, reading: SchemaReading): Occurrence {
  const min = countOf(node, 'minOccurs', reading);
  const max = attributeOf(node, 'maxOccurs') === 'unbounded' ? Infinity : countOf(node, 'maxOccurs', reading);
  if (min <= max) return { min, max };
  if (max > 0) reading.notices.add(problemAt(node, 'minOccurs is greater than maxOccurs; maxOccurs counts.'));
  return { min: max, max };
}

function countOf(node: XmlNode, name: 'minOccurs' | 'maxOccurs', reading: SchemaReading): number {
  const value = attributeOf(node, name);
  if (value === null) return 1;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  reading.notices.add(problemAt(node, `${name} is not a number; it is taken as 1.`));
  return 1;
}
