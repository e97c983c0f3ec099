import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import type { RedisConnection } from './connection.js';
import { TEXT_GET, TEXT_SET } from './text-scripts.js';

export interface PersistedTextsOptions {
  readonly prefix: string;
  /** How long a text is kept after it was last used. */
  readonly keptMillis: number;
  /** Longer texts are not looked at. */
  readonly textBytes: number;
  /** Texts that Redis keeps, and bytes of all of them: beyond that, those go that were not used for longest. */
  readonly entries: number;
  readonly bytes: number;
  /** Somebody has put another text under the hash: Redis is not to be trusted. */
  readonly poisoned: () => void;
}

/** Where texts are looked for first, and kept while Redis is away. */
export interface Texts {
  get(hash: string): Promise<string | null>;
  set(hash: string, text: string): Promise<void>;
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * Texts of documents by their SHA-256, which all replicas find. What comes from Redis is believed only if it has the
 * hash it is kept under; what cannot be had for the moment is not there, and callers send it again.
 */
export class PersistedTexts implements Texts {
  readonly #local: Texts;
  readonly #connection: RedisConnection;
  readonly #options: PersistedTextsOptions;

  constructor(local: Texts, connection: RedisConnection, options: PersistedTextsOptions) {
    this.#local = local;
    this.#connection = connection;
    this.#options = options;
  }

  /** Never rejects, and takes no longer than an operation of Redis may. */
  async get(hash: string): Promise<string | null> {
    const known = await this.#local.get(hash);
    if (known !== null || !HASH.test(hash) || !this.#connection.isUp) return known;
    const text = await this.#connection
      .script('document_get', TEXT_GET, this.#keys(hash), [hash, String(this.#options.keptMillis)], 0)
      .catch(() => null);
    if (typeof text !== 'string') return null;
    const isRight = Buffer.byteLength(text) <= this.#options.textBytes && hashOf(text) === hash;
    if (!isRight) {
      this.#options.poisoned();
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
    await this.#connection.script('document_set', TEXT_SET, this.#keys(hash), values).catch(() => null);
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
