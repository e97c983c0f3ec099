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
  /**
   * Documents in Redis, and bytes of all of them: beyond that, the least recently used are evicted.
   */
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
 * Persisted documents by their SHA-256, shared by all replicas. A text from Redis is used only if
 * its hash is right. A document that Redis cannot deliver counts as unknown, and the client sends
 * its text again.
 */
export function redisPersistedStore(
  local: DocumentStore,
  connection: RedisConnection,
  { prefix, keptMillis, textBytes, entries, bytes, onPoisoned }: PersistedStoreOptions,
): DocumentStore {
  const keyOf = (hash: string): string => `${prefix}v1:document:${hash}`;
  const keysOf = (hash: string): readonly string[] => [
    keyOf(hash),
    `${prefix}v1:documents`,
    `${prefix}v1:documents:bytes`,
  ];
  return {
    /** Never rejects, and takes at most `operationMillis`. */
    async get(hash) {
      const known = await local.get(hash);
      if (known !== null || !HASH.test(hash) || !connection.isUp) return known;
      const text = await connection
        .script('document_get', GET_DOCUMENT, keysOf(hash), [hash, String(keptMillis)], 0)
        .catch(() => null);
      if (typeof text !== 'string') return null;
      if (Buffer.byteLength(text) > textBytes || hashOf(text) !== hash) {
        onPoisoned();
        await connection.command('document_drop', ['DEL', keyOf(hash)]).catch(() => null);
        return null;
      }
      await local.set(hash, text);
      return text;
    },

    /** Never rejects. */
    async set(hash, text) {
      await local.set(hash, text);
      if (!HASH.test(hash) || !connection.isUp) return;
      const values = [hash, String(keptMillis), text, String(entries), String(bytes), keyOf('')];
      await connection.script('document_set', SET_DOCUMENT, keysOf(hash), values).catch(() => null);
    },
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
