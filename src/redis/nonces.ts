import { createHash } from 'node:crypto';

import type { NonceStore } from '../base/nonce-store.js';
import type { RedisConnection } from './connection.js';

/** Nonces that all replicas know. The one thing about which Redis is asked before a request goes on: see `claimNonces`. */
export class RedisNonces implements NonceStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async claim(service: string, nonce: string, keptMillis: number): Promise<'new' | 'seen' | 'unknown'> {
    const digest = createHash('sha256').update(`${service}\n${nonce}`).digest('hex');
    const words = ['SET', `${this.#prefix}v1:nonce:${digest}`, '1', 'NX', 'PX', String(keptMillis)];
    try {
      const answer = await this.#connection.command('nonce', words);
      if (answer === 'OK') return 'new';
      return answer === null ? 'seen' : 'unknown';
    } catch {
      return 'unknown';
    }
  }
}
