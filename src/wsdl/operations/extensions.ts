import type { LoadedDocument } from '../documents/documents.js';
import {
  isSoapBindingNamespace,
  WSDL,
  WSDL_HTTP,
  WSDL_MIME,
  XSD,
} from '../documents/namespaces.js';
import type { Warnings } from '../documents/warnings.js';
import type { XmlNode } from '../documents/xml-tree.js';
import { isAddressingExtension } from './addressing-use.js';

const REQUIRED = `{${WSDL}}required`;

/**
 * Warns of required extensions that are not supported (WSDL 1.1 section 2.1.3): policies,
 * addressing, other transports. SOAP messages pass as they are; a call from GraphQL may be refused
 * by the backend.
 */
export function warnOfRequiredExtensions(
  documents: readonly LoadedDocument[],
  warnings: Warnings,
): void {
  for (const { root, kind } of documents) {
    const nodes: XmlNode[] = kind === 'wsdl' ? [root] : [];
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at];
      if (node === undefined || node.uri === XSD) continue;
      const required = node.attributes.get(REQUIRED)?.trim();
      if (
        (required === 'true' || required === '1') &&
        !isUnderstood(node.uri) &&
        !isAddressingExtension(node)
      ) {
        const what = `The extension ${node.local} is required by the WSDL and not understood.`;
        warnings.addAt(node, what, 'The backend may refuse calls made from GraphQL.');
      }
      for (const child of node.children) {
        nodes.push(child);
      }
    }
  }
}

const isUnderstood = (uri: string): boolean =>
  uri === WSDL || uri === WSDL_HTTP || uri === WSDL_MIME || isSoapBindingNamespace(uri);
