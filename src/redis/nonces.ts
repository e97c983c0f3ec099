import { createHash } from 'node:crypto';

import type { Nonce, NonceStore } from '../base/nonce-store.js';
import type { RedisConnection } from './connection.js';

/** Nonces that all replicas know. The one thing about which Redis is asked before a request goes on: see `claimNonces`. */
export class RedisNonces implements NonceStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async claim(service: string, { key, likenesses }: Nonce, keptMillis: number): Promise<'new' | 'seen' | 'unknown'> {
    const words = ['SET', this.#nameOf(service, key), '1', 'NX', 'PX', String(keptMillis)];
    const asked = likenesses.map((likeness) => ['GET', this.#nameOf(service, likeness)]);
    try {
      const [answer, ...found] = await Promise.all(
        [words, ...asked].map((command) => this.#connection.command('nonce', command)),
      );
      if (answer === null || found.some((each) => each !== null)) return 'seen';
      return answer === 'OK' ? 'new' : 'unknown';
    } catch {
      return 'unknown';
    }
  }

  #nameOf(service: string, key: string): string {
    const digest = createHash('sha256').update(`${service}\n${key}`).digest('hex');
    return `${this.#prefix}v1:nonce:${digest}`;
  }
}
