import type { Problem } from '../../base/problem.js';
import { isNcName } from '../../xml/chars.js';
import { isBuiltInNamespace, XSD } from '../documents/namespaces.js';
import { attributeOf, childOf, documentationIn, problemAt, type XmlNode } from '../documents/tree.js';
import { type AttributeDeclaration, type ComplexType, typeKey, type Wildcard } from '../model.js';
import { ANY_SIMPLE, builtInAttribute, isBuiltInAttributeNamespace } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { type Component, nameIn, type SchemaUnit } from './components.js';
import { isQualified } from './elements.js';
import type { SchemaReading } from './schema-reading.js';
import { intersection, readWildcard, union } from './wildcards.js';

const CHAIN = 100;
const MOST = 1000;
const TROUBLES = 20;
/** Attributes of all types of one model together, inherited ones counted again. */
const ALL = 2_000_000;

/** No field could be named for them. */
const FURTHER =
  'Attributes that xs:anyAttribute lets in pass as SOAP; GraphQL does not show them. It stands here first.';

export type Attributes = Pick<ComplexType, 'attributes' | 'anyAttribute'>;

/** What a type or an attribute group says itself: declarations and prohibitions, by key. */
interface Own {
  readonly declared: ReadonlyMap<string, AttributeDeclaration>;
  readonly prohibited: ReadonlySet<string>;
  readonly wildcard: Wildcard | null;
  /** What could not be understood: the type is not whole. */
  readonly troubles: readonly Problem[];
}

/** The attributes of a type, and what was left out of them. */
export interface ReadAttributes extends Attributes {
  readonly troubles: readonly Problem[];
}

const NONE: Attributes = { attributes: [], anyAttribute: null };

/** Reads the attributes of types (XSD 1.0 part 1 sections 3.4.2, 3.6.2 and 3.10.6), inherited ones first. */
export class AttributeReader {
  readonly #reading: SchemaReading;
  readonly #groups = new ComponentMap<Own>();
  readonly #open = new Set<XmlNode>();
  #left = ALL;

  constructor(reading: SchemaReading) {
    this.#reading = reading;
  }

  /** Of a type that is not derived. */
  own(node: XmlNode, unit: SchemaUnit): ReadAttributes {
    return this.#under(NONE, this.#ownOf(node, unit), node);
  }

  /** Of an `extension`: what the base has, and more. */
  extended(node: XmlNode, unit: SchemaUnit, base: Attributes): ReadAttributes {
    const own = this.#ownOf(node, unit);
    const { attributes, troubles } = this.#under(base, own, node);
    const wildcard = own.wildcard;
    const anyAttribute =
      wildcard === null || base.anyAttribute === null
        ? (wildcard ?? base.anyAttribute)
        : union(wildcard, base.anyAttribute);
    return { attributes, anyAttribute, troubles };
  }

  /** Of a `restriction`: what the base has, but for what is declared anew or prohibited; its own wildcard only. */
  restricted(node: XmlNode, unit: SchemaUnit, base: Attributes): ReadAttributes {
    const own = this.#ownOf(node, unit);
    const { prohibited } = own;
    const kept =
      prohibited.size === 0 ? base.attributes : base.attributes.filter(({ name }) => !prohibited.has(typeKey(name)));
    return this.#under({ attributes: kept, anyAttribute: null }, own, node);
  }

  #under(base: Attributes, { declared, wildcard, troubles }: Own, node: XmlNode): ReadAttributes {
    if (declared.size === 0) return { attributes: base.attributes, anyAttribute: wildcard, troubles };
    this.#left -= base.attributes.length + declared.size;
    if (this.#left < 0) {
      const what = 'The types have more attributes than allowed; those of this one are left out.';
      return { ...NONE, troubles: [...troubles, problemAt(node, what)] };
    }
    const attributes = new Map(base.attributes.map((attribute) => [typeKey(attribute.name), attribute]));
    for (const [key, attribute] of declared) attributes.set(key, attribute);
    return { attributes: [...attributes.values()], anyAttribute: wildcard, troubles };
  }

  #ownOf(node: XmlNode, unit: SchemaUnit): Own {
    const declared = new Map<string, AttributeDeclaration>();
    const prohibited = new Set<string>();
    const wildcards: Wildcard[] = [];
    const troubles: Problem[] = [];
    for (const child of node.children) {
      if (child.uri !== XSD) continue;
      if (declared.size > MOST || this.#left < 0) {
        troubles.push(problemAt(child, 'There are more attributes than allowed; from here on they are left out.'));
        break;
      }
      if (child.local === 'anyAttribute') {
        wildcards.unshift(readWildcard(child, unit.target));
        this.#reading.notices.addFirst(problemAt(child, FURTHER));
      } else if (child.local === 'attributeGroup') {
        const group = this.#group(child, unit);
        this.#left -= group.declared.size;
        for (const [key, attribute] of group.declared) declared.set(key, attribute);
        if (group.wildcard !== null) wildcards.push(group.wildcard);
        troubles.push(...group.troubles.slice(0, TROUBLES));
      } else if (child.local === 'attribute') {
        const attribute = readAttribute(child, unit, this.#reading);
        if (attribute === null) continue;
        if ('what' in attribute) troubles.push(attribute);
        else if (attributeOf(child, 'use') === 'prohibited') prohibited.add(typeKey(attribute.name));
        else declared.set(typeKey(attribute.name), attribute);
      }
    }
    const [first = null, ...others] = wildcards;
    const wildcard = first && others.reduce(intersection, first);
    return { declared, prohibited, wildcard, troubles: troubles.slice(0, TROUBLES) };
  }

  #group(node: XmlNode, unit: SchemaUnit): Own {
    const ref = attributeOf(node, 'ref') ?? '';
    const name = nameIn(node, ref, unit);
    const nothing: Own = { declared: new Map(), prohibited: new Set(), wildcard: null, troubles: [] };
    if (name !== null && isBuiltInNamespace(name.uri)) return nothing;
    const found = name === null ? undefined : this.#reading.components.attributeGroups.get(typeKey(name));
    // Inside `xs:redefine` a group may refer to its own name: that is the one it replaces.
    const isOpen = found !== undefined && this.#open.has(found.node);
    const group = isOpen ? this.#reading.components.redefined.get(found) : found;
    if (group === undefined || this.#open.has(group.node) || this.#open.size > CHAIN) {
      const why = found === undefined ? 'is not declared' : 'contains itself, or nests too deeply';
      return { ...nothing, troubles: [problemAt(node, `The attribute group ${ref} ${why}; it is left out.`)] };
    }
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    this.#open.add(group.node);
    const own = this.#ownOf(group.node, group.unit);
    this.#open.delete(group.node);
    return this.#groups.set(group, own);
  }
}

/** The attribute; null for one that is not of the content's; what is wrong with it. */
function readAttribute(node: XmlNode, unit: SchemaUnit, reading: SchemaReading): AttributeDeclaration | Problem | null {
  const required = attributeOf(node, 'use') === 'required';
  const ref = attributeOf(node, 'ref');
  if (ref === null) {
    const local = attributeOf(node, 'name') ?? '';
    if (!isNcName(local)) return problemAt(node, 'The attribute has no proper name; it is left out.');
    const uri = isQualified(node, unit, 'attributeFormDefault') ? unit.target : '';
    return { ...contentOf({ node, unit }, reading), name: { uri, local }, required };
  }
  const name = nameIn(node, ref, unit);
  if (name === null || !isNcName(name.local)) {
    return problemAt(node, `The attribute ${ref} uses a prefix that is not declared; it is left out.`);
  }
  if (isBuiltInAttributeNamespace(name.uri)) {
    const builtIn = builtInAttribute(name);
    return builtIn === null ? null : { ...builtIn, ...ownValue(node), name, required };
  }
  const global = reading.components.attributes.get(typeKey(name));
  if (global !== undefined) return { ...contentOf(global, reading), ...ownValue(node), name, required };
  reading.notices.add(problemAt(node, `The attribute ${ref} is not declared; it is taken as a string.`));
  const unknown = { type: ANY_SIMPLE, default: null, fixed: null, documentation: null };
  return { ...unknown, ...ownValue(node), name, required };
}

/** A global declaration: whether it is required is for those who refer to it. */
export const globalAttribute = (component: Component, reading: SchemaReading): AttributeDeclaration => ({
  ...contentOf(component, reading),
  name: { uri: component.unit.target, local: attributeOf(component.node, 'name') ?? '' },
  required: false,
});

function contentOf({ node, unit }: Component, reading: SchemaReading): Omit<AttributeDeclaration, 'name' | 'required'> {
  const named = attributeOf(node, 'type');
  const inline = childOf(node, XSD, 'simpleType');
  const type =
    named !== null
      ? reading.simple.ofAttribute(node, named, unit)
      : inline !== null
        ? reading.simple.inline(inline, unit)
        : ANY_SIMPLE;
  return {
    type,
    default: node.attributes.get('default') ?? null,
    fixed: node.attributes.get('fixed') ?? null,
    documentation: documentationIn(childOf(node, XSD, 'annotation'), XSD),
  };
}

/** What a reference says of the value in place of the declaration it refers to. */
function ownValue(node: XmlNode): Partial<Pick<AttributeDeclaration, 'default' | 'fixed'>> {
  const preset = node.attributes.get('default');
  const fixed = node.attributes.get('fixed');
  return { ...(preset === undefined ? {} : { default: preset }), ...(fixed === undefined ? {} : { fixed }) };
}
