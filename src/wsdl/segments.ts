import { type DocumentLink, portKey, type WsdlDocument } from './document.js';
import type { LoadedDocument } from './documents/documents.js';
import { referenceAttribute, referencesOf } from './documents/documents.js';
import { declaredEncoding } from './documents/encoding.js';
import { isBuiltInNamespace, WSA_10, WSDL, XSD } from './documents/namespaces.js';
import { attributeOf, attributeSpan, childrenOf, type XmlNode } from './documents/tree.js';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly segment: string | DocumentLink;
}

/** Splits a document into its text and the addresses and references to other documents in it. */
export function segmentDocument(document: LoadedDocument, all: readonly LoadedDocument[]): WsdlDocument {
  const { text } = document.root.source;
  const segments: (string | DocumentLink)[] = [];
  let at = 0;
  for (const replacement of replacementsIn(document, all, text).sort((a, b) => a.start - b.start)) {
    if (replacement.start < at) continue;
    segments.push(text.slice(at, replacement.start), replacement.segment);
    at = replacement.end;
  }
  segments.push(text.slice(at));
  return { index: document.index, kind: document.kind, location: document.location, segments };
}

function replacementsIn(document: LoadedDocument, all: readonly LoadedDocument[], text: string): Replacement[] {
  const replacements: Replacement[] = [];
  const encoding = declaredEncoding(text);
  if (encoding !== null && encoding.value.toLowerCase() !== 'utf-8')
    replacements.push({ ...encoding, segment: 'UTF-8' });
  for (const [node, index] of document.references) {
    const target = all[index];
    if (target === undefined || node.local === 'part') continue;
    const attribute = referenceAttribute(node);
    const span = attributeSpan(node, attribute);
    const written = span === null ? '' : text.slice(span.start, span.end);
    const link: DocumentLink = { kind: 'document', index, target: target.kind, written };
    if (span !== null) replacements.push({ ...span, segment: link });
    else replacements.push(...newAttribute(node, attribute, link, text));
  }
  for (const { node, attribute } of referencesOf(document.root)) {
    const span = document.references.has(node) ? null : unresolvedSpan(node, attribute, text);
    if (span !== null)
      replacements.push({ ...span, segment: { kind: 'unresolved', written: text.slice(span.start, span.end) } });
  }
  for (const { node, key } of portsOf(document.root)) {
    const add = ({ start, end }: Span): unknown =>
      replacements.push({ start, end, segment: { kind: 'address', port: key, written: text.slice(start, end) } });
    // Of any binding, also of those that are not SOAP.
    for (const address of node.children) {
      const span = address.local === 'address' ? attributeSpan(address, 'location') : null;
      if (span !== null) add(span);
    }
    for (const { contentStart: start, contentEnd: end } of endpointAddressesOf(node)) add({ start, end });
  }
  return replacements;
}

/** An attribute behind the name of an element that has none: the import of a schema that every reader knows. */
function newAttribute(node: XmlNode, attribute: string, link: DocumentLink, text: string): readonly Replacement[] {
  const end = text.slice(node.start, node.contentStart).search(/[\s/>]/);
  const at = { start: node.start + end, end: node.start + end };
  return [` ${attribute}="`, link, '"'].map((segment) => ({ ...at, segment }));
}

const portsOf = (root: XmlNode): readonly { readonly node: XmlNode; readonly key: string }[] =>
  childrenOf(root, WSDL, 'service').flatMap((service) =>
    childrenOf(service, WSDL, 'port').map((node) => ({ node, key: portKey(nameOf(service), nameOf(node)) })),
  );

const nameOf = (node: XmlNode): string => attributeOf(node, 'name') ?? '';

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a reference that names a document which was not read: the attribute of an import, which is optional, else
 * the whole element. Null where it names nothing, and for the public schemas that every reader knows.
 */
function unresolvedSpan(node: XmlNode, attribute: string, text: string): Span | null {
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
function endpointAddressesOf(port: XmlNode): readonly XmlNode[] {
  return childrenOf(port, WSA_10, 'EndpointReference')
    .flatMap((reference) => childrenOf(reference, WSA_10, 'Address'))
    .filter((address) => address.children.length === 0 && address.contentEnd > address.contentStart);
}
