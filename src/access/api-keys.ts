import type { Buffer } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

import { Refusal, type Steps } from '../core/index.js';
import type { Identifier } from './access.js';
import {
  type CallerIdentity,
  type Client,
  type ClientClass,
  clientOf,
  type Head,
} from './client.js';

export interface ApiKeyClient {
  readonly name: string;
  readonly rights: ClientClass;
  readonly keys: readonly string[];
}

/** Longer ones are not even hashed. */
const KEY_CHARS_MAX = 512;

/**
 * Identifies clients by a key in a header field. Keys are looked up by their digest, so that the
 * time does not depend on how many characters match, and the keys themselves are not kept.
 */
export class ApiKeys implements Identifier {
  readonly #header: string;
  readonly #byDigest = new Map<string, { readonly digest: Buffer; readonly client: Client }>();

  constructor(header: string, clients: readonly ApiKeyClient[]) {
    this.#header = header.toLowerCase();
    for (const each of clients) {
      this.#add(each);
    }
  }

  /** Hashes the keys in steps: there may be thousands. */
  static *make(header: string, clients: readonly ApiKeyClient[]): Steps<ApiKeys> {
    const made = new ApiKeys(header, []);
    for (const each of clients) {
      made.#add(each);
      yield;
    }
    return made;
  }

  #add({ name, rights, keys }: ApiKeyClient): void {
    const id = `apiKey:${name}`;
    const client = Object.freeze(clientOf('apiKey', { id, name, label: id }, rights));
    for (const key of keys) {
      const digest = digestOf(key);
      this.#byDigest.set(digest.toString('base64'), { digest, client });
    }
  }

  identify({ headers }: CallerIdentity): Client | null {
    const key = headers[this.#header];
    if (key === undefined) return null;
    if (typeof key !== 'string' || key.length > KEY_CHARS_MAX) {
      throw new Refusal('UNAUTHENTICATED', 'API key');
    }
    const digest = digestOf(key);
    const found = this.#byDigest.get(digest.toString('base64'));
    // Both cases take the same work: a key that is not known is compared with itself.
    const isSame = timingSafeEqual(digest, found?.digest ?? digest);
    if (found === undefined || !isSame) throw new Refusal('UNAUTHENTICATED', 'API key');
    return found.client;
  }

  withhold({ headers }: Head): void {
    delete headers[this.#header];
  }
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();
