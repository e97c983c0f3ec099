import type { Diagnostic } from '../../core/index.js';
import { isNcName } from '../../xml/index.js';
import { isBuiltInNamespace, XSD } from '../documents/namespaces.js';
import {
  attributeOf,
  childOf,
  diagnosticAtNode,
  documentationIn,
  nameOfNode,
  type XmlNode,
} from '../documents/xml-tree.js';
import { type AttributeDeclaration, type ComplexType, typeKey, type Wildcard } from '../model.js';
import { ANY_SIMPLE, builtInAttribute, isBuiltInAttributeNamespace } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { undeclaredAt } from './components.js';
import type { SchemaContext } from './schema-context.js';
import { type Component, isQualified, nameInUnit, type SchemaUnit } from './schema-unit.js';
import { intersection, readWildcard, union } from './wildcards.js';

const CHAIN = 100;
const MOST = 1000;
const MAX_REASONS = 20;
/** Attributes of all types of one model together, inherited ones counted again. */
const ALL = 2_000_000;

/** No field could be named for them. */
const FURTHER =
  'Attributes that xs:anyAttribute lets in pass as SOAP; GraphQL does not show ' +
  'them. It stands here first.';

export type Attributes = Pick<ComplexType, 'attributes' | 'anyAttribute'>;

/** The declarations and prohibitions of a type or attribute group itself, by key. */
interface Own {
  readonly declared: ReadonlyMap<string, AttributeDeclaration>;
  readonly prohibited: ReadonlySet<string>;
  readonly wildcard: Wildcard | null;
  /** Reasons why the type is incomplete. */
  readonly reasons: readonly Diagnostic[];
}

/** The attributes of a type, and the reasons why some were left out. */
export interface ReadAttributes extends Attributes {
  readonly reasons: readonly Diagnostic[];
}

const NONE: Attributes = { attributes: [], anyAttribute: null };

/**
 * Reads the attributes of types (XSD 1.0 part 1 sections 3.4.2, 3.6.2 and 3.10.6), inherited ones
 * first.
 */
export class AttributeReader {
  readonly #context: SchemaContext;
  readonly #groups = new ComponentMap<Own>();
  readonly #open = new Set<XmlNode>();
  #left = ALL;

  constructor(context: SchemaContext) {
    this.#context = context;
  }

  /** The attributes of a type that is not derived. */
  own(node: XmlNode, unit: SchemaUnit): ReadAttributes {
    return this.#under(NONE, this.#ownOf(node, unit), node);
  }

  /** The attributes of an `extension`: those of the base, and more. */
  extended(node: XmlNode, unit: SchemaUnit, base: Attributes): ReadAttributes {
    const own = this.#ownOf(node, unit);
    const { attributes, reasons } = this.#under(base, own, node);
    const wildcard = own.wildcard;
    const anyAttribute =
      wildcard === null || base.anyAttribute === null
        ? (wildcard ?? base.anyAttribute)
        : union(wildcard, base.anyAttribute);
    return { attributes, anyAttribute, reasons };
  }

  /**
   * The attributes of a `restriction`: those of the base, unless redeclared or prohibited; its own
   * wildcard only.
   */
  restricted(node: XmlNode, unit: SchemaUnit, base: Attributes): ReadAttributes {
    const own = this.#ownOf(node, unit);
    const { prohibited } = own;
    const kept =
      prohibited.size === 0
        ? base.attributes
        : base.attributes.filter(({ name }) => !prohibited.has(typeKey(name)));
    return this.#under({ attributes: kept, anyAttribute: null }, own, node);
  }

  #under(base: Attributes, { declared, wildcard, reasons }: Own, node: XmlNode): ReadAttributes {
    if (declared.size === 0) {
      return { attributes: base.attributes, anyAttribute: wildcard, reasons };
    }
    this.#left -= base.attributes.length + declared.size;
    if (this.#left < 0) {
      const what = 'The types have more attributes than allowed; those of this one are left out.';
      return { ...NONE, reasons: [...reasons, diagnosticAtNode(node, what)] };
    }
    const attributes = new Map(
      base.attributes.map((attribute) => [typeKey(attribute.name), attribute]),
    );
    for (const [key, attribute] of declared) {
      attributes.set(key, attribute);
    }
    return { attributes: [...attributes.values()], anyAttribute: wildcard, reasons };
  }

  #ownOf(node: XmlNode, unit: SchemaUnit): Own {
    const declared = new Map<string, AttributeDeclaration>();
    const prohibited = new Set<string>();
    const wildcards: Wildcard[] = [];
    const reasons: Diagnostic[] = [];
    for (const child of node.children) {
      if (child.uri !== XSD) continue;
      if (declared.size > MOST || this.#left < 0) {
        reasons.push(
          diagnosticAtNode(
            child,
            'There are more attributes than allowed; from here on they are left out.',
          ),
        );
        break;
      }
      if (child.local === 'anyAttribute') {
        wildcards.unshift(readWildcard(child, unit.target));
        this.#context.warnings.addOnce(diagnosticAtNode(child, FURTHER));
      } else if (child.local === 'attributeGroup') {
        const group = this.#group(child, unit);
        this.#left -= group.declared.size;
        for (const [key, attribute] of group.declared) {
          declared.set(key, attribute);
        }
        if (group.wildcard !== null) {
          wildcards.push(group.wildcard);
        }
        reasons.push(...group.reasons.slice(0, MAX_REASONS));
      } else if (child.local === 'attribute') {
        const attribute = readAttribute(child, unit, this.#context);
        if (attribute === null) continue;
        if ('what' in attribute) {
          reasons.push(attribute);
        } else if (attributeOf(child, 'use') === 'prohibited') {
          prohibited.add(typeKey(attribute.name));
        } else {
          declared.set(typeKey(attribute.name), attribute);
        }
      }
    }
    const [first = null, ...others] = wildcards;
    const wildcard = first && others.reduce(intersection, first);
    return { declared, prohibited, wildcard, reasons: reasons.slice(0, MAX_REASONS) };
  }

  #group(node: XmlNode, unit: SchemaUnit): Own {
    const ref = attributeOf(node, 'ref') ?? '';
    const name = nameInUnit(node, ref, unit);
    const nothing: Own = {
      declared: new Map(),
      prohibited: new Set(),
      wildcard: null,
      reasons: [],
    };
    if (name !== null && isBuiltInNamespace(name.uri)) return nothing;
    const found =
      name === null ? undefined : this.#context.components.attributeGroups.get(typeKey(name));
    // Inside `xs:redefine` a group may refer to its own name: that is the one it replaces.
    const isOpen = found !== undefined && this.#open.has(found.node);
    const group = isOpen ? this.#context.components.redefined.get(found) : found;
    if (group === undefined || this.#open.has(group.node) || this.#open.size > CHAIN) {
      const why = found === undefined ? 'is not declared' : 'contains itself, or nests too deeply';
      return {
        ...nothing,
        reasons: [diagnosticAtNode(node, `The attribute group ${ref} ${why}; it is left out.`)],
      };
    }
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    this.#open.add(group.node);
    const own = this.#ownOf(group.node, group.unit);
    this.#open.delete(group.node);
    return this.#groups.set(group, own);
  }
}

/**
 * The attribute; null for one that is no content, such as of the SOAP encoding; or the diagnostic
 * with it.
 */
function readAttribute(
  node: XmlNode,
  unit: SchemaUnit,
  context: SchemaContext,
): AttributeDeclaration | Diagnostic | null {
  const required = attributeOf(node, 'use') === 'required';
  const ref = attributeOf(node, 'ref');
  if (ref === null) {
    const local = nameOfNode(node);
    // XSD 1.0 part 1 section 3.2.6 forbids the name that declares namespaces.
    if (!isNcName(local) || local === 'xmlns') {
      return diagnosticAtNode(node, 'The attribute has no proper name; it is left out.');
    }
    const uri = isQualified(node, unit, 'attributeFormDefault') ? unit.target : '';
    return { ...contentOf({ node, unit }, context), name: { uri, local }, required };
  }
  const name = nameInUnit(node, ref, unit);
  if (name === null || !isNcName(name.local)) {
    return diagnosticAtNode(
      node,
      `The attribute ${ref} uses a prefix that is not declared; it is left out.`,
    );
  }
  if (isBuiltInAttributeNamespace(name.uri)) {
    const builtIn = builtInAttribute(name);
    return builtIn === null ? null : { ...builtIn, ...ownValue(node), name, required };
  }
  const global = context.components.attributes.get(typeKey(name));
  if (global !== undefined) {
    return { ...contentOf(global, context), ...ownValue(node), name, required };
  }
  const what = `The attribute ${ref} is not declared; it is taken as a string.`;
  context.warnings.add(undeclaredAt(node, what, name, context.components));
  const unknown = { type: ANY_SIMPLE, default: null, fixed: null, documentation: null };
  return { ...unknown, ...ownValue(node), name, required };
}

/** A global declaration: each reference to it decides whether it is required. */
export const globalAttribute = (
  component: Component,
  context: SchemaContext,
): AttributeDeclaration => ({
  ...contentOf(component, context),
  name: { uri: component.unit.target, local: nameOfNode(component.node) },
  required: false,
});

function contentOf(
  { node, unit }: Component,
  context: SchemaContext,
): Omit<AttributeDeclaration, 'name' | 'required'> {
  const named = attributeOf(node, 'type');
  const inline = childOf(node, XSD, 'simpleType');
  const type =
    named !== null
      ? context.simple.ofAttribute(node, named, unit)
      : inline !== null
        ? context.simple.inline(inline, unit)
        : ANY_SIMPLE;
  return {
    type,
    default: node.attributes.get('default') ?? null,
    fixed: node.attributes.get('fixed') ?? null,
    documentation: documentationIn(childOf(node, XSD, 'annotation'), XSD),
  };
}

/** Default and fixed value of a reference, which override those of the declaration. */
function ownValue(node: XmlNode): Partial<Pick<AttributeDeclaration, 'default' | 'fixed'>> {
  const preset = node.attributes.get('default');
  const fixed = node.attributes.get('fixed');
  return {
    ...(preset === undefined ? {} : { default: preset }),
    ...(fixed === undefined ? {} : { fixed }),
  };
}
