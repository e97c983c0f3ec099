import { OLDER_XSD, WSDL, XSD } from '../documents/namespaces.js';
import { attributeOf, type XmlNode } from '../documents/tree.js';
import { typeKey } from '../model.js';
import { type Component, isQualified, nameIn, type SchemaUnit } from './schema-unit.js';

/** Attributes whose value is one qualified name or a list of them. */
const NAMES: ReadonlySet<string> = new Set([
  'base',
  'itemType',
  'memberTypes',
  'ref',
  'refer',
  'substitutionGroup',
  'type',
  `{${WSDL}}arrayType`,
]);

/** Attributes that mean the same where they are left out (XSD 1.0 part 1). */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['abstract', 'false'],
  ['maxOccurs', '1'],
  ['minOccurs', '1'],
  ['mixed', 'false'],
  ['nillable', 'false'],
  ['processContents', 'strict'],
  ['use', 'optional'],
]);

const BOOLEANS: ReadonlySet<string> = new Set(['abstract', 'mixed', 'nillable']);
const VALUES: ReadonlySet<string> = new Set(['default', 'fixed', 'value']);

/**
 * Whether two declarations mean the same: prefixes, annotations, the order of attributes, and what is written although it is
 * the default do not count. One schema is often served under several addresses, printed by different tools.
 */
export function isSameDeclaration(a: Component, b: Component): boolean {
  const pairs: [XmlNode, XmlNode][] = [[a.node, b.node]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (left === right && a.unit.target === b.unit.target) continue;
    if (left.local !== right.local) return false;
    const isLocal = left !== a.node;
    if (!isSameText(meaningOf(left, a.unit, isLocal), meaningOf(right, b.unit, isLocal))) return false;
    const lefts = partsOf(left);
    const rights = partsOf(right);
    if (lefts.length !== rights.length) return false;
    for (const [at, child] of lefts.entries()) {
      const other = rights[at];
      if (other !== undefined) pairs.push([child, other]);
    }
  }
  return true;
}

/** The attributes of a node, by name, with names resolved and defaults left out. */
function meaningOf(node: XmlNode, unit: SchemaUnit, isLocal: boolean): ReadonlyMap<string, string> {
  const meaning = new Map<string, string>();
  for (const [name, written] of node.attributes) {
    const value = VALUES.has(name) ? written : written.trim();
    if (NAMES.has(name)) meaning.set(name, namesIn(node, value, unit));
    else if (name.startsWith('{') || name === 'id' || name === 'form') continue;
    else if (BOOLEANS.has(name)) meaning.set(name, value === '1' ? 'true' : value === '0' ? 'false' : value);
    else meaning.set(name, value);
    if (DEFAULTS.get(name) === meaning.get(name)) meaning.delete(name);
  }
  if (isLocal && (node.local === 'element' || node.local === 'attribute')) {
    const setting = node.local === 'element' ? 'elementFormDefault' : 'attributeFormDefault';
    if (attributeOf(node, 'ref') === null) meaning.set('form', String(isQualified(node, unit, setting)));
  }
  return meaning;
}

const namesIn = (node: XmlNode, value: string, unit: SchemaUnit): string =>
  value
    .split(/\s+/)
    .map((written) => {
      const name = nameIn(node, written, unit);
      return name === null ? written : typeKey(OLDER_XSD.includes(name.uri) ? { ...name, uri: XSD } : name);
    })
    .join(' ');

/** The children that carry meaning. Attributes of a type have no order: they come last, by name. */
function partsOf(node: XmlNode): readonly XmlNode[] {
  const parts = node.children.filter(({ uri, local }) => uri === XSD && local !== 'annotation');
  const nameOf = (part: XmlNode): string =>
    attributeOf(part, 'name') ?? attributeOf(part, 'ref')?.split(':').at(-1) ?? '';
  const attributes = parts.filter(isAttribute);
  if (attributes.length < 2) return parts;
  const sorted = attributes.map((part) => ({ part, name: nameOf(part) })).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...parts.filter((part) => !isAttribute(part)), ...sorted.map(({ part }) => part)];
}

const isAttribute = ({ local }: XmlNode): boolean => local === 'attribute' || local === 'attributeGroup';

function isSameText(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (b.get(name) !== value) return false;
  return true;
}
