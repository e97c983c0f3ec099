import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import type { RedisConnection } from '../connection.js';
import { GET_DOCUMENT, SET_DOCUMENT } from './persisted-scripts.js';

export interface PersistedStoreOptions {
  readonly prefix: string;
  /** Expiry after the last use. */
  readonly keptMillis: number;
  /** Longer documents are rejected. */
  readonly textBytes: number;
  /** Documents in Redis, and bytes of all of them: beyond that, the least recently used are evicted. */
  readonly entries: number;
  readonly bytes: number;
  /** Called for a document whose text does not match its hash: Redis has been tampered with. */
  readonly onPoisoned: () => void;
}

/** Persisted documents of one process, which the shared ones complement. */
export interface DocumentStore {
  get(hash: string): Promise<string | null>;
  set(hash: string, text: string): Promise<void>;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * Persisted documents by their SHA-256, shared by all replicas. A text from Redis is used only if its hash is right. A
 * document that Redis cannot deliver counts as unknown, and the client sends its text again.
 */
export class RedisPersistedStore implements DocumentStore {
  readonly #local: DocumentStore;
  readonly #connection: RedisConnection;
  readonly #options: PersistedStoreOptions;

  constructor(local: DocumentStore, connection: RedisConnection, options: PersistedStoreOptions) {
    this.#local = local;
    this.#connection = connection;
    this.#options = options;
  }

  /** Never rejects, and takes at most `operationMillis`. */
  async get(hash: string): Promise<string | null> {
    const known = await this.#local.get(hash);
    if (known !== null || !HASH.test(hash) || !this.#connection.isUp) return known;
    const text = await this.#connection
      .script('document_get', GET_DOCUMENT, this.#keys(hash), [hash, String(this.#options.keptMillis)], 0)
      .catch(() => null);
    if (typeof text !== 'string') return null;
    const isValid = Buffer.byteLength(text) <= this.#options.textBytes && hashOf(text) === hash;
    if (!isValid) {
      this.#options.onPoisoned();
      await this.#connection.command('document_drop', ['DEL', this.#key(hash)]).catch(() => null);
      return null;
    }
    await this.#local.set(hash, text);
    return text;
  }

  /** Never rejects. */
  async set(hash: string, text: string): Promise<void> {
    await this.#local.set(hash, text);
    if (!HASH.test(hash) || !this.#connection.isUp) return;
    const { keptMillis, entries, bytes } = this.#options;
    const values = [hash, String(keptMillis), text, String(entries), String(bytes), this.#key('')];
    await this.#connection.script('document_set', SET_DOCUMENT, this.#keys(hash), values).catch(() => null);
  }

  #keys(hash: string): readonly string[] {
    const { prefix } = this.#options;
    return [this.#key(hash), `${prefix}v1:documents`, `${prefix}v1:documents:bytes`];
  }

  #key(hash: string): string {
    return `${this.#options.prefix}v1:document:${hash}`;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
