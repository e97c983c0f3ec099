import { ConfigurationError, type Diagnostic } from '../../base/diagnostic.js';
import { RotatingFile } from '../../base/rotating-file.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import { isReachable, parseAddress } from '../../config/keys/address.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import type { LoadedConfig } from '../../config/load.js';
import type { RedisConfig } from '../../config/process/redis-keys.js';
import { processCount } from '../../config/process-count.js';
import { parseRedisUrl, printAddress, type ServerAddress } from '../../redis/address.js';
import type { ServerAccess, TlsSource } from '../../redis/client.js';
import type { Deployment } from '../../redis/locator.js';
import type { SharedStateSettings } from '../../redis/shared-state.js';
import { TlsMaterial } from '../../upstream/dial/tls.js';
import { compileTls, warningsOfTls } from './reach.js';

/** How Redis is reached, and what is doubtful about it. */
export interface CompiledRedis {
  /** Null without Redis. */
  readonly settings: SharedStateSettings | null;
  readonly warnings: readonly Diagnostic[];
}

/** Compiles how Redis is reached. Throws `ConfigurationError`. */
export function compileRedis(loaded: LoadedConfig): CompiledRedis {
  const { redis } = loaded.config;
  if (redis === undefined) return { settings: null, warnings: [] };
  const { operationMillis, replicas, secret, prefix, sentinel, cluster } = redis;
  const named = parseRedisUrl(redis.url ?? '');
  const tls = tlsOf(loaded, redis, named?.isSecure === true);
  const tlsOfSentinels =
    sentinel === undefined ? null : compileTls(loaded, SENTINEL_TLS, sentinel, 'The sentinels of `redis`');
  const inUrl = named?.password ?? null;
  const access = {
    username: redis.username ?? named?.username ?? null,
    password: inUrl === null ? secretAt(loaded, ['redis', 'password'], redis.password) : async () => inUrl,
    tls,
    database: redis.database ?? named?.database ?? 0,
  };
  const deployment = deploymentOf(loaded, redis, tlsOfSentinels);
  return {
    settings: {
      deployment,
      access,
      operationMillis,
      // A hash tag: every script finds its keys in one slot.
      prefix: cluster === undefined ? prefix : `{${prefix}}`,
      // Its workers alone are so many, before they are counted and while Redis is away.
      replicas: Math.max(replicas, processCount(loaded.config)),
      ...(secret !== undefined && { secret }),
    },
    warnings: [
      ...warningsOfTls(loaded, ['redis', redis.ca === undefined ? 'tls' : 'ca'], tls, '`redis`'),
      ...warningsOfTls(loaded, SENTINEL_TLS, tlsOfSentinels, 'The sentinels of `redis`'),
      ...warningsOfClearText(loaded, deployment, access),
    ],
  };
}

const SENTINEL_TLS: ConfigPath = ['redis', 'sentinel', 'tls'];

function deploymentOf(
  loaded: LoadedConfig,
  { url, sentinel, cluster }: RedisConfig,
  tlsOfSentinels: TlsSource | null,
): Deployment {
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster.nodes.flatMap(serverAt) };
  if (sentinel !== undefined) {
    const { master, nodes, username } = sentinel;
    const password = secretAt(loaded, ['redis', 'sentinel', 'password'], sentinel.password);
    const access = { username: username ?? null, password, tls: tlsOfSentinels, database: 0 };
    return { kind: 'sentinel', master, sentinels: nodes.flatMap(serverAt), access };
  }
  const named = parseRedisUrl(url ?? '');
  if (named === null) throw new ConfigurationError([diagnosticAt(loaded, ['redis'], '`redis` has no server.', null)]);
  return { kind: 'server', address: named.address };
}

/** Without TLS others on the network can read the password, and what replicas share. */
function warningsOfClearText(
  loaded: LoadedConfig,
  deployment: Deployment,
  { password, tls }: ServerAccess,
): readonly Diagnostic[] {
  const { kind } = deployment;
  const servers =
    kind === 'server' ? [deployment.address] : kind === 'sentinel' ? deployment.sentinels : deployment.nodes;
  const isOpen = servers.some((server) => isReachable(printAddress(server)));
  if (!isOpen || password === null || tls !== null) return [];
  const what = 'Redis gets its password without TLS: others on the network can read it, and what replicas share.';
  const remedy = kind === 'server' ? 'Write rediss://.' : 'Give `redis.tls`.';
  return [diagnosticAt(loaded, ['redis'], what, remedy, 'key')];
}

/** The authorities of Node verify the server where nothing else is configured. */
function tlsOf(loaded: LoadedConfig, redis: RedisConfig, isSecure: boolean): TlsMaterial | null {
  const { tls, ca } = redis;
  if (tls !== undefined || !isSecure) return compileTls(loaded, ['redis', 'tls'], redis, '`redis`');
  const file = loaded.fileAt(['redis', 'ca']);
  return new TlsMaterial(
    { parts: ca === undefined ? {} : { ca }, passphrase: null, servername: null, minVersion: '1.2', verify: 'full' },
    ca === undefined || file === null ? {} : { ca: new RotatingFile(file, ca) },
  );
}

function secretAt(loaded: LoadedConfig, path: ConfigPath, secret: string | undefined): ServerAccess['password'] {
  if (secret === undefined) return null;
  const file = loaded.fileAt(path);
  const rotating = file === null ? null : new RotatingFile(file, secret);
  return async () => (await rotating?.latest()) ?? secret;
}

function serverAt(text: string): readonly ServerAddress[] {
  const address = parseAddress(text);
  return address === null ? [] : [address];
}
