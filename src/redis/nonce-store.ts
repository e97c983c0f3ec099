import { createHash } from 'node:crypto';

import type { Nonce, NonceStore } from '../base/nonce-store.js';
import type { RedisConnection } from './connection.js';

/** Nonces that all replicas share. The only Redis operation that a request waits for: see `claimNonces`. */
export class RedisNonceStore implements NonceStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async claim(
    service: string,
    { key, equivalentKeys }: Nonce,
    keptMillis: number,
  ): Promise<'new' | 'seen' | 'unknown'> {
    const claim = ['SET', this.#keyOf(service, key), '1', 'NX', 'PX', String(keptMillis)];
    const lookUps = equivalentKeys.map((equivalentKey) => ['GET', this.#keyOf(service, equivalentKey)]);
    try {
      const [reply, ...found] = await Promise.all(
        [claim, ...lookUps].map((command) => this.#connection.command('nonce', command)),
      );
      if (reply === null || found.some((each) => each !== null)) return 'seen';
      return reply === 'OK' ? 'new' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  #keyOf(service: string, key: string): string {
    const digest = createHash('sha256').update(`${service}\n${key}`).digest('hex');
    return `${this.#prefix}v1:nonce:${digest}`;
  }
}
