import { isReachable, parseAddress } from '../../config/keys/address.js';
import {
  type Finding,
  finding,
  findingsBelow,
  invalid,
  type Problem,
  within,
} from '../../config/keys/finding.js';
import type { RedisPlan } from '../../config/plans/redis-plan.js';
import type { RotatingText } from '../../gateway/rotating-text.js';
import { parseRedisUrl, printAddress, type ServerAddress } from '../../redis/address.js';
import type { ServerAccess, TlsSource } from '../../redis/client.js';
import type { Deployment } from '../../redis/locator.js';
import type { SharedStateSettings } from '../../redis/shared-state.js';
import { dial } from '../../upstream/index.js';
import { compileTls, warningsOfTls } from './reach.js';

/** How Redis is reached, and what is doubtful about it. */
export interface CompiledRedis {
  /** Null without Redis. */
  readonly settings: SharedStateSettings | null;
  readonly warnings: readonly Problem[];
}

/** Compiles how Redis is reached. Throws `FindingsError` with paths in `redis`. */
export function compileRedis(plan: RedisPlan | null): CompiledRedis {
  if (plan === null) return { settings: null, warnings: [] };
  const { keys: redis, sentinel } = plan;
  const { operationMillis, replicas, secret, prefix, cluster } = redis;
  const named = parseRedisUrl(redis.url ?? '');
  const tls = tlsOf(plan, named?.isSecure === true);
  const tlsOfSentinels =
    sentinel === null ? null : within(['sentinel'], () => compileTls(sentinel.tls, SENTINELS));
  const inUrl = named?.password ?? null;
  const access = {
    username: redis.username ?? named?.username ?? null,
    password: inUrl === null ? secretOf(plan) : async () => inUrl,
    tls,
    database: redis.database ?? named?.database ?? 0,
  };
  const deployment = deploymentOf(plan, tlsOfSentinels);
  return {
    settings: {
      deployment,
      access,
      operationMillis,
      // A hash tag: every script finds its keys in one slot.
      prefix: cluster === undefined ? prefix : `{${prefix}}`,
      // The workers of this gateway are so many at least, before replicas are counted and while
      // Redis is away.
      replicas: Math.max(replicas, plan.processes),
      ...(secret !== undefined && { secret }),
    },
    warnings: [
      ...warningsOfTls(tls, '`redis`', redis.ca === undefined ? 'tls' : 'ca'),
      ...findingsBelow(['sentinel'], warningsOfTls(tlsOfSentinels, SENTINELS)),
      ...warningsOfClearText(deployment, access),
    ],
  };
}

const SENTINELS = 'The sentinels of `redis`';

function deploymentOf(plan: RedisPlan, tlsOfSentinels: TlsSource | null): Deployment {
  const { url, sentinel, cluster } = plan.keys;
  if (cluster !== undefined) return { kind: 'cluster', nodes: cluster.nodes.flatMap(serverAt) };
  if (sentinel !== undefined) {
    const { master, nodes, username } = sentinel;
    const password = secretOf(plan.sentinel);
    const access = { username: username ?? null, password, tls: tlsOfSentinels, database: 0 };
    return { kind: 'sentinel', master, sentinels: nodes.flatMap(serverAt), access };
  }
  const named = parseRedisUrl(url ?? '');
  if (named === null) throw invalid([], '`redis` has no server.', null);
  return { kind: 'server', address: named.address };
}

/** Without TLS others on the network can read the password, and what replicas share. */
function warningsOfClearText(
  deployment: Deployment,
  { password, tls }: ServerAccess,
): readonly Finding[] {
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
  return [finding([], what, remedy, 'key')];
}

/** The authorities of Node verify the server where nothing else is configured. */
function tlsOf(plan: RedisPlan, isSecure: boolean): dial.TlsMaterial | null {
  const { tls, ca } = plan;
  if (tls !== null || !isSecure) return compileTls(tls, '`redis`');
  return new dial.TlsMaterial(
    {
      parts: ca === null ? {} : { ca: ca.text },
      passphrase: null,
      servername: null,
      minVersion: '1.2',
      verify: 'full',
    },
    ca === null || ca.file === null ? {} : { ca: ca.file },
  );
}

function secretOf(
  plan: { readonly password: RotatingText | null } | null,
): ServerAccess['password'] {
  const password = plan?.password ?? null;
  if (password === null) return null;
  const { text, file } = password;
  return async () => (await file?.latest()) ?? text;
}

function serverAt(text: string): readonly ServerAddress[] {
  const address = parseAddress(text);
  return address === null ? [] : [address];
}
