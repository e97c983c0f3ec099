import { collections, type Diagnostic } from '../../core/index.js';
import { isNcName, type QName } from '../../xml/index.js';
import { inlineSchemas, type LoadedDocument } from '../documents/documents.js';
import { isBuiltInNamespace, OLDER_XSD, WSDL, XSD } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import { attributeOf, diagnosticAtNode, positionOf, type XmlNode } from '../documents/xml-tree.js';
import { typeKey } from '../model.js';
import { ComponentMap } from './component-map.js';
import { type Component, isQualified, nameInUnit, type SchemaUnit } from './schema-unit.js';

type ComponentTable = Map<string, Component>;

/** Every global component of every schema, by `typeKey`. */
export interface SchemaComponents {
  /** The target namespaces of all schemas. */
  readonly targets: Set<string>;
  readonly types: ComponentTable;
  readonly elements: ComponentTable;
  readonly attributes: ComponentTable;
  readonly groups: ComponentTable;
  readonly attributeGroups: ComponentTable;
  /** The components that an `xs:redefine` replaced, by those that replaced them. */
  readonly redefined: ComponentMap<Component>;
  /** The direct members of substitution groups, by the key of the head. */
  readonly members: Map<string, Component[]>;
}

/**
 * A schema without target that many include multiplies: beyond this many components the rest is
 * left out.
 */
const MOST = 500_000;

/** Collects the global components of all schemas that the documents hold. */
export function collectComponents(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): SchemaComponents {
  const components: SchemaComponents = {
    targets: new Set(),
    types: new Map(),
    elements: new Map(),
    attributes: new Map(),
    groups: new Map(),
    attributeGroups: new Map(),
    redefined: new ComponentMap(),
    members: new Map(),
  };
  const redefines: { readonly node: XmlNode; readonly unit: SchemaUnit }[] = [];
  const walked = new Set<XmlNode>();
  let count = 0;
  for (const unit of collectUnits(documents, warnings)) {
    components.targets.add(unit.target);
    if (isBuiltInNamespace(unit.target)) continue;
    count += unit.node.children.length;
    if (!walked.has(unit.node)) {
      warnOfXsd11(unit.node, warnings);
    }
    walked.add(unit.node);
    if (count > MOST) {
      warnings.addAt(
        unit.node,
        'The schemas declare more than allowed; from here on they are left out.',
      );
      break;
    }
    for (const node of unit.node.children) {
      if (node.uri !== XSD) continue;
      if (node.local === 'redefine') {
        redefines.push({ node, unit });
      } else if (node.local !== 'override') {
        addComponent(components, { node, unit }, warnings);
      } else {
        for (const child of node.children) {
          addComponent(components, { node: child, unit }, warnings);
        }
      }
    }
  }
  // A schema that is redefined may redefine another: the innermost comes first.
  for (const { node, unit } of redefines.reverse()) {
    for (const child of node.children) {
      redefine(components, { node: child, unit }, warnings);
    }
  }
  return components;
}

function tableFor(components: SchemaComponents, local: string): ComponentTable | null {
  if (local === 'complexType' || local === 'simpleType') return components.types;
  if (local === 'element') return components.elements;
  if (local === 'attribute') return components.attributes;
  if (local === 'group') return components.groups;
  return local === 'attributeGroup' ? components.attributeGroups : null;
}

function addComponent(
  components: SchemaComponents,
  component: Component,
  warnings: Warnings,
): void {
  const { node, unit } = component;
  const table = tableFor(components, node.local);
  const name = attributeOf(node, 'name');
  if (table === null) return;
  if (name === null || !isNcName(name)) {
    warnings.addAt(node, `The ${node.local} has no proper name; it is left out.`);
    return;
  }
  const key = typeKey({ uri: unit.target, local: name });
  const first = table.get(key);
  if (first !== undefined) {
    if (!isSameDeclaration(first, component)) {
      const where =
        `${first.node.source.file}:` + `${positionOf(first.node.source, first.node.start).line}`;
      const what =
        `${node.local} ${name} is declared twice and differently; ` +
        `the first one is used: ${where}.`;
      warnings.addAt(node, what, 'Keep one of the two declarations.');
    }
    return;
  }
  table.set(key, component);
  const head = node.local === 'element' ? attributeOf(node, 'substitutionGroup') : null;
  const headName = head === null ? null : nameInUnit(node, head, unit);
  if (headName === null) return;
  const headKey = typeKey(headName);
  collections.addToGroup(components.members, headKey, component);
}

function redefine(components: SchemaComponents, component: Component, warnings: Warnings): void {
  const { node, unit } = component;
  const table = node.uri === XSD ? tableFor(components, node.local) : null;
  const name = attributeOf(node, 'name');
  if (table === null || name === null || !isNcName(name)) return;
  const key = typeKey({ uri: unit.target, local: name });
  const original = table.get(key);
  if (original !== undefined) {
    components.redefined.set(component, original);
  } else {
    warnings.addAt(
      node,
      `There is no ${node.local} ${name} to redefine; it is taken as declared here.`,
    );
  }
  table.set(key, component);
}

function collectUnits(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): readonly SchemaUnit[] {
  const units: (SchemaUnit & { readonly document: LoadedDocument })[] = [];
  const seen = new Map<XmlNode, Set<string>>();
  const add = (document: LoadedDocument, node: XmlNode, includer: string | null): void => {
    const own = attributeOf(node, 'targetNamespace') ?? '';
    const target = own === '' ? (includer ?? '') : own;
    const targets = seen.get(node) ?? new Set();
    if (targets.has(target)) return;
    seen.set(node, targets.add(target));
    if (includer !== null && own !== '' && own !== includer) {
      warnings.addAt(
        node,
        'The schema is included from one with another target namespace; it keeps its own.',
      );
    }
    units.push({ node, document, target, adopted: own === '' && target !== '' ? [''] : [] });
  };
  for (const document of documents) {
    if (document.kind === 'wsdl') {
      for (const schema of inlineSchemas(document.root)) {
        add(document, schema, null);
      }
    }
  }
  const addImported = (
    document: LoadedDocument,
    reference: XmlNode,
    includer: string | null,
  ): void => {
    const target = documents[document.references.get(reference) ?? -1];
    if (target?.kind === 'schema') {
      add(target, target.root, includer);
    }
  };
  for (const document of documents) {
    for (const reference of document.references.keys()) {
      if (reference.uri === WSDL || reference.parent?.local === 'types') {
        addImported(document, reference, null);
      }
    }
  }
  for (let at = 0; at < units.length && units.length < MOST; at++) {
    const unit = units[at];
    if (unit === undefined) break;
    for (const reference of unit.node.children) {
      if (reference.uri !== XSD || !unit.document.references.has(reference)) continue;
      addImported(unit.document, reference, reference.local === 'import' ? null : unit.target);
    }
  }
  const targets = new Set(units.map(({ target }) => target));
  const forgotten = ['', WSDL].filter((uri) => !targets.has(uri));
  return units.map(({ node, target, adopted }) => ({
    node,
    target,
    adopted: [...adopted, ...forgotten],
  }));
}

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

/**
 * Default values: a component that omits one equals a component that writes it (XSD 1.0 part 1).
 */
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
 * Whether two declarations mean the same: prefixes, annotations, the order of attributes, and what
 * is written although it is the default do not count. One schema is often served under several
 * addresses, printed by different tools.
 */
function isSameDeclaration(a: Component, b: Component): boolean {
  const pairs: [XmlNode, XmlNode][] = [[a.node, b.node]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (left === right && a.unit.target === b.unit.target) continue;
    if (left.local !== right.local) return false;
    const isLocal = left !== a.node;
    if (!isSameText(meaningOf(left, a.unit, isLocal), meaningOf(right, b.unit, isLocal))) {
      return false;
    }
    const lefts = partsOf(left);
    const rights = partsOf(right);
    if (lefts.length !== rights.length) return false;
    for (const [at, child] of lefts.entries()) {
      const other = rights[at];
      if (other !== undefined) {
        pairs.push([child, other]);
      }
    }
  }
  return true;
}

/** The attributes of a node, by name, with names resolved and defaults left out. */
function meaningOf(node: XmlNode, unit: SchemaUnit, isLocal: boolean): ReadonlyMap<string, string> {
  const meaning = new Map<string, string>();
  for (const [name, written] of node.attributes) {
    const value = VALUES.has(name) ? written : written.trim();
    if (NAMES.has(name)) {
      meaning.set(name, namesIn(node, value, unit));
    } else if (name.startsWith('{') || name === 'id' || name === 'form') {
      continue;
    } else if (BOOLEANS.has(name)) {
      meaning.set(name, value === '1' ? 'true' : value === '0' ? 'false' : value);
    } else {
      meaning.set(name, value);
    }
    if (DEFAULTS.get(name) === meaning.get(name)) {
      meaning.delete(name);
    }
  }
  if (isLocal && (node.local === 'element' || node.local === 'attribute')) {
    const setting = node.local === 'element' ? 'elementFormDefault' : 'attributeFormDefault';
    if (attributeOf(node, 'ref') === null) {
      meaning.set('form', String(isQualified(node, unit, setting)));
    }
  }
  return meaning;
}

const namesIn = (node: XmlNode, value: string, unit: SchemaUnit): string =>
  value
    .split(/\s+/)
    .map((written) => {
      const name = nameInUnit(node, written, unit);
      return name === null
        ? written
        : typeKey(OLDER_XSD.includes(name.uri) ? { ...name, uri: XSD } : name);
    })
    .join(' ');

/** The children that carry meaning. Attributes of a type have no order: they come last, by name. */
function partsOf(node: XmlNode): readonly XmlNode[] {
  const parts = node.children.filter(({ uri, local }) => uri === XSD && local !== 'annotation');
  const nameOf = (part: XmlNode): string =>
    attributeOf(part, 'name') ?? attributeOf(part, 'ref')?.split(':').at(-1) ?? '';
  const attributes = parts.filter(isAttribute);
  if (attributes.length < 2) return parts;
  const sorted = attributes
    .map((part) => ({ part, name: nameOf(part) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...parts.filter((part) => !isAttribute(part)), ...sorted.map(({ part }) => part)];
}

const isAttribute = ({ local }: XmlNode): boolean =>
  local === 'attribute' || local === 'attributeGroup';

function isSameText(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    if (b.get(name) !== value) return false;
  }
  return true;
}

/** Elements that XML Schema 1.1 added, by local name, with their treatment. */
const ADDED: ReadonlyMap<string, string> = new Map([
  ['assert', 'it is not checked'],
  ['assertion', 'it is not checked'],
  ['explicitTimezone', 'it is not checked'],
  ['alternative', 'the declared type is used'],
  ['openContent', 'it is left out'],
  ['defaultOpenContent', 'it is left out'],
  ['override', 'what is in it is taken as declared here, the document it names is not read'],
]);

/** Warns once for each document and element of XML Schema 1.1. */
function warnOfXsd11(schema: XmlNode, warnings: Warnings): void {
  const reported = new Set<string>();
  const queue: XmlNode[] = [schema];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    const what = node.uri === XSD ? ADDED.get(node.local) : undefined;
    if (what !== undefined && !reported.has(node.local)) {
      warnings.addAt(node, `xs:${node.local} is of XML Schema 1.1: ${what}.`);
      reported.add(node.local);
    }
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at];
      if (child !== undefined) {
        queue.push(child);
      }
    }
  }
}

const BETWEEN: ReadonlySet<string> = new Set(['simpleContent', 'complexContent']);

/**
 * Inside `xs:redefine` a type is derived from its own name: that is the one it replaces. `step` is
 * an `extension` or `restriction`; anywhere else in the type its name means the new one, as a
 * recursive type needs it.
 */
export function redefinedBase(
  step: XmlNode,
  name: QName,
  unit: SchemaUnit,
  components: SchemaComponents,
): Component | undefined {
  if (step.uri !== XSD || (step.local !== 'restriction' && step.local !== 'extension')) {
    return undefined;
  }
  const parent =
    step.parent !== null && BETWEEN.has(step.parent.local) ? step.parent.parent : step.parent;
  const original = parent === null ? undefined : components.redefined.get({ node: parent, unit });
  if (parent === null || original === undefined) return undefined;
  return name.local === attributeOf(parent, 'name') && name.uri === unit.target
    ? original
    : undefined;
}

/**
 * A diagnostic for a name that nothing declares. Those of a namespace without any schema have one
 * cause: its document was not read, or no import names it.
 */
export function undeclaredAt(
  node: XmlNode,
  what: string,
  name: QName | null,
  components: SchemaComponents,
): Diagnostic {
  const isRead = name === null || components.targets.has(name.uri) || isBuiltInNamespace(name.uri);
  const inNone = name === null ? '' : typeKey({ uri: '', local: name.local });
  if (components.types.has(inNone) || components.elements.has(inNone)) {
    return diagnosticAtNode(
      node,
      what,
      'A schema without targetNamespace declares it: give that schema one.',
    );
  }
  if (isRead) return diagnosticAtNode(node, what);
  const cause = `No schema of the namespace ${name.uri} was read: its names are not declared.`;
  const remedy = 'Import its document with a location that can be read.';
  return { ...diagnosticAtNode(node, what, remedy), cause };
}
