import type { DocumentLink, WsdlDocument } from './model.js';

/**
 * A document as a client of the gateway reads it: every address of the service is `base`, every reference to another
 * document of the model leads through the gateway. UTF-8, whatever the original was.
 */
export function printDocument(document: WsdlDocument, base: string): string {
  return printPieces(document, (link) =>
    escapeXml(link.kind === 'address' ? base : documentAddress(link.index, link.target, base)),
  );
}

/** The address of a document of the model: `?wsdl` for the WSDL itself, else `?wsdl=<index>` or `?xsd=<index>`. */
export function documentAddress(index: number, kind: WsdlDocument['kind'], base: string): string {
  if (index === 0) return `${base}?wsdl`;
  return `${base}?${kind === 'wsdl' ? 'wsdl' : 'xsd'}=${index}`;
}

/** The document that a query string asks for (`wsdl`, `wsdl=1`, `xsd=2`, with or without `?`), or null for none. */
export function requestedDocument(documents: readonly WsdlDocument[], query: string): WsdlDocument | null {
  const found = /^\??(wsdl|xsd)(?:=(0|[1-9]\d{0,4}))?$/i.exec(query);
  if (found === null) return null;
  const kind = found[1]?.toLowerCase() === 'wsdl' ? 'wsdl' : 'schema';
  if (found[2] === undefined) return kind === 'wsdl' ? (documents[0] ?? null) : null;
  const document = documents[Number(found[2])];
  return document?.kind === kind ? document : null;
}

/** Joins the pieces; `textOf` gives the XML text that stands for a link. */
export function printPieces(document: WsdlDocument, textOf: (link: DocumentLink) => string): string {
  return document.pieces.map((piece) => (typeof piece === 'string' ? piece : textOf(piece))).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escapeXml = (value: string): string => value.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
