import type { LoadedDocument } from '../documents/documents.js';
import { WSDL } from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import {
  attributeOf,
  childrenOf,
  nameOfNode,
  qNameAt,
  type XmlNode,
} from '../documents/xml-tree.js';
import { typeKey } from '../model.js';
import { OnlyNamed } from './only-named.js';
import { collectPolicies, type Policies } from './policies.js';

/** The named parts of all WSDL documents, by `typeKey`, and the services in order. */
export interface Definitions {
  readonly messages: ReadonlyMap<string, XmlNode>;
  readonly portTypes: ReadonlyMap<string, XmlNode>;
  readonly bindings: ReadonlyMap<string, XmlNode>;
  readonly services: readonly XmlNode[];
  readonly policies: Policies;
}

/** Collects the definitions of all documents. Of two with one name the first is kept. */
export function collectDefinitions(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): Definitions {
  const collect = (local: string): ReadonlyMap<string, XmlNode> => {
    const found = new Map<string, XmlNode>();
    for (const { root } of documents) {
      for (const node of childrenOf(root, WSDL, local)) {
        const name = nameOfNode(node);
        const key = typeKey({ uri: targetOf(node), local: name });
        if (found.has(key)) {
          warnings.addAt(node, `${local} ${name} is defined twice; the first one is used.`);
        } else {
          found.set(key, node);
        }
      }
    }
    return found;
  };
  const definitions: Definitions = {
    messages: collect('message'),
    portTypes: collect('portType'),
    bindings: collect('binding'),
    services: [...collect('service').values()],
    policies: collectPolicies(documents, warnings),
  };
  warnOfReferences(documents, definitions, warnings);
  return definitions;
}

/** The target namespace of the WSDL document that holds this node. */
export function targetOf(node: XmlNode): string {
  let root = node;
  while (root.parent !== null) {
    root = root.parent;
  }
  return attributeOf(root, 'targetNamespace') ?? '';
}

/**
 * The definition in a table that the attribute `name` of a node refers to, or null. A name without
 * prefix is also looked up in the target namespace: many WSDLs write it so although their default
 * namespace is another. So is one whose prefix is not declared. A name that nothing defines in its
 * namespace is that of the only definition with its local name.
 */
export function referredBy(
  node: XmlNode,
  name: string,
  table: ReadonlyMap<string, XmlNode>,
): XmlNode | null {
  const value = attributeOf(node, name);
  if (value === null) return null;
  const qName = qNameAt(node, value);
  const found = qName === null ? undefined : table.get(typeKey(qName));
  if (found !== undefined) return found;
  const local = value.slice(value.indexOf(':') + 1);
  const isOpen = qName === null || !value.includes(':');
  const own = isOpen ? table.get(typeKey({ uri: targetOf(node), local })) : undefined;
  return own ?? ONLY.in(table, local);
}

const ONLY = new OnlyNamed<XmlNode>(nameOfNode);

/** Warns of references that are not defined by the letter (`referredBy`). */
function warnOfReferences(
  documents: readonly LoadedDocument[],
  { messages, portTypes, bindings }: Definitions,
  warnings: Warnings,
): void {
  const check = (node: XmlNode, name: string, table: ReadonlyMap<string, XmlNode>): void => {
    const value = attributeOf(node, name);
    if (value === null) return;
    const qName = qNameAt(node, value);
    if (qName !== null && (!value.includes(':') || table.has(typeKey(qName)))) return;
    const found = referredBy(node, name, table);
    if (found === null) return;
    const why = qName === null ? 'uses a prefix that is not declared' : 'is not defined';
    const what = `The ${found.local} ${value} ${why}; the only one of that name is taken.`;
    warnings.addAt(node, what);
  };
  for (const { root, kind } of documents) {
    if (kind !== 'wsdl') continue;
    for (const service of childrenOf(root, WSDL, 'service')) {
      for (const port of childrenOf(service, WSDL, 'port')) check(port, 'binding', bindings);
    }
    for (const binding of childrenOf(root, WSDL, 'binding')) check(binding, 'type', portTypes);
    for (const portType of childrenOf(root, WSDL, 'portType')) {
      for (const operation of childrenOf(portType, WSDL, 'operation')) {
        for (const side of operation.children) check(side, 'message', messages);
      }
    }
  }
}
