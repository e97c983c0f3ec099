import { isReachable, parseAddress } from '../../config/keys/address.js';
import type { RedisConfig } from '../../config/process/redis-keys.js';
import { processCount } from '../../config/process-count.js';
import type { Config } from '../../config/schema.js';
import type { ConfigSection } from '../../config/section.js';
import type { Diagnostic } from '../../core/index.js';
import { parseRedisUrl, printAddress, type ServerAddress } from '../../redis/address.js';
import type { ServerAccess, TlsSource } from '../../redis/client.js';
import type { Deployment } from '../../redis/locator.js';
import type { SharedStateSettings } from '../../redis/shared-state.js';
import { TlsMaterial } from '../../upstream/index.js';
import { compileTls, warningsOfTls } from './reach.js';

/** How Redis is reached, and what is doubtful about it. */
export interface CompiledRedis {
  /** Null without Redis. */
  readonly settings: SharedStateSettings | null;
  readonly warnings: readonly Diagnostic[];
}

/** Compiles how Redis is reached. Throws `ConfigurationError`. */
export function compileRedis(
  root: ConfigSection<Pick<Config, 'redis' | 'workers'>>,
): CompiledRedis {
  const { redis } = root.value;
  if (redis === undefined) return { settings: null, warnings: [] };
  const section = root.at(redis, 'redis');
  const { operationMillis, replicas, secret, prefix, sentinel, cluster } = redis;
  const named = parseRedisUrl(redis.url ?? '');
  const tls = tlsOf(section, named?.isSecure === true);
  const sentinels = sentinel === undefined ? null : section.at(sentinel, 'sentinel');
  const tlsOfSentinels = sentinels === null ? null : compileTls(sentinels, SENTINELS);
  const inUrl = named?.password ?? null;
  const access = {
    username: redis.username ?? named?.username ?? null,
    password: inUrl === null ? secretOf(section) : async () => inUrl,
    tls,
    database: redis.database ?? named?.database ?? 0,
  };
  const deployment = deploymentOf(section, tlsOfSentinels);
  return {
    settings: {
      deployment,
      access,
      operationMillis,
      // A hash tag: every script finds its keys in one slot.
      prefix: cluster === undefined ? prefix : `{${prefix}}`,
      // The workers of this gateway are so many at least, before replicas are counted and while
      // Redis is away.
      replicas: Math.max(replicas, processCount(root.value)),
      ...(secret !== undefined && { secret }),
    },
    warnings: [
      ...warningsOfTls(section, tls, '`redis`', redis.ca === undefined ? 'tls' : 'ca'),
      ...(sentinels === null ? [] : warningsOfTls(sentinels, tlsOfSentinels, SENTINELS)),
      ...warningsOfClearText(section, deployment, access),
    ],
  };
}

const SENTINELS = 'The sentinels of `redis`';

function deploymentOf(
  section: ConfigSection<RedisConfig>,
  tlsOfSentinels: TlsSource | null,
): Deployment {
  const { url, sentinel, cluster } = section.value;
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster.nodes.flatMap(serverAt) };
  if (sentinel !== undefined) {
    const { master, nodes, username } = sentinel;
    const password = secretOf(section.at(sentinel, 'sentinel'));
    const access = { username: username ?? null, password, tls: tlsOfSentinels, database: 0 };
    return { kind: 'sentinel', master, sentinels: nodes.flatMap(serverAt), access };
  }
  const named = parseRedisUrl(url ?? '');
  if (named === null) throw section.error([], '`redis` has no server.', null);
  return { kind: 'server', address: named.address };
}

/** Without TLS others on the network can read the password, and what replicas share. */
function warningsOfClearText(
  section: ConfigSection<RedisConfig>,
  deployment: Deployment,
  { password, tls }: ServerAccess,
): readonly Diagnostic[] {
  const { kind } = deployment;
  const servers =
    kind === 'server'
      ? [deployment.address]
      : kind === 'sentinel'
        ? deployment.sentinels
        : deployment.nodes;
  const isOpen = servers.some((server) => isReachable(printAddress(server)));
  if (!isOpen || password === null || tls !== null) return [];
  const what =
    'Redis gets its password without TLS: others on the network can read it, ' +
    'and what replicas share.';
  const remedy = kind === 'server' ? 'Write rediss://.' : 'Give `redis.tls`.';
  return [section.diagnostic([], what, remedy, 'key')];
}

/** The authorities of Node verify the server where nothing else is configured. */
function tlsOf(section: ConfigSection<RedisConfig>, isSecure: boolean): TlsMaterial | null {
  const { tls, ca } = section.value;
  if (tls !== undefined || !isSecure) return compileTls(section, '`redis`');
  const file = ca === undefined ? null : section.rotating(['ca'], ca);
  return new TlsMaterial(
    {
      parts: ca === undefined ? {} : { ca },
      passphrase: null,
      servername: null,
      minVersion: '1.2',
      verify: 'full',
    },
    file === null ? {} : { ca: file },
  );
}

function secretOf(
  section: ConfigSection<{ readonly password?: string | undefined }>,
): ServerAccess['password'] {
  const { password } = section.value;
  if (password === undefined) return null;
  const rotating = section.rotating(['password'], password);
  return async () => (await rotating?.latest()) ?? password;
}

function serverAt(text: string): readonly ServerAddress[] {
  const address = parseAddress(text);
  return address === null ? [] : [address];
}
