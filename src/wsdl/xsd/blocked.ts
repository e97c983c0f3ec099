import { XSD } from '../documents/namespaces.js';
import { attributeOf, childOf, type XmlNode } from '../documents/xml-tree.js';
import { type ComplexType, typeKey } from '../model.js';
import type { SchemaComponents } from './components.js';
import { type Component, nameInUnit, type SchemaUnit } from './schema-unit.js';

type Derivation = NonNullable<ComplexType['derivation']>;

/**
 * The ways of derivation that `block` excludes, or `blockDefault` of the schema (XSD 1.0 part 1
 * sections 3.3.2 and 3.4.2).
 */
export function blockedBy(node: XmlNode, { node: schema }: SchemaUnit): readonly Derivation[] {
  const words = wordsOf(node, schema);
  return DERIVATIONS.filter((derivation) => words.includes(derivation) || words.includes('#all'));
}

/** Whether these attributes exclude substitution of an element (XSD 1.0 part 1 section 3.3.6). */
export function blocksSubstitution(node: XmlNode, { node: schema }: SchemaUnit): boolean {
  const words = wordsOf(node, schema);
  return words.includes('substitution') || words.includes('#all');
}

const wordsOf = (node: XmlNode, schema: XmlNode): readonly string[] =>
  (attributeOf(node, 'block') ?? attributeOf(schema, 'blockDefault') ?? '').split(/[ \t\r\n]+/);

const DERIVATIONS: readonly Derivation[] = ['extension', 'restriction'];

/**
 * Types derived from each other, or elements whose type is that of their head: longer chains are
 * not followed.
 */
const CHAIN = 100;

/**
 * Whether an element of a substitution group may not stand for its head, because its type is
 * derived in a way that the head or a type between them blocks (XSD 1.0 part 1 section 3.3.6,
 * Substitution Group OK).
 */
export function blocksMember(
  head: Component,
  member: Component,
  components: SchemaComponents,
): boolean {
  const target = typeAt(head, components);
  const banned = new Set(blockedBy(head.node, head.unit));
  const ways = new Set<Derivation>();
  let at = typeAt(member, components);
  for (let step = 0; step < CHAIN && at !== null; step++) {
    if (step > 0 || at.key === target?.key) {
      for (const way of blockedIn(at)) {
        banned.add(way);
      }
    }
    if (at.key === target?.key) break;
    const derived = baseOf(at, components);
    ways.add(derived.way);
    at = derived.base;
  }
  return [...ways].some((way) => banned.has(way));
}

/** A type by its name, or by its node where it has none. */
interface TypeRef {
  readonly key: string | XmlNode;
  /** Null for one that is built in, or declared nowhere. */
  readonly component: Component | null;
}

const blockedIn = ({ component }: TypeRef): readonly Derivation[] =>
  component?.node.local === 'complexType' ? blockedBy(component.node, component.unit) : [];

/** The type of a global element; null where it has none, so that it is anyType. */
function typeAt(element: Component, components: SchemaComponents): TypeRef | null {
  let { node, unit } = element;
  for (let step = 0; step < CHAIN; step++) {
    const written = attributeOf(node, 'type');
    if (written !== null) return typeNamed({ node, unit }, written, components);
    const inline = childOf(node, XSD, 'complexType') ?? childOf(node, XSD, 'simpleType');
    if (inline !== null) return { key: inline, component: { node: inline, unit } };
    const head = attributeOf(node, 'substitutionGroup');
    const name = head === null ? null : nameInUnit(node, head, unit);
    const found = name === null ? undefined : components.elements.get(typeKey(name));
    if (found === undefined) break;
    ({ node, unit } = found);
  }
  return null;
}

function typeNamed(
  { node, unit }: Component,
  written: string,
  { types }: SchemaComponents,
): TypeRef | null {
  const name = nameInUnit(node, written, unit);
  if (name === null) return null;
  const key = typeKey(name);
  const component = types.get(key) ?? null;
  return { key: component?.node ?? key, component };
}

/** How a type is derived, and from what. */
function baseOf(
  { component }: TypeRef,
  components: SchemaComponents,
): { readonly way: Derivation; readonly base: TypeRef | null } {
  const node = component?.node ?? null;
  const content =
    node && (childOf(node, XSD, 'complexContent') ?? childOf(node, XSD, 'simpleContent') ?? node);
  const step =
    content && (childOf(content, XSD, 'extension') ?? childOf(content, XSD, 'restriction'));
  const base = step && attributeOf(step, 'base');
  // Everything else is a restriction: of anyType, of anySimpleType, or of one built-in type by
  // another.
  if (component === null || step === null || base === null) {
    return { way: 'restriction', base: null };
  }
  const way = step.local === 'extension' ? 'extension' : 'restriction';
  return { way, base: typeNamed({ node: step, unit: component.unit }, base, components) };
}
