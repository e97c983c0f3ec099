import { createHash } from 'node:crypto';

import type { NonceStore } from '../base/nonce-store.js';
import type { RedisConnection } from './connection.js';

/** Nonces that all replicas share. The only Redis operation that a request waits for: see `claimNonces`. */
export function redisNonceStore(connection: RedisConnection, prefix: string): NonceStore {
  const keyOf = (service: string, key: string): string =>
    `${prefix}v1:nonce:${createHash('sha256').update(`${service}\n${key}`).digest('hex')}`;
  return {
    async claim(service, { key, equivalentKeys }, keptMillis) {
      const claim = ['SET', keyOf(service, key), '1', 'NX', 'PX', String(keptMillis)];
      const lookUps = equivalentKeys.map((equivalentKey) => ['GET', keyOf(service, equivalentKey)]);
      try {
        const [reply, ...found] = await Promise.all(
          [claim, ...lookUps].map((command) => connection.command('nonce', command)),
        );
        if (reply === null || found.some((each) => each !== null)) return 'seen';
        return reply === 'OK' ? 'new' : 'unknown';
      } catch {
        return 'unknown';
      }
    },
  };
}
