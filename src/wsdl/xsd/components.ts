import { isNcName } from '../../xml/chars.js';
import { inlineSchemas, type LoadedDocument } from '../documents/documents.js';
import { isBuiltInNamespace, WSDL, XSD } from '../documents/namespaces.js';
import { attributeOf, diagnosticAt, positionOf, type XmlNode } from '../documents/tree.js';
import type { Warnings } from '../documents/warnings.js';
import { typeKey } from '../model.js';
import { ComponentMap } from './component-map.js';
import { isSameDeclaration } from './same-declaration.js';
import { type Component, nameIn, type SchemaUnit } from './schema-unit.js';
import { warnOfXsd11 } from './xsd11.js';

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

/** A schema without target that many include multiplies: beyond this many components the rest is left out. */
const MOST = 500_000;

/** Collects the global components of all schemas that the documents hold. */
export function collectComponents(documents: readonly LoadedDocument[], warnings: Warnings): SchemaComponents {
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
    if (!walked.has(unit.node)) warnOfXsd11(unit.node, warnings);
    walked.add(unit.node);
    if (count > MOST) {
      warnings.add(diagnosticAt(unit.node, 'The schemas declare more than allowed; from here on they are left out.'));
      break;
    }
    for (const node of unit.node.children) {
      if (node.uri !== XSD) continue;
      if (node.local === 'redefine') redefines.push({ node, unit });
      else if (node.local !== 'override') addComponent(components, { node, unit }, warnings);
      else for (const child of node.children) addComponent(components, { node: child, unit }, warnings);
    }
  }
  // A schema that is redefined may redefine another: the innermost comes first.
  for (const { node, unit } of redefines.reverse()) {
    for (const child of node.children) redefine(components, { node: child, unit }, warnings);
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

function addComponent(components: SchemaComponents, component: Component, warnings: Warnings): void {
  const { node, unit } = component;
  const table = tableFor(components, node.local);
  const name = attributeOf(node, 'name');
  if (table === null) return;
  if (name === null || !isNcName(name)) {
    warnings.add(diagnosticAt(node, `The ${node.local} has no proper name; it is left out.`));
    return;
  }
  const key = typeKey({ uri: unit.target, local: name });
  const first = table.get(key);
  if (first !== undefined) {
    if (!isSameDeclaration(first, component)) {
      const where = `${first.node.source.file}:${positionOf(first.node.source, first.node.start).line}`;
      const what = `${node.local} ${name} is declared twice and differently; the first one is used: ${where}.`;
      warnings.add(diagnosticAt(node, what, 'Keep one of the two declarations.'));
    }
    return;
  }
  table.set(key, component);
  const head = node.local === 'element' ? attributeOf(node, 'substitutionGroup') : null;
  const headName = head === null ? null : nameIn(node, head, unit);
  if (headName === null) return;
  const headKey = typeKey(headName);
  const members = components.members.get(headKey);
  if (members === undefined) components.members.set(headKey, [component]);
  else members.push(component);
}

function redefine(components: SchemaComponents, component: Component, warnings: Warnings): void {
  const { node, unit } = component;
  const table = node.uri === XSD ? tableFor(components, node.local) : null;
  const name = attributeOf(node, 'name');
  if (table === null || name === null || !isNcName(name)) return;
  const key = typeKey({ uri: unit.target, local: name });
  const original = table.get(key);
  if (original !== undefined) components.redefined.set(component, original);
  else warnings.add(diagnosticAt(node, `There is no ${node.local} ${name} to redefine; it is taken as declared here.`));
  table.set(key, component);
}

function collectUnits(documents: readonly LoadedDocument[], warnings: Warnings): readonly SchemaUnit[] {
  const units: (SchemaUnit & { readonly document: LoadedDocument })[] = [];
  const seen = new Map<XmlNode, Set<string>>();
  const add = (document: LoadedDocument, node: XmlNode, includer: string | null): void => {
    const own = attributeOf(node, 'targetNamespace') ?? '';
    const target = own === '' ? (includer ?? '') : own;
    const targets = seen.get(node) ?? new Set();
    if (targets.has(target)) return;
    seen.set(node, targets.add(target));
    if (includer !== null && own !== '' && own !== includer) {
      warnings.add(
        diagnosticAt(node, 'The schema is included from one with another target namespace; it keeps its own.'),
      );
    }
    units.push({ node, document, target, adopted: own === '' && target !== '' ? [''] : [] });
  };
  for (const document of documents) {
    if (document.kind === 'wsdl') for (const schema of inlineSchemas(document.root)) add(document, schema, null);
  }
  const addImported = (document: LoadedDocument, reference: XmlNode, includer: string | null): void => {
    const target = documents[document.references.get(reference) ?? -1];
    if (target?.kind === 'schema') add(target, target.root, includer);
  };
  for (const document of documents) {
    for (const reference of document.references.keys()) {
      if (reference.uri === WSDL || reference.parent?.local === 'types') addImported(document, reference, null);
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
  return units.map(({ node, target, adopted }) => ({ node, target, adopted: [...adopted, ...forgotten] }));
}
