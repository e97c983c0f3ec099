import { isRecord } from '../../core/index.js';
import type { AdmittedDocument } from './document-cache.js';

/** Documents that were known when the gateway started. */
export interface TrustedDocuments {
  /** Whether other documents are refused. */
  readonly only: boolean;
  /** The documents that are valid and within the limits, by their text. */
  readonly documents: ReadonlyMap<string, AdmittedDocument>;
  /**
   * The text of the document with this id, valid or not; null for an id that is not in the
   * manifest.
   */
  textOf(id: string): string | null;
  /** Whether a document of the manifest has this text. */
  hasText(text: string): boolean;
}

/** One document of a manifest. */
export interface ManifestEntry {
  readonly id: string;
  /** For people: the name of its operation, or null. */
  readonly name: string | null;
  readonly text: string;
}

/**
 * The entries of a manifest, or the error that makes it unreadable, with the id of its entry if
 * any.
 */
export type Manifest =
  | { readonly entries: readonly ManifestEntry[] }
  | { readonly what: string; readonly remedy: string | null; readonly id: string | null };

/**
 * Reads a manifest: a map from ids to texts (Relay, GraphQL Code Generator), or Apollo's
 * `{ format, version, operations: [{ id, name, type, body }] }`.
 */
export function readManifest(value: unknown): Manifest {
  if (!isRecord(value)) return unreadable('It is not a map.');
  const { format, operations } = value;
  if (typeof format !== 'string' && !Array.isArray(operations)) return readMap(value);
  if (format !== APOLLO || value['version'] !== 1) {
    return unreadable('Its format or version is not known.');
  }
  if (!Array.isArray(operations)) return unreadable('It has no list of operations.');
  return readApollo(operations);
}

const APOLLO = 'apollo-persisted-query-manifest';

const FORMATS =
  'Give a map from ids to texts, or a manifest of Apollo: ' +
  'format "apollo-persisted-query-manifest", version 1.';

const unreadable = (what: string, id: string | null = null): Manifest => ({
  what,
  remedy: FORMATS,
  id,
});

function readMap(map: Readonly<Record<string, unknown>>): Manifest {
  const entries: ManifestEntry[] = [];
  for (const [id, text] of Object.entries(map)) {
    if (typeof text !== 'string') return unreadable('A document is not a text.', id);
    if (!isId(id)) return unreadable(ID_RULE);
    entries.push({ id, name: null, text });
  }
  return { entries };
}

function readApollo(operations: readonly unknown[]): Manifest {
  const entries = new Map<string, ManifestEntry>();
  for (const operation of operations) {
    if (!isRecord(operation)) return unreadable('An operation is not a map.');
    const { id, name, body } = operation;
    if (typeof id !== 'string' || !isId(id)) return unreadable(ID_RULE);
    if (typeof body !== 'string') return unreadable('An operation has no body.', id);
    if (entries.has(id)) {
      return { what: 'Two operations have the same id.', remedy: 'Remove one.', id };
    }
    entries.set(id, { id, name: typeof name === 'string' ? name : null, text: body });
  }
  return { entries: [...entries.values()] };
}

const ID_RULE = 'An id is missing, or longer than 256 characters.';

const isId = (id: string): boolean => id.length > 0 && id.length <= 256;
