import type { LoadedDocument } from './documents/documents.js';
import { referenceAttribute, referencesOf } from './documents/documents.js';
import { declaredEncoding } from './documents/encoding.js';
import { isBuiltInNamespace, WSA_10, WSDL, XSD } from './documents/namespaces.js';
import { attributeOf, attributeSpan, childrenOf, type XmlNode } from './documents/tree.js';
import type { DocumentLink, WsdlDocument } from './model.js';

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly piece: string | DocumentLink;
}

/** Cuts a document into its text and the places where an address or a reference to another document stands. */
export function cutDocument(document: LoadedDocument, all: readonly LoadedDocument[]): WsdlDocument {
  const { text } = document.root.source;
  const pieces: (string | DocumentLink)[] = [];
  let at = 0;
  for (const cut of cutsOf(document, all, text).sort((a, b) => a.start - b.start)) {
    if (cut.start < at) continue;
    pieces.push(text.slice(at, cut.start), cut.piece);
    at = cut.end;
  }
  pieces.push(text.slice(at));
  return { index: document.index, kind: document.kind, location: document.location, pieces };
}

function cutsOf(document: LoadedDocument, all: readonly LoadedDocument[], text: string): Cut[] {
  const cuts: Cut[] = [];
  const encoding = declaredEncoding(text);
  if (encoding !== null && encoding.value.toLowerCase() !== 'utf-8') cuts.push({ ...encoding, piece: 'UTF-8' });
  for (const [node, index] of document.references) {
    const span = attributeSpan(node, referenceAttribute(node));
    const target = all[index];
    if (span === null || target === undefined) continue;
    const written = text.slice(span.start, span.end);
    cuts.push({ ...span, piece: { kind: 'document', index, target: target.kind, written } });
  }
  for (const { node, attribute } of referencesOf(document.root)) {
    const span = document.references.has(node) ? null : lostSpan(node, attribute, text);
    if (span !== null) cuts.push({ ...span, piece: { kind: 'lost', written: text.slice(span.start, span.end) } });
  }
  for (const node of addressesOf(document.root)) {
    const span = attributeSpan(node, 'location');
    if (span !== null) cuts.push({ ...span, piece: { kind: 'address', written: text.slice(span.start, span.end) } });
  }
  for (const { contentStart: start, contentEnd: end } of endpointAddressesOf(document.root)) {
    cuts.push({ start, end, piece: { kind: 'address', written: text.slice(start, end) } });
  }
  return cuts;
}

const portsOf = (root: XmlNode): readonly XmlNode[] =>
  childrenOf(root, WSDL, 'service').flatMap((service) => childrenOf(service, WSDL, 'port'));

/** Of every binding, also of those that are not SOAP: the gateway stands for the whole service. */
const addressesOf = (root: XmlNode): readonly XmlNode[] =>
  portsOf(root)
    .flatMap((port) => port.children)
    .filter(({ local }) => local === 'address');

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a reference that names a document nobody read: the attribute of an import, which may do without, else the
 * whole element. Null where it names nothing, and for the public schemas that every reader knows.
 */
function lostSpan(node: XmlNode, attribute: string, text: string): Span | null {
  const value = attributeSpan(node, attribute);
  if (value === null || isBuiltInNamespace(attributeOf(node, 'namespace') ?? '')) return null;
  if (node.uri === XSD && node.local === 'import') {
    const start = text.lastIndexOf(attribute, value.start);
    return { start: start - 1, end: value.end + 1 };
  }
  const isEmpty = text[node.contentStart - 2] === '/';
  return { start: node.start, end: isEmpty ? node.contentStart : text.indexOf('>', node.contentEnd) + 1 };
}

/** The addresses WS-Addressing repeats beside `soap:address`. */
function endpointAddressesOf(root: XmlNode): readonly XmlNode[] {
  return portsOf(root)
    .flatMap((port) => childrenOf(port, WSA_10, 'EndpointReference'))
    .flatMap((reference) => childrenOf(reference, WSA_10, 'Address'))
    .filter((address) => address.children.length === 0 && address.contentEnd > address.contentStart);
}
