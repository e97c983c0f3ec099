import type { QName } from '../xml/events.js';
import { ANY_SIMPLE, builtInSimple, STRING } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { type Component, nameIn, type SchemaComponents, type SchemaUnit } from './components.js';
import { type EnumerationValue, type Facets, NO_FACETS, type SimpleType, typeKey } from './model.js';
import { isBuiltInNamespace, XSD } from './namespaces.js';
import type { Notices } from './notices.js';
import { attributeOf, childOf, childrenOf, documentationIn, problemAt, type XmlNode } from './tree.js';

const CHAIN = 100;

/** Simple types by name and inline. What is not understood becomes a string, with a notice. */
export class SimpleTypeReader {
  readonly #components: SchemaComponents;
  readonly #notices: Notices;
  readonly #done = new ComponentMap<SimpleType>();
  readonly #open = new Set<XmlNode>();

  constructor(components: SchemaComponents, notices: Notices) {
    this.#components = components;
    this.#notices = notices;
  }

  /** The declared or built-in simple type with this name; null when there is no simple type of that name. */
  named(name: QName): SimpleType | null {
    if (isBuiltInNamespace(name.uri)) return builtInSimple(name);
    const component = this.#components.types.get(typeKey(name));
    return component === undefined || component.node.local !== 'simpleType' ? null : this.#readOnce(component, name);
  }

  /** The type of an `xs:simpleType` without a name. */
  inline(node: XmlNode, unit: SchemaUnit): SimpleType {
    return this.#readOnce({ node, unit }, null);
  }

  /** The type that `value` names at `node` (`type`, `base`, `itemType`), or a string with a notice. */
  referred(node: XmlNode, value: string, unit: SchemaUnit): SimpleType {
    const name = nameIn(node, value, unit);
    const original = name === null ? undefined : redefinedBase(node, name, unit, this.#components);
    const type = original === undefined ? name && this.named(name) : this.#readOnce(original, null);
    if (type !== null) return type;
    this.#notices.add(problemAt(node, `The simple type ${value} is not declared; it is taken as a string.`));
    return STRING;
  }

  /** `base` narrowed by the facets in `restriction`. */
  restricted(base: SimpleType, restriction: XmlNode, name: QName | null, documentation: string | null): SimpleType {
    const { variety, builtIn } = base;
    const enumeration = enumerationOf(restriction, builtIn) ?? base.enumeration;
    const facets = facetsOf(restriction, base.facets, this.#notices);
    const { item, members } = base;
    return { kind: 'simple', name, variety, builtIn, base, item, members, enumeration, facets, documentation };
  }

  #readOnce(component: Component, name: QName | null): SimpleType {
    const { node } = component;
    const known = this.#done.get(component);
    if (known !== undefined) return known;
    if (this.#open.has(node) || this.#open.size > CHAIN) {
      const what = 'The simple type is derived from itself, or too deeply; it is taken as a string.';
      this.#notices.add(problemAt(node, what));
      return STRING;
    }
    this.#open.add(node);
    const type = this.#read(component, name);
    this.#open.delete(node);
    return this.#done.set(component, type);
  }

  #read({ node, unit }: Component, name: QName | null): SimpleType {
    const documentation = documentationIn(childOf(node, XSD, 'annotation'), XSD);
    const restriction = childOf(node, XSD, 'restriction');
    if (restriction !== null) {
      return this.restricted(this.#baseOf(restriction, 'base', unit), restriction, name, documentation);
    }
    const list = childOf(node, XSD, 'list');
    const variety = list !== null ? 'list' : childOf(node, XSD, 'union') !== null ? 'union' : 'atomic';
    if (variety === 'atomic') {
      this.#notices.add(problemAt(node, 'The simple type says nothing; it is taken as a string.'));
    }
    const item = variety === 'list' ? (list === null ? null : this.#baseOf(list, 'itemType', unit)) : null;
    const builtIn = item === null ? 'string' : item.builtIn;
    return {
      kind: 'simple',
      name,
      variety,
      builtIn,
      base: null,
      item,
      members: [],
      enumeration: null,
      facets: NO_FACETS,
      documentation,
    };
  }

  #baseOf(node: XmlNode, attribute: 'base' | 'itemType', unit: SchemaUnit): SimpleType {
    const inner = childOf(node, XSD, 'simpleType');
    if (inner !== null) return this.inline(inner, unit);
    const value = attributeOf(node, attribute);
    return value === null ? ANY_SIMPLE : this.referred(node, value, unit);
  }
}

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
