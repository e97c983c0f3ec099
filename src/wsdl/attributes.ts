import { ANY_SIMPLE, builtInAttribute } from './builtin.js';
import { ComponentMap } from './component-map.js';
import { type Component, nameIn, type SchemaUnit } from './components.js';
import { isQualified } from './elements.js';
import { type AttributeDeclaration, typeKey } from './model.js';
import { isBuiltInNamespace, XSD } from './namespaces.js';
import type { SchemaReading } from './schema-reading.js';
import { attributeOf, childOf, documentationIn, problemAt, type XmlNode } from './tree.js';

const CHAIN = 100;
const MOST = 1000;

/** A change to the attributes of a base type: a declaration, or null where one is prohibited. */
type Change = readonly [key: string, attribute: AttributeDeclaration | null];

/** Reads the attributes a type or a derivation step declares, inherited ones first. */
export type AttributeReader = (
  node: XmlNode,
  unit: SchemaUnit,
  inherited: readonly AttributeDeclaration[],
) => readonly AttributeDeclaration[];

export function readAttributes(reading: SchemaReading): AttributeReader {
  const groups = new ComponentMap<readonly Change[]>();
  const open = new Set<XmlNode>();

  function changesIn(node: XmlNode, unit: SchemaUnit): readonly Change[] {
    const changes = new Map<string, AttributeDeclaration | null>();
    for (const child of node.children) {
      if (child.uri !== XSD || changes.size > MOST) continue;
      if (child.local === 'attribute') {
        const attribute = readAttribute(child, unit, reading);
        if (attribute === null) continue;
        const prohibited = attributeOf(child, 'use') === 'prohibited';
        changes.set(typeKey(attribute.name), prohibited ? null : attribute);
      } else if (child.local === 'attributeGroup') {
        for (const [key, attribute] of groupChanges(child, unit)) changes.set(key, attribute);
      }
    }
    return [...changes];
  }

  function groupChanges(node: XmlNode, unit: SchemaUnit): readonly Change[] {
    const ref = attributeOf(node, 'ref') ?? '';
    const name = nameIn(node, ref, unit);
    if (name !== null && isBuiltInNamespace(name.uri)) return [];
    const group = name === null ? undefined : reading.components.attributeGroups.get(typeKey(name));
    if (group === undefined || open.has(group.node) || open.size > CHAIN) {
      const why = group === undefined ? 'is not declared' : 'contains itself';
      reading.notices.add(problemAt(node, `The attribute group ${ref} ${why}; it is left out.`));
      return [];
    }
    const known = groups.get(group);
    if (known !== undefined) return known;
    open.add(group.node);
    const changes = changesIn(group.node, group.unit);
    open.delete(group.node);
    return groups.set(group, changes);
  }

  return (node, unit, inherited) => {
    const attributes = new Map(inherited.map((attribute) => [typeKey(attribute.name), attribute]));
    for (const [key, attribute] of changesIn(node, unit)) {
      if (attribute === null) attributes.delete(key);
      else attributes.set(key, attribute);
    }
    return [...attributes.values()];
  };
}

function readAttribute(node: XmlNode, unit: SchemaUnit, reading: SchemaReading): AttributeDeclaration | null {
  const required = attributeOf(node, 'use') === 'required';
  const ref = attributeOf(node, 'ref');
  if (ref === null) {
    const uri = isQualified(node, unit, 'attributeFormDefault') ? unit.target : '';
    return { ...contentOf({ node, unit }, reading), name: { uri, local: attributeOf(node, 'name') ?? '' }, required };
  }
  const name = nameIn(node, ref, unit);
  if (name !== null && isBuiltInNamespace(name.uri)) {
    const builtIn = builtInAttribute(name);
    return builtIn === null ? null : { ...builtIn, ...ownValue(node), name, required };
  }
  const global = name === null ? undefined : reading.components.attributes.get(typeKey(name));
  if (name === null || global === undefined) {
    reading.notices.add(problemAt(node, `The attribute ${ref} is not declared; it is left out.`));
    return null;
  }
  return { ...contentOf(global, reading), ...ownValue(node), name, required };
}

function contentOf({ node, unit }: Component, reading: SchemaReading): Omit<AttributeDeclaration, 'name' | 'required'> {
  const named = attributeOf(node, 'type');
  const inline = childOf(node, XSD, 'simpleType');
  const type =
    named !== null
      ? reading.simple.referred(node, named, unit)
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
