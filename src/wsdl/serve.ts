import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { escapeQuoted } from '../xml/writer.js';
import type { DocumentLink, WsdlDocument } from './model.js';

/** The documents of a service as callers of the gateway read them, ready but for the address they were asked at. */
export class ServedDocuments {
  readonly #documents: readonly WsdlDocument[];
  readonly #prepared: readonly Prepared[];

  constructor(documents: readonly WsdlDocument[]) {
    this.#documents = documents;
    this.#prepared = documents.map(prepare);
  }

  /** The document that a query asks for, with `base` as the address of the service; null for none. */
  find(query: string, base: string): ServedDocument | null {
    const document = requestedDocument(this.#documents, query);
    const prepared = document === null ? undefined : this.#prepared[document.index];
    return prepared === undefined ? null : print(prepared, base);
  }
}

/** A document for one address. Its long parts are shared by all who ask: whatever Host they name, none is copied. */
export interface ServedDocument {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  /** A strong entity tag: the same for the same bytes, and for no others. */
  readonly etag: string;
}

interface Prepared {
  readonly pieces: readonly (Buffer | DocumentLink)[];
  /** Of everything in it that is not the address. */
  readonly digest: string;
}

function prepare(document: WsdlDocument): Prepared {
  const hash = createHash('sha256');
  const pieces = document.pieces.map((piece) => {
    if (typeof piece !== 'string') {
      hash.update(`\0${textOf(piece, '')}\0`);
      return piece;
    }
    const bytes = Buffer.from(withoutNotes(piece));
    hash.update(bytes);
    return bytes;
  });
  return { pieces, digest: hash.digest('base64url') };
}

function print({ pieces, digest }: Prepared, base: string): ServedDocument {
  const parts = pieces.map((piece) => ('kind' in piece ? Buffer.from(textOf(piece, base)) : piece));
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    parts,
    bytes,
    etag: `"${createHash('sha256').update(`${digest} ${base}`).digest('base64url').slice(0, 27)}"`,
  };
}

/**
 * A document as a client of the gateway reads it: every address of the service is `base`, every reference to another
 * document of the model leads through the gateway, and those to other documents are gone, as are the comments and
 * instructions of its authors. UTF-8, whatever the original was.
 */
export function printDocument(document: WsdlDocument, base: string): string {
  return Buffer.concat(print(prepare(document), base).parts).toString();
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

/** What stands for a link in a served document. */
function textOf(link: DocumentLink, base: string): string {
  switch (link.kind) {
    case 'address':
      return escapeQuoted(base);
    case 'document':
      return escapeQuoted(documentAddress(link.index, link.target, base));
    case 'lost':
      return '';
  }
}

/** What begins a comment, an instruction or a CDATA section, with its end. A link never stands inside one. */
const NOTES = [
  ['<!--', '-->', 'drop'],
  ['<![CDATA[', ']]>', 'keep'],
  ['<?xml ', '?>', 'keep'],
  ['<?xml\t', '?>', 'keep'],
  ['<?xml\r', '?>', 'keep'],
  ['<?xml\n', '?>', 'keep'],
  ['<?', '?>', 'drop'],
] as const;

/** A piece of a document without comments and instructions: they were written for colleagues, not for callers. */
function withoutNotes(text: string): string {
  let kept = '';
  let from = 0;
  let at = text.indexOf('<');
  while (at >= 0) {
    const start = at;
    const note = NOTES.find(([opening]) => text.startsWith(opening, start));
    if (note === undefined) {
      at = text.indexOf('<', start + 1);
      continue;
    }
    const [opening, closing, fate] = note;
    const close = text.indexOf(closing, start + opening.length);
    const end = close < 0 ? text.length : close + closing.length;
    if (fate === 'drop') {
      kept += text.slice(from, start);
      from = end;
    }
    at = text.indexOf('<', end);
  }
  return kept + text.slice(from);
}
