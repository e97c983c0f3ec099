import type { RotatingText } from '../../gateway/rotating-text.js';
import type { RedisConfig } from '../process/redis-keys.js';
import { processCount } from '../process-count.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';
import { readTls, type TlsPlan } from './tls-plan.js';

/** Redis, as it is configured. */
export interface RedisPlan extends RedisAccessPlan {
  readonly keys: RedisConfig;
  /** The processes of this gateway. */
  readonly processes: number;
  readonly ca: RotatingText | null;
  /** Null without sentinels. */
  readonly sentinel: RedisAccessPlan | null;
}

/** How servers are reached; null for what is not configured. */
interface RedisAccessPlan {
  readonly tls: TlsPlan | null;
  readonly password: RotatingText | null;
}

/** Reads `redis`; null without. */
export function readRedis(
  root: ConfigSection<Pick<Config, 'redis' | 'workers'>>,
): RedisPlan | null {
  const { redis: keys } = root.value;
  if (keys === undefined) return null;
  const section = root.at(keys, 'redis');
  const { ca, sentinel } = keys;
  return {
    ...readAccess(section),
    keys,
    processes: processCount(root.value),
    ca: ca === undefined ? null : section.textAt(['ca'], ca),
    sentinel: sentinel === undefined ? null : readAccess(section.at(sentinel, 'sentinel')),
  };
}

function readAccess(
  section: ConfigSection<Pick<RedisConfig, 'tls'> & { readonly password?: string | undefined }>,
): RedisAccessPlan {
  const { password } = section.value;
  return {
    tls: readTls(section),
    password: password === undefined ? null : section.textAt(['password'], password),
  };
}
