import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { getOrMake } from '../core/index.js';

import { escapeQuoted } from '../xml/index.js';
import type { DocumentLink, WsdlDocument } from './document.js';

/**
 * The document of a service for a query string, as the gateway serves it; null for none. Every
 * address of a port is `base`, the address of the service, or one of `others`, those of ports that
 * other services have, by `portKey`; the ports of `hidden` are left out. References to other
 * documents of the model lead through the gateway, and other references, comments and processing
 * instructions are removed. UTF-8, whatever the original was.
 */
export function servedDocument(
  documents: readonly WsdlDocument[],
  query: string,
  base: string,
  others: Addresses = NO_OTHERS,
  hidden: ReadonlySet<string> = NONE_HIDDEN,
): ServedDocument | null {
  const document = requestedDocument(documents, query);
  if (document === null) return null;
  const prepared = getOrMake(PREPARED, document, () => prepare(document));
  return print(prepared, base, others, hidden);
}

type Addresses = ReadonlyMap<string, string>;

const NO_OTHERS: Addresses = new Map();
const NONE_HIDDEN: ReadonlySet<string> = new Set();

/**
 * A document for one address. Its long parts are shared by all responses: for no Host are they
 * copied.
 */
export interface ServedDocument {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  /** A strong entity tag: the same for the same bytes, and for no others. */
  readonly etag: string;
}

interface Prepared {
  readonly segments: readonly (Buffer | DocumentLink)[];
  /** The hash of all text except the address. */
  readonly digest: string;
}

/**
 * Prepared when it is first asked for, and kept as long as the document: most are never asked for,
 * and a reload would hold the event loop for all of them.
 */
const PREPARED = new WeakMap<WsdlDocument, Prepared>();

function prepare(document: WsdlDocument): Prepared {
  const hash = createHash('sha256');
  const segments = document.segments.map((segment) => {
    if (typeof segment !== 'string') {
      hash.update(`\0${textOf(segment, '', NO_OTHERS)}\0`);
      return segment;
    }
    const bytes = Buffer.from(withoutComments(segment));
    hash.update(bytes);
    return bytes;
  });
  return { segments, digest: hash.digest('base64url') };
}

function print(
  { segments, digest }: Prepared,
  base: string,
  others: Addresses,
  hidden: ReadonlySet<string>,
): ServedDocument {
  const parts: Buffer[] = [];
  let isHidden = false;
  for (const segment of segments) {
    const isLink = 'kind' in segment;
    if (isLink && segment.kind === 'port') {
      isHidden = segment.edge === 'start' && hidden.has(segment.port);
    } else if (!isHidden) {
      parts.push(isLink ? Buffer.from(textOf(segment, base, others)) : segment);
    }
  }
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const hash = createHash('sha256').update(`${digest} ${base}`);
  for (const [port, address] of others) {
    hash.update(`\0${port}\0${address}`);
  }
  for (const port of hidden) {
    hash.update(`\0\0${port}`);
  }
  return { parts, bytes, etag: `"${hash.digest('base64url').slice(0, 27)}"` };
}

/**
 * The address of a document of the model: `?wsdl` for the WSDL itself, else `?wsdl=<index>` or
 * `?xsd=<index>`.
 */
export function documentAddress(index: number, kind: WsdlDocument['kind'], base: string): string {
  if (index === 0) return `${base}?wsdl`;
  return `${base}?${kind === 'wsdl' ? 'wsdl' : 'xsd'}=${index}`;
}

/**
 * The document that a query string asks for (`wsdl`, `wsdl=1`, `xsd=2`, with or without `?`), or
 * null for none. The `singleWsdl` of WCF is `wsdl`: its reader follows the imports.
 */
export function requestedDocument(
  documents: readonly WsdlDocument[],
  query: string,
): WsdlDocument | null {
  if (/^\??singlewsdl$/i.test(query)) return documents[0] ?? null;
  const found = /^\??(wsdl|xsd)(?:=(0|[1-9]\d{0,4}))?$/i.exec(query);
  if (found === null) return null;
  const kind = found[1]?.toLowerCase() === 'wsdl' ? 'wsdl' : 'schema';
  if (found[2] === undefined) return kind === 'wsdl' ? (documents[0] ?? null) : null;
  const document = documents[Number(found[2])];
  return document?.kind === kind ? document : null;
}

/** Joins the segments; `textOf` returns the XML text for a link. */
export function printSegments(
  document: WsdlDocument,
  textOf: (link: DocumentLink) => string,
): string {
  return document.segments
    .map((segment) => (typeof segment === 'string' ? segment : textOf(segment)))
    .join('');
}

/** The text of a link in a served document. */
function textOf(link: DocumentLink, base: string, others: Addresses): string {
  switch (link.kind) {
    case 'address':
      return escapeQuoted(others.get(link.port) ?? base);
    case 'document':
      return escapeQuoted(documentAddress(link.index, link.target, base));
    case 'port':
    case 'unresolved':
      return '';
  }
}

/**
 * Start and end of comments, processing instructions and CDATA sections. A link is never inside
 * one.
 */
const MARKUP = [
  ['<!--', '-->', 'drop'],
  ['<![CDATA[', ']]>', 'keep'],
  ['<?xml ', '?>', 'keep'],
  ['<?xml\t', '?>', 'keep'],
  ['<?xml\r', '?>', 'keep'],
  ['<?xml\n', '?>', 'keep'],
  ['<?', '?>', 'drop'],
] as const;

/**
 * Removes comments and processing instructions: they were written for colleagues, not for clients.
 */
function withoutComments(text: string): string {
  let kept = '';
  let from = 0;
  let at = text.indexOf('<');
  while (at >= 0) {
    const start = at;
    const markup = MARKUP.find(([opening]) => text.startsWith(opening, start));
    if (markup === undefined) {
      at = text.indexOf('<', start + 1);
      continue;
    }
    const [opening, closing, action] = markup;
    const close = text.indexOf(closing, start + opening.length);
    const end = close < 0 ? text.length : close + closing.length;
    if (action === 'drop') {
      kept += text.slice(from, start);
      from = end;
    }
    at = text.indexOf('<', end);
  }
  return kept + text.slice(from);
}
