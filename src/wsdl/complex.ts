import type { AttributeReader } from './attributes.js';
import { ANY_TYPE, STRING } from './builtin.js';
import { type Component, nameIn } from './components.js';
import type { ComplexType, Content, Particle, SimpleType, XsdType } from './model.js';
import { SOAP_ENCODINGS, XSD } from './namespaces.js';
import type { ParticleReader } from './particles.js';
import { isTrue, type OpenComplexType, type SchemaReading } from './schema-reading.js';
import { attributeOf, childOf, documentationIn, problemAt, type XmlNode } from './tree.js';

export interface ComplexReaders {
  readonly reading: SchemaReading;
  readonly attributes: AttributeReader;
  readonly particles: ParticleReader;
}

const OPAQUE: Content = { kind: 'opaque', mixed: null };
const EMPTY: Content = { kind: 'empty' };
const INLINE = 500;

/** Reads an `xs:complexType` into its shell; base types are filled first. */
export function fillComplexType(type: OpenComplexType, { node, unit }: Component, readers: ComplexReaders): void {
  const { reading, attributes } = readers;
  type.abstract = isTrue(attributeOf(node, 'abstract'));
  type.documentation = documentationIn(childOf(node, XSD, 'annotation'), XSD);
  const simple = childOf(node, XSD, 'simpleContent');
  const complex = childOf(node, XSD, 'complexContent');
  const step = derivationOf(simple ?? complex);
  if (step !== null && simple !== null) fillSimpleContent(type, { node: step, unit }, readers);
  else if (step !== null) fillComplexContent(type, { node: step, unit }, readers);
  else {
    type.content = ownContent(type, { node, unit }, readers);
    type.attributes = attributes(node, unit, []);
  }
  if (!isTrue(attributeOf(node, 'mixed')) && !isTrue(complex && attributeOf(complex, 'mixed'))) return;
  type.content = OPAQUE;
  reading.approximate(type, problemAt(node, `${nameFor(type)} has mixed content; it is kept as XML.`));
}

const derivationOf = (content: XmlNode | null): XmlNode | null =>
  content === null ? null : (childOf(content, XSD, 'extension') ?? childOf(content, XSD, 'restriction'));

const nameFor = (type: ComplexType): string => (type.name === null ? 'The type' : `The type ${type.name.local}`);

function fillSimpleContent(type: OpenComplexType, { node, unit }: Component, readers: ComplexReaders): void {
  const { reading } = readers;
  const base = baseOf(type, { node, unit }, readers);
  let text: SimpleType = STRING;
  if (base?.kind === 'simple') text = base;
  else if (base?.content.kind === 'text') text = base.content.type;
  if (node.local === 'restriction') {
    const inner = childOf(node, XSD, 'simpleType');
    text = reading.simple.restricted(inner === null ? text : reading.simple.inline(inner, unit), node, null, null);
  }
  type.content = { kind: 'text', type: text };
  type.attributes = readers.attributes(node, unit, base?.kind === 'complex' ? base.attributes : []);
}

function fillComplexContent(type: OpenComplexType, { node, unit }: Component, readers: ComplexReaders): void {
  const base = baseOf(type, { node, unit }, readers);
  const inherited = base?.kind === 'complex' ? base : ANY_TYPE;
  type.attributes = readers.attributes(node, unit, inherited.attributes);
  const own = ownContent(type, { node, unit }, readers);
  if (base?.kind !== 'complex') {
    type.content = OPAQUE;
    if (base !== null) {
      const what = `${nameFor(type)} has complex content but its base is a simple type; it is kept as XML.`;
      readers.reading.approximate(type, problemAt(node, what));
    }
  } else if (base === ANY_TYPE) type.content = own;
  else if (base.content.kind === 'opaque') type.content = OPAQUE;
  else if (node.local === 'extension') type.content = extended(base.content, own);
  else type.content = own;
}

/** The type that `base` names, linked with this one; null, with a reason given, when there is none. */
function baseOf(type: OpenComplexType, { node, unit }: Component, readers: ComplexReaders): XsdType | null {
  const { reading } = readers;
  const value = attributeOf(node, 'base') ?? '';
  const name = nameIn(node, value, unit);
  if (name !== null && SOAP_ENCODINGS.includes(name.uri) && /^(Array|Struct)$/i.test(name.local)) {
    const what = `${nameFor(type)} is an array of the SOAP encoding; it is kept as XML.`;
    reading.approximate(type, problemAt(node, what));
    return null;
  }
  const base = reading.typeNamed(node, value, unit);
  if (base.kind === 'simple' || base === ANY_TYPE) return base;
  if (!reading.fill(base)) {
    reading.approximate(type, problemAt(node, `${nameFor(type)} is derived from itself, or too deeply.`));
    return null;
  }
  type.base = base;
  type.derivation = node.local === 'extension' ? 'extension' : 'restriction';
  return base;
}

function ownContent(type: ComplexType, { node, unit }: Component, readers: ComplexReaders): Content {
  const model = node.children.find(({ uri, local }) => uri === XSD && /^(sequence|choice|all|group)$/.test(local));
  if (model === undefined) return EMPTY;
  const { particle, trouble } = readers.particles.read(model, unit);
  if (trouble !== null) {
    readers.reading.approximate(type, { ...trouble, what: `${trouble.what} ${nameFor(type)} is kept as XML.` });
    return OPAQUE;
  }
  return particle === null ? EMPTY : { kind: 'elements', particle };
}

/** Base first (XSD part 1 section 3.4.2): plain sequences become one, anything else a sequence of the two. */
function extended(base: Content, own: Content): Content {
  if (own.kind !== 'elements') return own.kind === 'opaque' ? own : base;
  if (base.kind !== 'elements') return own;
  const parts = [base.particle, own.particle].flatMap((particle): readonly Particle[] =>
    particle.kind === 'sequence' && particle.min === 1 && particle.max === 1 && particle.particles.length <= INLINE
      ? particle.particles
      : [particle],
  );
  return { kind: 'elements', particle: { kind: 'sequence', particles: parts, min: 1, max: 1 } };
}
