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
  return {
    messages: collect('message'),
    portTypes: collect('portType'),
    bindings: collect('binding'),
    services: [...collect('service').values()],
    policies: collectPolicies(documents, warnings),
  };
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
 * namespace is another.
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
  if (found !== undefined || value.includes(':')) return found ?? null;
  return table.get(typeKey({ uri: targetOf(node), local: value })) ?? null;
}
