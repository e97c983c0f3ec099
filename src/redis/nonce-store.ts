import { createHash, randomBytes } from 'node:crypto';

import type { sharedState } from '../core/index.js';
import type { RedisConnection } from './connection.js';

/** Bytes of the id of a claim. */
const OWNER_BYTES = 16;

/**
 * Nonces that all replicas share; a request waits for them: see `claimNonces`. A claim without a
 * reply may have been executed: it is made once more, and a nonce that it finds with its own id is
 * new.
 */
export function redisNonceStore(
  connection: RedisConnection,
  prefix: string,
): sharedState.NonceStore {
  const keyOf = (service: string, key: string): string =>
    `${prefix}v1:nonce:${createHash('sha256').update(`${service}\n${key}`).digest('hex')}`;
  return {
    async claim(service, { key, equivalentKeys }, keptMillis) {
      const name = keyOf(service, key);
      const owner = randomBytes(OWNER_BYTES).toString('base64url');
      const commands = [
        ['SET', name, owner, 'NX', 'PX', String(keptMillis)],
        ['GET', name],
        ...equivalentKeys.map((equivalentKey) => ['GET', keyOf(service, equivalentKey)]),
      ];
      const attempt = async (): Promise<'new' | 'seen' | 'unknown'> => {
        const [, holder, ...found] = await Promise.all(
          commands.map((command) => connection.command('nonce', command)),
        );
        if (found.some((each) => each !== null)) return 'seen';
        if (holder === owner) return 'new';
        return holder === null ? 'unknown' : 'seen';
      };
      return await attempt()
        .catch(() => attempt())
        .catch(() => 'unknown' as const);
    },
  };
}
