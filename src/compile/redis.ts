import { ConfigurationError } from '../base/diagnostic.js';
import { RotatingFile } from '../base/rotating-file.js';
import { parseAddress } from '../config/address.js';
import type { LoadedConfig } from '../config/load.js';
import type { RedisConfig } from '../config/redis-keys.js';
import type { ConfigPath } from '../config/yaml-source.js';
import { parseRedisUrl, type ServerAddress } from '../redis/address.js';
import type { ServerAccess, TlsSource } from '../redis/client.js';
import type { Deployment } from '../redis/locator.js';
import type { SharedStateSettings } from '../redis/shared-state.js';
import { TlsMaterial } from '../upstream/dial/tls.js';
import { diagnosticAt } from './diagnostic-at.js';
import { compileTls } from './reach.js';

/** Compiles how Redis is reached; null without it. Throws `ConfigurationError`. */
export function compileRedis(loaded: LoadedConfig): SharedStateSettings | null {
  const { redis } = loaded.config;
  if (redis === undefined) return null;
  const { operationMillis, replicas, secret, prefix } = redis;
  return {
    deployment: deploymentOf(loaded, redis),
    access: accessOf(loaded, redis),
    operationMillis,
    // A hash tag: every script finds its keys in one slot.
    prefix: redis.cluster === undefined ? prefix : `{${prefix}}`,
    replicas,
    ...(secret !== undefined && { secret }),
  };
}

function deploymentOf(loaded: LoadedConfig, { url, sentinel, cluster }: RedisConfig): Deployment {
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster.nodes.flatMap(serverAt) };
  if (sentinel !== undefined) {
    const { master, nodes, username } = sentinel;
    const path: ConfigPath = ['redis', 'sentinel'];
    const tls = compileTls(loaded, [...path, 'tls'], sentinel, 'The sentinels of `redis`');
    const password = secretAt(loaded, [...path, 'password'], sentinel.password);
    const access = { username: username ?? null, password, tls, database: 0 };
    return { kind: 'sentinel', master, sentinels: nodes.flatMap(serverAt), access };
  }
  const named = parseRedisUrl(url ?? '');
  if (named === null) throw new ConfigurationError([diagnosticAt(loaded, ['redis'], '`redis` has no server.', null)]);
  return { kind: 'server', address: named.address };
}

function accessOf(loaded: LoadedConfig, redis: RedisConfig): ServerAccess {
  const named = parseRedisUrl(redis.url ?? '');
  const inUrl = named?.password ?? null;
  return {
    username: redis.username ?? named?.username ?? null,
    password: inUrl === null ? secretAt(loaded, ['redis', 'password'], redis.password) : async () => inUrl,
    tls: tlsOf(loaded, redis, named?.isSecure === true),
    database: redis.database ?? named?.database ?? 0,
  };
}

/** The authorities of Node verify the server where nothing else is configured. */
function tlsOf(loaded: LoadedConfig, redis: RedisConfig, isSecure: boolean): TlsSource | null {
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
