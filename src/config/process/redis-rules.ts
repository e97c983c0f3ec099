import { isRecord } from '../../core/index.js';
import { parseRedisUrl } from '../../redis/address.js';
import { identityRules } from '../backend/upstream-rules.js';
import { printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

const DEPLOYMENTS = ['url', 'sentinel', 'cluster'] as const;

/** Rules between the keys of Redis: one deployment, and each setting once. */
export function redisRules({ redis }: Record<string, unknown>): readonly Finding[] {
  if (!isRecord(redis)) return [];
  const findings: Finding[] = [];
  const at = (key: string | null, what: string, remedy: string): void => {
    const path = key === null ? ['redis'] : ['redis', key];
    findings.push({ path, part: 'key', what: `${printPath(path)} ${what}`, remedy });
  };
  const has = (key: string): boolean => redis[key] !== undefined;
  const { url, sentinel, cluster, tls, ca } = redis;
  const [first, second] = DEPLOYMENTS.filter(has);
  if (first === undefined) {
    at(null, 'has no server.', 'Give it one of `url`, `sentinel` and `cluster`.');
  } else if (second !== undefined) {
    at(second, `stands beside \`${first}\`.`, 'Keep one of them.');
  }
  const named = typeof url === 'string' ? parseRedisUrl(url) : null;
  if (named !== null) {
    for (const key of ['username', 'password', 'database'] as const) {
      if (has(key) && named[key] !== null) {
        at(key, 'is in `redis.url` too.', 'Keep one of them.');
      }
    }
    if (!named.isSecure && (has('tls') || has('ca'))) {
      at(
        has('tls') ? 'tls' : 'ca',
        'has no effect: `redis.url` begins with something else than rediss.',
        'Write rediss://.',
      );
    }
  }
  if (cluster !== undefined && has('database')) {
    at('database', 'has no effect: a cluster has one.', 'Remove it.');
  }
  if (tls !== undefined && ca !== undefined) {
    at('ca', 'stands beside `redis.tls`.', 'Write it there, as `ca`.');
  }
  findings.push(...identityRules(tls, ['redis', 'tls']));
  if (isRecord(sentinel)) {
    findings.push(...identityRules(sentinel['tls'], ['redis', 'sentinel', 'tls']));
  }
  return findings;
}
