import type { QName } from '../xml/events.js';
import { ANY_SIMPLE, builtInSimple, NO_FACETS, STRING } from './builtin.js';
import { type Component, nameIn, type SchemaComponents, type SchemaUnit } from './components.js';
import { type EnumerationValue, type Facets, type SimpleType, typeKey } from './model.js';
import { isBuiltInNamespace, XSD } from './namespaces.js';
import type { Notices } from './notices.js';
import { attributeOf, childOf, childrenOf, documentationIn, problemAt, type XmlNode } from './tree.js';

/** Simple types by name and inline. What is not understood becomes a string, with a notice. */
export interface SimpleTypes {
  /** The declared or built-in simple type with this name; null when there is no simple type of that name. */
  named(name: QName): SimpleType | null;
  inline(node: XmlNode, unit: SchemaUnit): SimpleType;
  /** `base` narrowed by the facets in `restriction`. */
  restricted(base: SimpleType, restriction: XmlNode, name: QName | null, documentation: string | null): SimpleType;
  /** The type an attribute of this node names (`type`, `base`, `itemType`), or a string with a notice. */
  referred(node: XmlNode, value: string, unit: SchemaUnit): SimpleType;
}

const CHAIN = 100;

export function readSimpleTypes(components: SchemaComponents, notices: Notices): SimpleTypes {
  const done = new Map<XmlNode, SimpleType>();
  const open = new Set<XmlNode>();

  function fromComponent({ node, unit }: Component, name: QName | null): SimpleType {
    const known = done.get(node);
    if (known !== undefined && typeKeyOf(known.name) === typeKeyOf(name)) return known;
    if (open.has(node) || open.size > CHAIN) {
      notices.add(problemAt(node, 'The simple type is derived from itself, or too deeply; it is taken as a string.'));
      return STRING;
    }
    open.add(node);
    try {
      const type = read(node, unit, name);
      done.set(node, type);
      return type;
    } finally {
      open.delete(node);
    }
  }

  function named(name: QName): SimpleType | null {
    if (isBuiltInNamespace(name.uri)) return builtInSimple(name);
    const component = components.types.get(typeKey(name));
    return component === undefined || component.node.local !== 'simpleType' ? null : fromComponent(component, name);
  }

  function referred(node: XmlNode, value: string, unit: SchemaUnit): SimpleType {
    const name = nameIn(node, value, unit);
    const original = name === null ? undefined : redefinedBase(node, name, unit, components);
    const type = original === undefined ? name && named(name) : fromComponent(original, null);
    if (type !== null) return type;
    notices.add(problemAt(node, `The simple type ${value} is not declared; it is taken as a string.`));
    return STRING;
  }

  function read(node: XmlNode, unit: SchemaUnit, name: QName | null): SimpleType {
    const documentation = documentationIn(childOf(node, XSD, 'annotation'), XSD);
    const restriction = childOf(node, XSD, 'restriction');
    if (restriction !== null) {
      return restrictedType(baseOf(restriction, 'base', unit), restriction, name, documentation, notices);
    }
    const list = childOf(node, XSD, 'list');
    if (list !== null) {
      const { builtIn } = baseOf(list, 'itemType', unit);
      return { kind: 'simple', name, variety: 'list', builtIn, enumeration: null, facets: NO_FACETS, documentation };
    }
    const union = childOf(node, XSD, 'union');
    if (union === null) notices.add(problemAt(node, 'The simple type says nothing; it is taken as a string.'));
    return {
      kind: 'simple',
      name,
      variety: union === null ? 'atomic' : 'union',
      builtIn: 'string',
      enumeration: null,
      facets: NO_FACETS,
      documentation,
    };
  }

  function baseOf(node: XmlNode, attribute: 'base' | 'itemType', unit: SchemaUnit): SimpleType {
    const inner = childOf(node, XSD, 'simpleType');
    if (inner !== null) return fromComponent({ node: inner, unit }, null);
    const value = attributeOf(node, attribute);
    return value === null ? ANY_SIMPLE : referred(node, value, unit);
  }

  return {
    named,
    inline: (node, unit) => fromComponent({ node, unit }, null),
    restricted: (base, restriction, name, documentation) =>
      restrictedType(base, restriction, name, documentation, notices),
    referred,
  };
}

const typeKeyOf = (name: QName | null): string => (name === null ? '' : typeKey(name));

/** Inside `xs:redefine` a type may be derived from its own name: that is the one it replaces. */
export function redefinedBase(
  node: XmlNode,
  name: QName,
  unit: SchemaUnit,
  components: SchemaComponents,
): Component | undefined {
  for (let at: XmlNode | null = node; at !== null; at = at.parent) {
    const original = components.redefined.get(at);
    if (original === undefined) continue;
    return name.local === attributeOf(at, 'name') && name.uri === unit.target ? original : undefined;
  }
  return undefined;
}

function restrictedType(
  base: SimpleType,
  restriction: XmlNode,
  name: QName | null,
  documentation: string | null,
  notices: Notices,
): SimpleType {
  const { variety, builtIn } = base;
  const enumeration = enumerationOf(restriction, builtIn) ?? base.enumeration;
  const facets = facetsOf(restriction, base.facets, notices);
  return { kind: 'simple', name, variety, builtIn, enumeration, facets, documentation };
}

function enumerationOf(restriction: XmlNode, builtIn: string): readonly EnumerationValue[] | null {
  const values = new Map<string, EnumerationValue>();
  for (const node of childrenOf(restriction, XSD, 'enumeration')) {
    const written = node.attributes.get('value') ?? '';
    const value = builtIn === 'string' || builtIn === 'normalizedString' ? written : written.trim();
    if (values.has(value)) continue;
    values.set(value, { value, documentation: documentationIn(childOf(node, XSD, 'annotation'), XSD) });
  }
  return values.size === 0 ? null : [...values.values()];
}

const COUNTS = ['length', 'minLength', 'maxLength', 'totalDigits', 'fractionDigits'] as const;
const BOUNDS = ['minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'] as const;

function facetsOf(restriction: XmlNode, base: Facets, notices: Notices): Facets {
  const facets: { -readonly [K in keyof Facets]: Facets[K] } = { ...base };
  const patterns: string[] = [];
  for (const node of restriction.children) {
    const value = node.uri === XSD ? node.attributes.get('value') : undefined;
    if (value === undefined) continue;
    const count = COUNTS.find((facet) => facet === node.local);
    const bound = BOUNDS.find((facet) => facet === node.local);
    if (count !== undefined) {
      if (/^\s*\d{1,9}\s*$/.test(value)) facets[count] = Number(value);
      else notices.add(problemAt(node, `The facet ${count} is not a number in reach; it is left out.`));
    } else if (bound !== undefined) facets[bound] = value.trim();
    else if (node.local === 'pattern') patterns.push(value);
  }
  // Patterns of one step are alternatives (XSD part 2 section 4.3.4.3); those of different steps must all match.
  if (patterns.length > 0) facets.patterns = [...base.patterns, patterns.join('|')];
  return facets;
}
