import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { inputFiles, isRecord, jsonValues } from '../core/index.js';
import type { FetchDocument, FetchedDocument } from './documents/document-source.js';

/** The documents of a WSDL as its backend served them, taken in place of one in files. */
export interface TakenWsdl {
  /** The hash of the documents, which identifies them. */
  readonly id: string;
  /** The URL that the WSDL itself came from. */
  readonly url: string;
  readonly takenMillis: number;
  /** The reads of the files that it replaces: with other files it is not used. */
  readonly replaces: readonly inputFiles.Read[];
  /** The documents, each under the URL that was requested. */
  readonly documents: ReadonlyMap<string, FetchedDocument>;
  /** All of it, as `packTaken` writes it. */
  readonly bytes: Buffer;
}

/** Writes one line of JSON, which has the length of each document, then the documents. */
export function packTaken({
  url,
  takenMillis,
  replaces,
  documents,
}: Omit<TakenWsdl, 'id' | 'bytes'>): {
  readonly id: string;
  readonly content: Buffer;
} {
  const contents = [...documents.values()].map(({ body }) => body);
  const listed = [...documents].map(([asked, { url: at, contentType, body }]) => ({
    asked,
    url: at,
    contentType,
    bytes: body.length,
  }));
  const id = hashOf(contents);
  const header = { version: VERSION, id, url, takenMillis, replaces, documents: listed };
  return { id, content: Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...contents]) };
}

/** Null for bytes that `packTaken` did not write, or not all of them. */
export function unpackTaken(bytes: Buffer): TakenWsdl | null {
  const end = bytes.indexOf('\n');
  const header = end === -1 ? null : jsonValues.parsedJson(bytes.toString('utf8', 0, end));
  if (!isRecord(header) || header['version'] !== VERSION) return null;
  const { id, url, takenMillis, replaces, documents: listed } = header;
  if (typeof id !== 'string' || typeof url !== 'string' || typeof takenMillis !== 'number') {
    return null;
  }
  if (!Array.isArray(replaces) || !replaces.every(inputFiles.isRead) || !Array.isArray(listed))
    return null;
  const documents = new Map<string, FetchedDocument>();
  let at = end + 1;
  for (const entry of listed as readonly unknown[]) {
    if (!isListed(entry)) return null;
    const { asked, url: from, contentType, bytes: length } = entry;
    documents.set(asked, { url: from, contentType, body: bytes.subarray(at, at + length) });
    at += length;
  }
  const isWhole =
    at === bytes.length && hashOf([...documents.values()].map(({ body }) => body)) === id;
  return isWhole ? { id, url, takenMillis, replaces, documents, bytes } : null;
}

/** Gets documents from those that were taken alone. */
export function fetchTaken({ documents }: Pick<TakenWsdl, 'documents'>): FetchDocument {
  return async (url) => {
    const found = documents.get(url);
    if (found === undefined) throw new Error('is not among the documents that were taken');
    return found;
  };
}

/** Changes when the form does. */
const VERSION = 1;

interface Listed {
  readonly asked: string;
  readonly url: string;
  readonly contentType: string | null;
  readonly bytes: number;
}

const isListed = (value: unknown): value is Listed =>
  isRecord(value) &&
  typeof value['asked'] === 'string' &&
  typeof value['url'] === 'string' &&
  (value['contentType'] === null || typeof value['contentType'] === 'string') &&
  Number.isSafeInteger(value['bytes']) &&
  Number(value['bytes']) >= 0;

function hashOf(contents: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const content of contents) {
    hash.update(`${content.length}\n`).update(content);
  }
  return hash.digest('base64url');
}
