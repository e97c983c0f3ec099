import { SOAP_ENCODINGS, WSDL, XSD } from '../documents/namespaces.js';
import {
  attributeOf,
  childOf,
  childrenOf,
  diagnosticAtNode,
  documentationIn,
  type XmlNode,
} from '../documents/xml-tree.js';
import {
  ANYTHING,
  type ComplexType,
  type Content,
  type Particle,
  type SimpleType,
  type XsdType,
} from '../model.js';
import { AttributeReader, type Attributes, type ReadAttributes } from './attributes.js';
import { blockedBy } from './blocked.js';
import { ANY_TYPE, INCLUDED, isInclude, opaqueType, STRING } from './builtin.js';
import { ParticleReader } from './particles.js';
import { isTrue, type OpenComplexType, type SchemaContext } from './schema-context.js';
import { type Component, nameInUnit } from './schema-unit.js';

const OPAQUE: Content = { kind: 'opaque', mixed: null };
const EMPTY: Content = { kind: 'empty' };
const NO_ATTRIBUTES: Attributes = { attributes: [], anyAttribute: null };
const INLINE = 500;
/**
 * Particles that extensions of one model may copy; beyond that they hold those of their base as
 * one.
 */
const COPIED = 2_000_000;

/** An `extension` or `restriction`, and the element that holds it. */
interface Step {
  readonly kind: 'simple' | 'complex';
  readonly container: XmlNode;
  readonly node: XmlNode;
}

/** The derivation a complex type is made by; null for one that is not derived. */
export function derivationOf(type: XmlNode): Step | null {
  const simple = childOf(type, XSD, 'simpleContent');
  const container = simple ?? childOf(type, XSD, 'complexContent');
  if (container === null) return null;
  const node = childOf(container, XSD, 'extension') ?? childOf(container, XSD, 'restriction');
  return node && { kind: simple === null ? 'complex' : 'simple', container, node };
}

/**
 * Fills the shells of complex types (XSD 1.0 part 1 section 3.4.2); base types are filled first.
 */
export class ComplexTypeReader {
  readonly #context: SchemaContext;
  readonly #attributes: AttributeReader;
  readonly #particles: ParticleReader;
  #copied = 0;

  constructor(context: SchemaContext) {
    this.#context = context;
    this.#attributes = new AttributeReader(context);
    this.#particles = new ParticleReader(context);
  }

  fill(type: OpenComplexType, { node, unit }: Component): void {
    type.abstract = isTrue(attributeOf(node, 'abstract'));
    type.blocked = blockedBy(node, unit);
    type.documentation = documentationIn(childOf(node, XSD, 'annotation'), XSD);
    const step = derivationOf(node);
    const mixed = isTrue(
      (step && attributeOf(step.container, 'mixed')) ?? attributeOf(node, 'mixed'),
    );
    if (step === null) {
      const particle = this.#ownParticle(type, { node, unit });
      type.content = particle === undefined ? OPAQUE : contentOf(particle, mixed);
      this.#setAttributes(type, this.#attributes.own(node, unit));
    } else {
      const base = this.#baseOf(type, { node: step.node, unit });
      if (step.kind === 'simple') {
        this.#fillSimple(type, { node: step.node, unit }, base);
      } else {
        this.#fillComplex(type, { node: step.node, unit }, base, mixed);
      }
    }
  }

  #fillSimple(type: OpenComplexType, step: Component, base: XsdType | null): void {
    const { node, unit } = step;
    const inner = node.local === 'restriction' ? childOf(node, XSD, 'simpleType') : null;
    const text =
      inner === null ? this.#textOf(type, node, base) : this.#context.simple.inline(inner, unit);
    const isNarrowed = node.local === 'restriction';
    type.content = {
      kind: 'text',
      type: isNarrowed ? this.#context.simple.restricted(text, node, null, null) : text,
    };
    this.#derive(type, step, base);
  }

  #textOf(type: ComplexType, node: XmlNode, base: XsdType | null): SimpleType {
    if (base?.kind === 'simple') return base;
    if (base?.content.kind === 'text') return base.content.type;
    const what =
      `${nameFor(type)} has simple content but its base has not; ` +
      'its text is taken as a string.';
    if (base !== null && this.#context.reasonsFor(base).length === 0) {
      this.#context.approximate(type, diagnosticAtNode(node, what));
    }
    return STRING;
  }

  #fillComplex(type: OpenComplexType, step: Component, base: XsdType | null, mixed: boolean): void {
    const own = this.#ownParticle(type, step);
    this.#derive(type, step, base);
    if (base?.kind === 'simple') {
      const what =
        `${nameFor(type)} has complex content but its base is a simple ` +
        'type; it is kept as XML.';
      this.#context.approximate(type, diagnosticAtNode(step.node, what));
    }
    if (base?.kind === 'complex' && base.content.kind === 'array') {
      type.content = arrayContent(step, base.content, own ?? null, this.#context);
      type.anyAttribute = ANYTHING;
      // An array is named by the type of its items (SOAP 1.1 section 5.4.2), and may narrow it: it
      // is like no other.
      type.base = null;
      type.derivation = null;
    } else if (own === undefined || base === null || base.kind === 'simple') {
      type.content = OPAQUE;
    } else if (own === null && base.content.kind === 'text') {
      type.content = base.content;
    } else if (step.node.local === 'restriction') {
      type.content = contentOf(own, mixed);
    } else {
      type.content = this.#extended(base, own, mixed);
    }
  }

  #extended(base: ComplexType, own: Particle | null, mixed: boolean): Content {
    const { content } = base;
    switch (content.kind) {
      case 'elements':
        return contentOf(this.#joined(content.particle, own), mixed);
      case 'empty':
        return contentOf(own, mixed);
      case 'opaque':
        if (content.mixed !== null) {
          return contentOf(this.#joined(content.mixed.particle, own), true);
        }
        // Nothing can follow arbitrary content: an extension of xs:anyType is read as the content
        // it adds.
        if (own === null) return content;
        return this.#context.isDeclared(base) || this.#context.reasonsFor(base).length > 0
          ? OPAQUE
          : contentOf(own, mixed);
      default:
        return OPAQUE;
    }
  }

  /**
   * Base first (XSD part 1 section 3.4.2): plain sequences become one, anything else a sequence of
   * the two.
   */
  #joined(base: Particle | null, own: Particle | null): Particle | null {
    if (base === null || own === null) return base ?? own;
    const particles = [...this.#partsOf(base), ...this.#partsOf(own)];
    this.#copied += particles.length;
    return { kind: 'sequence', particles, min: 1, max: 1 };
  }

  #partsOf(particle: Particle): readonly Particle[] {
    if (particle.kind !== 'sequence' || particle.min !== 1 || particle.max !== 1) return [particle];
    return particle.particles.length > INLINE || this.#copied > COPIED
      ? [particle]
      : particle.particles;
  }

  /** Sets the attributes of a derived type, and adds the reasons why its base is approximated. */
  #derive(type: OpenComplexType, { node, unit }: Component, base: XsdType | null): void {
    const inherited = base?.kind === 'complex' ? base : NO_ATTRIBUTES;
    const isExtension = node.local === 'extension';
    const attributes = isExtension
      ? this.#attributes.extended(node, unit, inherited)
      : this.#attributes.restricted(node, unit, inherited);
    this.#setAttributes(type, attributes);
    const isWhole = !isExtension && type.content.kind !== 'text';
    if (base === null || isWhole) return;
    for (const diagnostic of this.#context.reasonsFor(base)) {
      this.#context.approximate(type, diagnostic);
    }
  }

  #setAttributes(
    type: OpenComplexType,
    { attributes, anyAttribute, reasons }: ReadAttributes,
  ): void {
    type.attributes = attributes;
    type.anyAttribute = anyAttribute;
    for (const diagnostic of reasons) {
      this.#context.approximate(type, diagnostic);
    }
  }

  /**
   * The type that `base` names, linked with this one; null, with a reason added, when it cannot be
   * used.
   */
  #baseOf(type: OpenComplexType, { node, unit }: Component): XsdType | null {
    const value = attributeOf(node, 'base');
    if (value === null) return ANY_TYPE;
    const base = this.#context.typeNamed(node, value, unit);
    if (base.kind === 'simple' || !this.#context.isDeclared(base)) return base;
    if (!this.#context.fill(base)) {
      const what = `${nameFor(type)} is derived from itself, or too deeply.`;
      this.#context.approximate(type, diagnosticAtNode(node, what));
      return null;
    }
    // Only a type replaced by a redefinition is a base without a name: no element has that type, so
    // it is no base.
    const isReplaced = base.name === null;
    type.base = isReplaced ? base.base : base;
    const derivation = node.local === 'extension' ? 'extension' : 'restriction';
    type.derivation = isReplaced ? base.derivation : derivation;
    return base;
  }

  /**
   * The content model written here, null for none; undefined, with a reason added, when it cannot
   * be used.
   */
  #ownParticle(type: ComplexType, { node, unit }: Component): Particle | null | undefined {
    const model = node.children.find(
      ({ uri, local }) => uri === XSD && /^(sequence|choice|all|group)$/.test(local),
    );
    if (model === undefined) return null;
    const { particle, reason } = this.#particles.read(model, unit);
    if (reason === null) return particle;
    this.#context.approximate(type, {
      ...reason,
      what: `${reason.what} ${nameFor(type)} is kept as XML.`,
    });
    return undefined;
  }
}

const nameFor = (type: ComplexType): string =>
  type.name === null ? 'The type' : `The type ${type.name.local}`;

function contentOf(particle: Particle | null, mixed: boolean): Content {
  if (particle !== null && isOnlyInclude(particle)) return { kind: 'text', type: INCLUDED };
  if (mixed) return { kind: 'opaque', mixed: { particle } };
  return particle === null ? EMPTY : { kind: 'elements', particle };
}

/**
 * Whether all that may stand there is an Include: such a type describes binary content as it
 * travels (XOP 1.0 section 2.1).
 */
function isOnlyInclude(root: Particle): boolean {
  let particle = root;
  while (particle.kind !== 'one' && particle.kind !== 'any') {
    const [only, ...others] = particle.particles;
    if (only === undefined || others.length > 0 || particle.max !== 1) return false;
    particle = only;
  }
  return particle.kind === 'one' && particle.max === 1 && isInclude(particle.element);
}

type ArrayContent = Extract<Content, { readonly kind: 'array' }>;

/** Arrays of arrays of arrays: more levels or dimensions than any stack writes are cut. */
const MOST = 16;

/**
 * The content of a type derived from `soapenc:Array`. It names its items with `wsdl:arrayType`
 * (WSDL 1.1 section 2.2), with `itemType` and `arraySize` (SOAP 1.2 part 2 section 3.1.4), or by
 * the element of its content model.
 */
function arrayContent(
  { node, unit }: Component,
  base: ArrayContent,
  particle: Particle | null,
  context: SchemaContext,
): ArrayContent {
  let item: XsdType | null = null;
  let dimensions: number | null = null;
  for (const attribute of childrenOf(node, XSD, 'attribute')) {
    const arrayType = attribute.attributes.get(`{${WSDL}}arrayType`)?.trim();
    if (arrayType !== undefined) {
      const [name = '', ...ranks] = arrayType.split('[', MOST);
      const sizes = ranks.map((rank) => Math.min(MOST, rank.split(',').length));
      item = context.typeNamed(attribute, name.trim(), unit);
      for (const inner of sizes.slice(0, -1)) {
        item = arrayOf({ kind: 'array', item, dimensions: inner });
      }
      return { kind: 'array', item, dimensions: sizes.at(-1) ?? 1 };
    }
    const itemType = writtenValue({ node: attribute, unit }, 'itemType');
    if (itemType !== null) {
      item = context.typeNamed(attribute, itemType, unit);
    }
    const size = writtenValue({ node: attribute, unit }, 'arraySize');
    if (size !== null) {
      dimensions = Math.min(MOST, size.split(/\s+/).length);
    }
  }
  item ??= firstElement(particle) ?? base.item;
  return { kind: 'array', item, dimensions: dimensions ?? base.dimensions };
}

const arrayOf = (content: ArrayContent): XsdType => ({ ...opaqueType(null), content });

/**
 * The value of an attribute of the encoding: by `wsdl:` annotation, or its fixed or default value.
 */
function writtenValue({ node, unit }: Component, local: 'itemType' | 'arraySize'): string | null {
  const annotated = node.attributes.get(`{${WSDL}}${local}`)?.trim();
  if (annotated !== undefined) return annotated;
  const ref = attributeOf(node, 'ref');
  const name = ref === null ? null : nameInUnit(node, ref, unit);
  if (name === null || name.local !== local || !SOAP_ENCODINGS.includes(name.uri)) return null;
  return attributeOf(node, 'fixed') ?? attributeOf(node, 'default');
}

function firstElement(root: Particle | null): XsdType | null {
  let at = root ?? undefined;
  while (at !== undefined && at.kind !== 'one') {
    at = at.kind === 'any' ? undefined : at.particles[0];
  }
  return at?.element.type ?? null;
}
