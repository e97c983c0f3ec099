import type { Diagnostic } from '../../core/index.js';
import type { QName } from '../../xml/index.js';
import { isBuiltInNamespace, XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import {
  attributeOf,
  childOf,
  childrenOf,
  diagnosticAtNode,
  documentationIn,
  type XmlNode,
} from '../documents/xml-tree.js';
import { NO_FACETS, type SimpleType, typeKey } from '../model.js';
import { ANY_SIMPLE, builtInSimple, STRING } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { redefinedBase, type SchemaComponents, undeclaredAt } from './components.js';
import { nameMeant } from './name-meant.js';
import { type Component, nameInUnit, type SchemaUnit } from './schema-unit.js';
import { readEnumeration, readFacets, type WhiteSpaceFacet } from './simple-facets.js';

/** A reference to another simple type: by name in an attribute, or written inside. */
type Reference = { readonly node: XmlNode; readonly value: string } | { readonly inside: XmlNode };

interface Frame {
  readonly component: Component;
  readonly needs: readonly Component[];
  next: number;
}

/**
 * Reads simple types by name and inline. An unsupported one becomes a string, with its reason, as a
 * type of its own: so operations that reach it have the reason. Types are read before those derived
 * from them, without recursion.
 */
export class SimpleTypeReader {
  readonly #components: SchemaComponents;
  readonly #warnings: Warnings;
  readonly #approximate: (type: SimpleType, diagnostic: Diagnostic) => void;
  /** Null while the types that a type refers to are read. */
  readonly #done = new ComponentMap<SimpleType | null>();
  readonly #unknown = new Map<string, SimpleType>();
  readonly #traits = new SimpleTraits();

  constructor(
    components: SchemaComponents,
    warnings: Warnings,
    approximate: (type: SimpleType, diagnostic: Diagnostic) => void,
  ) {
    this.#components = components;
    this.#warnings = warnings;
    this.#approximate = approximate;
  }

  /**
   * The declared or built-in simple type with this name; null when there is no simple type of that
   * name.
   */
  named(name: QName): SimpleType | null {
    if (isBuiltInNamespace(name.uri)) return builtInSimple(name);
    const component = this.#components.types.get(typeKey(name));
    return component === undefined || component.node.local !== 'simpleType'
      ? null
      : this.#readOnce(component);
  }

  /** The type of an `xs:simpleType` without a name, or of one that was redefined. */
  inline(node: XmlNode, unit: SchemaUnit): SimpleType {
    return this.#readOnce({ node, unit });
  }

  /**
   * The type that `value` names at `node` (`base`, `itemType`), or a string of its own, with a
   * warning.
   */
  referred(node: XmlNode, value: string, unit: SchemaUnit): SimpleType {
    const type = this.#find(node, value, unit);
    if (type !== null) return type;
    const name = nameInUnit(node, value, unit);
    const key = name === null ? `!${value}` : typeKey(name);
    return this.#unknown.get(key) ?? this.#approximated(key, this.#missing(node, value, name));
  }

  /** The type of an attribute; where it is not declared, a string with a warning. */
  ofAttribute(node: XmlNode, value: string, unit: SchemaUnit): SimpleType {
    const type = this.#find(node, value, unit);
    if (type === null) {
      this.#warnings.add(this.#missing(node, value, nameInUnit(node, value, unit)));
    }
    return type ?? ANY_SIMPLE;
  }

  #find(node: XmlNode, value: string, unit: SchemaUnit): SimpleType | null {
    const name = this.#nameOfType(node, value, unit);
    const original = name === null ? undefined : redefinedBase(node, name, unit, this.#components);
    return original === undefined ? name && this.named(name) : this.#readOnce(original);
  }

  #nameOfType(node: XmlNode, value: string, unit: SchemaUnit): QName | null {
    return nameMeant(node, value, unit, 'types', {
      components: this.#components,
      warnings: this.#warnings,
    });
  }

  /** `base` narrowed by the facets in `restriction`. */
  restricted(
    base: SimpleType,
    restriction: XmlNode,
    name: QName | null,
    documentation: string | null,
  ): SimpleType {
    const { variety, builtIn, item, members } = base;
    const facets = readFacets(restriction, base.facets, this.#warnings);
    const space = facets.whiteSpace ?? this.#traits.of(base).space;
    const enumeration = this.#enumerationIn(restriction, builtIn, space) ?? base.enumeration;
    return {
      kind: 'simple',
      name,
      variety,
      builtIn,
      base,
      item,
      members,
      enumeration,
      facets,
      documentation,
    };
  }

  /** Drops an enumeration of QNames: their prefixes are bound by the schema, not by messages. */
  #enumerationIn(
    restriction: XmlNode,
    builtIn: string,
    space: WhiteSpaceFacet,
  ): SimpleType['enumeration'] {
    const values = readEnumeration(restriction, space);
    if (values === null || (builtIn !== 'QName' && builtIn !== 'NOTATION')) return values;
    this.#warnings.addAt(restriction, 'The enumeration of qualified names is not checked.');
    return null;
  }

  #readOnce(component: Component): SimpleType {
    const known = this.#done.get(component);
    if (known !== undefined) return known ?? this.#circular(component);
    const frames = [this.#open(component)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const needed = frame.needs[frame.next++];
      if (needed !== undefined) {
        if (this.#done.get(needed) === undefined) {
          frames.push(this.#open(needed));
        }
        continue;
      }
      frames.pop();
      this.#done.set(frame.component, this.#bounded(frame.component, this.#read(frame.component)));
    }
    return this.#done.get(component) ?? STRING;
  }

  #open(component: Component): Frame {
    this.#done.set(component, null);
    const needs = referencesIn(component.node).flatMap((reference) =>
      this.#needed(reference, component.unit),
    );
    return { component, needs, next: 0 };
  }

  #needed(reference: Reference, unit: SchemaUnit): readonly Component[] {
    if ('inside' in reference) return [{ node: reference.inside, unit }];
    const name = this.#nameOfType(reference.node, reference.value, unit);
    if (name === null || isBuiltInNamespace(name.uri)) return [];
    const original = redefinedBase(reference.node, name, unit, this.#components);
    const component = original ?? this.#components.types.get(typeKey(name));
    return component === undefined || component.node.local !== 'simpleType' ? [] : [component];
  }

  #read({ node, unit }: Component): SimpleType {
    const documentation = documentationIn(childOf(node, XSD, 'annotation'), XSD);
    const name = this.#nameOf({ node, unit });
    const types = referencesIn(node).map((reference) =>
      'inside' in reference
        ? this.inline(reference.inside, unit)
        : this.referred(reference.node, reference.value, unit),
    );
    const [first] = types;
    const restriction = childOf(node, XSD, 'restriction');
    if (restriction !== null) {
      return this.restricted(first ?? ANY_SIMPLE, restriction, name, documentation);
    }
    const made = {
      kind: 'simple',
      name,
      base: null,
      enumeration: null,
      facets: NO_FACETS,
      documentation,
    } as const;
    if (childOf(node, XSD, 'list') !== null) {
      const item = this.#itemOf(node, first ?? ANY_SIMPLE);
      return { ...made, variety: 'list', builtIn: item.builtIn, item, members: [] };
    }
    if (childOf(node, XSD, 'union') !== null) {
      const { builtIn, members } = this.#traits.union(types);
      return { ...made, variety: 'union', builtIn, item: null, members };
    }
    this.#warnings.addAt(node, 'The simple type has no content; it is taken as a string.');
    return { ...made, variety: 'atomic', builtIn: 'string', item: null, members: [] };
  }

  /**
   * Items of a list are separated by white space: a list cannot be one (XSD part 2 section
   * 2.5.1.2).
   */
  #itemOf(node: XmlNode, item: SimpleType): SimpleType {
    if (!this.#traits.of(item).hasList) return item;
    return this.#stringFor(node, 'The list is one of lists; its items are taken as strings.');
  }

  #bounded(component: Component, type: SimpleType): SimpleType {
    if (this.#traits.add(type)) return type;
    const what =
      'The simple type is derived too deeply or made of too many; it is taken as a string.';
    return this.#stringFor(component.node, what);
  }

  #circular({ node }: Component): SimpleType {
    return this.#stringFor(
      node,
      'The simple type is derived from itself; it is taken as a string.',
    );
  }

  #stringFor(node: XmlNode, what: string): SimpleType {
    return this.#approximated(null, diagnosticAtNode(node, what));
  }

  #approximated(key: string | null, diagnostic: Diagnostic): SimpleType {
    const type: SimpleType = { ...STRING, name: null };
    if (key !== null) {
      this.#unknown.set(key, type);
    }
    this.#approximate(type, diagnostic);
    return type;
  }

  #missing(node: XmlNode, value: string, name: QName | null): Diagnostic {
    return undeclaredAt(node, describeMissing(value, name), name, this.#components);
  }

  #nameOf({ node, unit }: Component): QName | null {
    const local = attributeOf(node, 'name');
    if (local === null) return null;
    const name = { uri: unit.target, local };
    return this.#components.types.get(typeKey(name))?.node === node ? name : null;
  }
}

function describeMissing(value: string, name: QName | null): string {
  const why = name === null ? 'uses a prefix that is not declared' : 'is not declared';
  return `The simple type ${value} ${why}; it is taken as a string.`;
}

/** The types that a simple type refers to: base, item of a list, members of a union, in order. */
function referencesIn(node: XmlNode): readonly Reference[] {
  const step = node.children.find(
    ({ uri, local }) => uri === XSD && /^(restriction|list|union)$/.test(local),
  );
  if (step === undefined) return [];
  const inside = childrenOf(step, XSD, 'simpleType').map((inner): Reference => ({ inside: inner }));
  if (step.local === 'union') {
    const values = (attributeOf(step, 'memberTypes') ?? '').split(/\s+/).filter(Boolean);
    return [...values.map((value): Reference => ({ node: step, value })), ...inside];
  }
  const value = attributeOf(step, step.local === 'list' ? 'itemType' : 'base');
  return value === null ? inside.slice(0, 1) : [{ node: step, value }];
}

interface Traits {
  /** How often a walk through all items and members meets a type. */
  readonly size: number;
  /** The longest way down through bases, items and members. */
  readonly depth: number;
  /** How white space is normalised before anything else; a union leaves it to its members. */
  readonly space: WhiteSpaceFacet;
  readonly hasList: boolean;
}

const SIZE = 5000;
const DEPTH = 1000;
/**
 * Members that all unions of one model together may have: a union of unions copies their members.
 */
const MEMBERS = 1_000_000;

/** Size and depth of simple types, by which their use stays bounded. */
class SimpleTraits {
  readonly #known = new WeakMap<SimpleType, Traits>();
  #membersLeft = MEMBERS;

  of(type: SimpleType): Traits {
    return this.#known.get(type) ?? this.#traitsOf(type);
  }

  /**
   * Remembers a type whose parts are known; false when it is not to be used, being larger or deeper
   * than allowed.
   */
  add(type: SimpleType): boolean {
    const traits = this.#traitsOf(type);
    if (traits.size > SIZE || traits.depth > DEPTH || this.#membersLeft < 0) return false;
    this.#known.set(type, traits);
    return true;
  }

  /**
   * Lists the members of a union of these types, each once, and finds the built-in type they share.
   * A union that constrains nothing itself is replaced by its members (XSD part 2 section 4.1.2).
   */
  union(types: readonly SimpleType[]): Pick<SimpleType, 'builtIn' | 'members'> {
    const members = new Set<SimpleType>();
    for (const type of types) {
      const isPlain =
        type.variety === 'union' && type.enumeration === null && type.facets.patterns.length === 0;
      const flat = isPlain ? type.members : [type];
      this.#membersLeft -= flat.length;
      if (this.#membersLeft < 0) return { builtIn: 'string', members: [] };
      for (const member of flat) {
        members.add(member);
      }
    }
    const [first] = members;
    const isShared = [...members].every(
      ({ variety, builtIn }) => variety !== 'list' && builtIn === first?.builtIn,
    );
    return {
      builtIn: first !== undefined && isShared ? first.builtIn : 'string',
      members: [...members],
    };
  }

  #traitsOf(type: SimpleType): Traits {
    const { base, item, members, variety } = type;
    const inner = base !== null ? [base] : item !== null ? [item] : members;
    let size = 1;
    let depth = 0;
    let hasList = variety === 'list';
    let space: WhiteSpaceFacet = variety === 'list' ? 'collapse' : spaceOf(type);
    for (const part of inner) {
      const traits = this.#known.get(part);
      size += traits?.size ?? 1;
      depth = Math.max(depth, (traits?.depth ?? 0) + 1);
      hasList ||= traits?.hasList ?? part.variety === 'list';
      if (variety === 'union') {
        space = (traits?.space ?? spaceOf(part)) === 'collapse' ? space : 'preserve';
      }
    }
    // A restriction is as large as what it restricts: each step of a chain is looked at once.
    return {
      size: base === null ? size : size - 1,
      depth,
      space: type.facets.whiteSpace ?? space,
      hasList,
    };
  }
}

function spaceOf({ variety, builtIn, facets }: SimpleType): WhiteSpaceFacet {
  if (facets.whiteSpace !== null) return facets.whiteSpace;
  if (variety !== 'atomic' || (builtIn !== 'string' && builtIn !== 'normalizedString')) {
    return 'collapse';
  }
  return builtIn === 'string' ? 'preserve' : 'replace';
}
