import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';
import { Kind, visit } from 'graphql';
import { collections, getOrMake, MIB } from '../../core/index.js';
import { OperationSource } from '../document-source.js';
import type { MeasurableLimit } from '../limits.js';
import type { Fragments } from '../schema/output/reply-plan.js';
import { DocumentCacheEntries } from './document-cache-entry.js';
import type { PersistedLimits } from './persisted-limits.js';

/** A document that was parsed and validated against the schema of one generation. */
export class AdmittedDocument {
  readonly document: DocumentNode;
  readonly fragments: Fragments;
  /** The variables that @skip or @include depends on: the plan depends on their values. */
  readonly switches: readonly string[];
  /** Measured limits that it is over. */
  readonly exceeded: ReadonlySet<MeasurableLimit>;
  /**
   * The most fields that the introspection of an operation answers; operations without
   * introspection are absent.
   */
  readonly introspected: ReadonlyMap<OperationDefinitionNode, number>;
  /** About how much memory its syntax tree takes. */
  readonly bytes: number;

  constructor(
    document: DocumentNode,
    exceeded: ReadonlySet<MeasurableLimit> = new Set(),
    introspected: ReadonlyMap<OperationDefinitionNode, number> = new Map(),
  ) {
    this.document = document;
    this.exceeded = exceeded;
    this.introspected = introspected;
    this.fragments = fragmentsOf(document);
    this.switches = switchesOf(document);
    const source = document.loc?.source;
    this.bytes = treeBytes(
      source instanceof OperationSource ? source.length : (source?.body.length ?? 0),
    );
  }
}

/** The fragments of a document by their names. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
  return fragments;
}

/** A syntax tree takes about this much memory for each character of its text. */
const treeBytes = (chars: number): number => 1000 + 40 * chars;

/** The documents of one generation by their text; the least recently used are evicted. */
export class DocumentCache {
  /** Trusted documents, which are never evicted. */
  readonly #pinned: ReadonlyMap<string, AdmittedDocument>;
  readonly #cache = new collections.BoundedCache<AdmittedDocument>({
    entries: 1000,
    size: 16 * MIB,
    sizeOf: (_document, text) => treeBytes(text.length),
  });
  /** Documents that are being read. */
  readonly #reading = new Map<string, Promise<void>>();
  /** Plans and estimates of all of them: they can be made again. */
  readonly entries: DocumentCacheEntries;

  constructor(pinned: ReadonlyMap<string, AdmittedDocument> = new Map(), planBytes?: number) {
    this.#pinned = pinned;
    this.entries = new DocumentCacheEntries(planBytes);
  }

  get(text: string): AdmittedDocument | undefined {
    return this.#pinned.get(text) ?? this.#cache.get(text);
  }

  has(text: string): boolean {
    return this.#pinned.has(text) || this.#cache.has(text);
  }

  set(text: string, document: AdmittedDocument): void {
    this.#cache.set(text, document);
  }

  /** Reads a document, once for all requests that wait for it. Rejects as `read` does. */
  readOnce(text: string, read: () => Promise<AdmittedDocument>): Promise<void> {
    return getOrMake(this.#reading, text, async () => {
      try {
        this.set(text, await read());
      } finally {
        this.#reading.delete(text);
      }
    });
  }
}

/**
 * Texts of documents by the SHA-256 of their UTF-8, in lower case hexadecimal. Each generation
 * admits them anew.
 */
export interface PersistedStore {
  /** Null for an unknown hash, and while the store cannot be reached. Never rejects. */
  get(hash: string): Promise<string | null>;
  /** Never rejects: a text that cannot be stored is dropped. */
  set(hash: string, text: string): Promise<void>;
}

/** Keeps the texts of documents in this process, across generations. */
export class MemoryPersistedStore implements PersistedStore {
  readonly #texts: collections.BoundedCache<string>;

  constructor({ entries, bytes, keptMillis }: PersistedLimits) {
    const sizeOf = (text: string, hash: string): number => 2 * (text.length + hash.length);
    this.#texts = new collections.BoundedCache({ entries, size: bytes, sizeOf, keptMillis });
  }

  async get(hash: string): Promise<string | null> {
    return this.#texts.get(hash) ?? null;
  }

  async set(hash: string, text: string): Promise<void> {
    this.#texts.set(hash, text);
  }
}

function switchesOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      for (const { value } of node.arguments ?? []) {
        if (value.kind === Kind.VARIABLE) {
          names.add(value.name.value);
        }
      }
    },
  });
  return [...names];
}
