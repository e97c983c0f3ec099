import type { Diagnostic } from '../../core/index.js';
import { isNcName, type QName } from '../../xml/index.js';
import { XSD } from '../documents/namespaces.js';
import { attributeOf, diagnosticAtNode, nameOfNode, type XmlNode } from '../documents/xml-tree.js';
import { type ElementDeclaration, type Particle, typeKey } from '../model.js';
import { plainElement } from '../plain.js';
import { blocksMember, blocksSubstitution } from './blocked.js';
import { opaqueType } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { undeclaredAt } from './components.js';
import { readElement } from './elements.js';
import { nameMeant } from './name-meant.js';
import type { SchemaContext } from './schema-context.js';
import { type Component, nameInUnit, type SchemaUnit } from './schema-unit.js';
import { readWildcard } from './wildcards.js';

/** A content model, null for "no content". With a `reason` it is not reliable. */
interface ReadParticle {
  readonly particle: Particle | null;
  readonly reason: Diagnostic | null;
}

type Compositor = 'sequence' | 'choice' | 'all';
interface Occurrence {
  readonly min: number;
  readonly max: number;
}

/**
 * Compositors and groups inside each other; documents nest less deeply than this, only groups can
 * exceed it.
 */
const DEPTH = 200;
/**
 * Groups that contain groups can multiply: a content model with more elements than this is not
 * built.
 */
const MOST = 65_535;
const INLINE = 500;
/**
 * Particles of one model that may be copied out of groups, or stand in for the heads of
 * substitution groups.
 */
const COPIED = 2_000_000;

/** Reads content models: `sequence`, `choice`, `all`, and `group` references. */
export class ParticleReader {
  readonly #context: SchemaContext;
  readonly #groups = new ComponentMap<ReadParticle>();
  readonly #open = new Set<XmlNode>();
  readonly #substitutes = new Map<string, Particle>();
  readonly #sizes = new WeakMap<Particle, number>();
  #depth = 0;
  #copied = 0;

  constructor(context: SchemaContext) {
    this.#context = context;
  }

  /** A `sequence`, `choice`, `all`, `group` or `element` with what is in it. */
  read(node: XmlNode, unit: SchemaUnit): ReadParticle {
    if (this.#depth >= DEPTH) {
      return {
        particle: null,
        reason: diagnosticAtNode(node, 'The content model nests too deeply.'),
      };
    }
    this.#depth++;
    const read = this.#memberOf(node, unit);
    this.#depth--;
    return read;
  }

  #compositor(node: XmlNode, unit: SchemaUnit, kind: Compositor): ReadParticle {
    const particles: Particle[] = [];
    let size = 0;
    let mayBeEmpty = false;
    for (const child of node.children) {
      if (child.uri !== XSD) continue;
      const { particle, reason } = this.read(child, unit);
      if (reason !== null) return { particle: null, reason };
      if (particle === null) {
        mayBeEmpty ||= kind === 'choice' && isEmptyBranch(child);
        continue;
      }
      size += this.#sizeOf(particle);
      if (size > MOST) {
        return {
          particle: null,
          reason: diagnosticAtNode(node, 'The content model is larger than allowed.'),
        };
      }
      if (particle.kind === kind && isOnce(particle) && this.#mayCopy(particle.particles.length)) {
        particles.push(...particle.particles);
      } else {
        particles.push(particle);
      }
    }
    const { min, max } = occurrenceOf(node, this.#context);
    if (max === 0 || particles.length === 0) return { particle: null, reason: null };
    return this.#sized({ kind, particles, min: mayBeEmpty ? 0 : min, max }, size);
  }

  #sized(particle: Particle, size: number): ReadParticle {
    this.#sizes.set(particle, size);
    return { particle, reason: null };
  }

  #memberOf(node: XmlNode, unit: SchemaUnit): ReadParticle {
    switch (node.local) {
      case 'sequence':
      case 'choice':
      case 'all':
        return this.#compositor(node, unit, node.local);
      case 'group':
        return this.#group(node, unit);
      case 'element':
        return this.#element(node, unit);
      case 'any': {
        const occurrence = occurrenceOf(node, this.#context);
        return {
          particle:
            occurrence.max === 0
              ? null
              : { kind: 'any', wildcard: readWildcard(node, unit.target), ...occurrence },
          reason: null,
        };
      }
      default:
        return { particle: null, reason: null };
    }
  }

  #group(node: XmlNode, unit: SchemaUnit): ReadParticle {
    const ref = attributeOf(node, 'ref') ?? '';
    const name = nameInUnit(node, ref, unit);
    const found = name === null ? undefined : this.#context.components.groups.get(typeKey(name));
    if (found === undefined) {
      const what = `The group ${ref} is not declared.`;
      return { particle: null, reason: undeclaredAt(node, what, name, this.#context.components) };
    }
    const original = this.#open.has(found.node)
      ? this.#context.components.redefined.get(found)
      : undefined;
    const read = this.#groupContent(original ?? found, node);
    const { min, max } = occurrenceOf(node, this.#context);
    const { particle } = read;
    if (particle === null || (min === 1 && max === 1)) return read;
    if (max === 0) return { particle: null, reason: null };
    return this.#sized(
      isOnce(particle)
        ? { ...particle, min, max }
        : { kind: 'sequence', particles: [particle], min, max },
      this.#sizeOf(particle),
    );
  }

  #groupContent(group: Component, from: XmlNode): ReadParticle {
    const { node, unit } = group;
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    if (this.#open.has(node)) {
      return { particle: null, reason: diagnosticAtNode(from, 'The group contains itself.') };
    }
    this.#open.add(node);
    const content = node.children.find(({ uri, local }) => uri === XSD && local !== 'annotation');
    const read =
      content === undefined ? { particle: null, reason: null } : this.read(content, unit);
    this.#open.delete(node);
    return this.#groups.set(group, read);
  }

  #element(node: XmlNode, unit: SchemaUnit): ReadParticle {
    const { min, max } = occurrenceOf(node, this.#context);
    if (max === 0) return { particle: null, reason: null };
    const ref = attributeOf(node, 'ref');
    if (ref === null) {
      const isNamed = isNcName(nameOfNode(node));
      if (!isNamed) {
        return { particle: null, reason: diagnosticAtNode(node, 'An element has no proper name.') };
      }
      return {
        particle: {
          kind: 'one',
          element: readElement({ node, unit }, 'local', this.#context),
          min,
          max,
        },
        reason: null,
      };
    }
    const name = nameMeant(node, ref, unit, 'elements', this.#context);
    if (name === null || !isNcName(name.local)) {
      return {
        particle: null,
        reason: diagnosticAtNode(node, `The element ${ref} uses a prefix that is not declared.`),
      };
    }
    const referred = this.#referred(node, ref, name);
    if (isOnce({ min, max })) return { particle: referred, reason: null };
    return this.#sized({ ...referred, min, max }, this.#sizeOf(referred));
  }

  /**
   * The element referred to, or a choice of its substitutes (XSD part 1 section 3.3.6, substitution
   * groups): one for all references to it.
   */
  #referred(node: XmlNode, ref: string, name: QName): Particle {
    const key = typeKey(name);
    const known = this.#substitutes.get(key);
    if (known !== undefined) return known;
    const head = this.#context.element(name);
    if (head === null) return once(missingElement(node, ref, name, this.#context));
    if (this.#copied > COPIED && this.#context.components.members.has(key)) {
      const what =
        'The members of substitution groups are more than allowed; ' +
        `of that of ${ref} only the head is known.`;
      this.#context.warnings.addAt(node, what);
      return once(head);
    }
    const members = this.#membersOf(key, name);
    this.#copied += members.size;
    const elements = [...members.values()]
      .map((member) => this.#context.element(member))
      .filter((one) => one !== null);
    const concrete = elements.filter(({ abstract }) => !abstract);
    const [only = head] = concrete;
    const particle: Particle =
      concrete.length < 2
        ? once(only)
        : { kind: 'choice', particles: concrete.map(once), min: 1, max: 1 };
    this.#sizes.set(particle, concrete.length);
    this.#substitutes.set(key, particle);
    return particle;
  }

  /** The head of a substitution group, its members, their members and so on, by key. */
  #membersOf(key: string, name: QName): ReadonlyMap<string, QName> {
    const members = new Map<string, QName>([[key, name]]);
    const head = this.#context.components.elements.get(key);
    if (head !== undefined && blocksSubstitution(head.node, head.unit)) return members;
    const components = new Map<string, Component>();
    for (const at of members.keys()) {
      for (const component of this.#context.components.members.get(at) ?? []) {
        const member = { uri: component.unit.target, local: nameOfNode(component.node) };
        members.set(typeKey(member), member);
        components.set(typeKey(member), component);
      }
    }
    // A member that may not stand for the head may be the head of one that may.
    for (const [at, component] of components) {
      if (
        head !== undefined &&
        at !== key &&
        blocksMember(head, component, this.#context.components)
      ) {
        members.delete(at);
      }
    }
    return members;
  }

  #mayCopy(count: number): boolean {
    if (count > INLINE || this.#copied > COPIED) return false;
    this.#copied += count;
    return true;
  }

  #sizeOf(particle: Particle): number {
    return this.#sizes.get(particle) ?? 1;
  }
}

/** Whether a node without a particle is a branch that nothing satisfies, and not an absent one. */
const isEmptyBranch = (node: XmlNode): boolean =>
  (node.local === 'sequence' || node.local === 'all' || node.local === 'group') &&
  attributeOf(node, 'maxOccurs') !== '0';

const once = (element: ElementDeclaration): Particle => ({ kind: 'one', element, min: 1, max: 1 });

function missingElement(
  node: XmlNode,
  ref: string,
  name: QName,
  context: SchemaContext,
): ElementDeclaration {
  const type = opaqueType(null);
  const what = `The element ${ref} is not declared; it is kept as XML.`;
  context.approximate(type, undeclaredAt(node, what, name, context.components));
  return plainElement(name, type, { nillable: true });
}

const isOnce = ({ min, max }: Occurrence): boolean => min === 1 && max === 1;

function occurrenceOf(node: XmlNode, context: SchemaContext): Occurrence {
  const min = countOf(node, 'minOccurs', context);
  const max =
    attributeOf(node, 'maxOccurs') === 'unbounded' ? Infinity : countOf(node, 'maxOccurs', context);
  if (min <= max) return { min, max };
  if (max > 0) {
    context.warnings.addAt(node, 'minOccurs is greater than maxOccurs; maxOccurs counts.');
  }
  return { min: max, max };
}

function countOf(node: XmlNode, name: 'minOccurs' | 'maxOccurs', context: SchemaContext): number {
  const value = attributeOf(node, name);
  if (value === null) return 1;
  if (/^\+?\d+$/.test(value)) {
    const count = Number(value);
    if (count <= Number.MAX_SAFE_INTEGER) return count;
    // More than any message has: no limit.
    return name === 'maxOccurs' ? Infinity : Number.MAX_SAFE_INTEGER;
  }
  context.warnings.addAt(node, `${name} is not a number; it is taken as 1.`);
  return 1;
}
