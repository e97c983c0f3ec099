import { isIP } from 'node:net';
import type { ServerAddress } from './address.js';
import { CONNECT_MILLIS, makeClient, type ServerAccess, withTimeout } from './client.js';
import { RedisUnavailable, redisReason } from './errors.js';

/** The kind of deployment that has the data, with its addresses. */
export type Deployment =
  | { readonly kind: 'server'; readonly address: ServerAddress }
  | {
      readonly kind: 'sentinel';
      /** The name of the primary in the configuration of the sentinels. */
      readonly master: string;
      readonly sentinels: readonly ServerAddress[];
      readonly access: ServerAccess;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly ServerAddress[] };

/**
 * Finds the server that has the data, anew for each connection. Rejects with `RedisUnavailable`.
 */
export type ServerLocator = () => Promise<ServerAddress>;

/** All keys are in the hash slot of `prefix`, so one node of a cluster has them. */
export function makeLocator(
  deployment: Deployment,
  access: ServerAccess,
  prefix: string,
): ServerLocator {
  if (deployment.kind === 'sentinel') return sentinelLocator(deployment);
  if (deployment.kind === 'cluster') return clusterLocator(deployment.nodes, access, prefix);
  return async () => deployment.address;
}

/**
 * Asks sentinels for the primary, in turn: the one that sent the connection to a dead or demoted
 * server is asked last the next time. The protocol is that of redis.io, "Guidelines for Redis
 * clients with support for Redis Sentinel"; its check of the role is made by the connection, which
 * has to write a key.
 */
function sentinelLocator({
  master,
  sentinels,
  access,
}: Extract<Deployment, { kind: 'sentinel' }>): ServerLocator {
  const turns = new Turns('sentinels', sentinels);
  return () =>
    turns.ask(async (sentinel) => {
      const [reply] = await askServer(sentinel, access, [
        ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master],
      ]);
      const [host, port] = Array.isArray(reply) ? reply : [];
      const address = readAddress(host, Number(port));
      if (address === null) throw new RedisUnavailable('unknown master');
      return address;
    });
}

/** Nodes that are remembered, besides the configured ones. */
const NODES_MAX = 100;

/**
 * Asks nodes of a cluster for the one that has the slot of all keys. It is asked again after each
 * redirection.
 */
function clusterLocator(
  nodes: readonly ServerAddress[],
  access: ServerAccess,
  prefix: string,
): ServerLocator {
  const turns = new Turns('nodes', nodes);
  const commands = [
    ['CLUSTER', 'KEYSLOT', prefix],
    ['CLUSTER', 'SLOTS'],
  ];
  return () =>
    turns.ask(async (node) => {
      const [slot, ranges] = await askServer(node, access, commands);
      let owner: ServerAddress | null = null;
      const known: ServerAddress[] = [...nodes];
      for (const range of Array.isArray(ranges) ? ranges : []) {
        const [from, to, ...servers]: readonly unknown[] = Array.isArray(range) ? range : [];
        const addresses = servers.flatMap((server) => readNode(server, node) ?? []);
        const isOwned = Number(from) <= Number(slot) && Number(slot) <= Number(to);
        if (isOwned) {
          owner = readNode(servers[0], node);
        }
        if (known.length < NODES_MAX) {
          known.push(...addresses);
        }
      }
      turns.replace(known);
      if (owner === null) throw new RedisUnavailable('slot not served');
      return owner;
    });
}

/**
 * Servers that are asked one after the other, beginning with the one after the last that answered.
 */
class Turns {
  readonly #name: string;
  #servers: readonly ServerAddress[];
  #next = 0;

  constructor(name: string, servers: readonly ServerAddress[]) {
    this.#name = name;
    this.#servers = servers;
  }

  /** Replaces the list of servers. An equal list does not change which one is asked next. */
  replace(servers: readonly ServerAddress[]): void {
    const byName = new Map(servers.map((server) => [JSON.stringify(server), server]));
    this.#servers = [...byName.values()];
  }

  /** The first answer. Rejects with `RedisUnavailable` and the reason of the last server. */
  async ask<T>(ask: (server: ServerAddress) => Promise<T>): Promise<T> {
    const servers = this.#servers;
    let reason = 'none';
    for (let count = 0; count < servers.length; count++) {
      const server = servers[this.#next % servers.length];
      this.#next = (this.#next + 1) % servers.length;
      if (server === undefined) break;
      try {
        return await ask(server);
      } catch (error) {
        reason = redisReason(error);
      }
    }
    throw new RedisUnavailable(`${this.#name}: ${reason}`);
  }
}

/** The replies of one server to some commands, over a connection of their own. */
async function askServer(
  server: ServerAddress,
  access: ServerAccess,
  commands: readonly (readonly string[])[],
): Promise<readonly unknown[]> {
  const client = await makeClient(server, { ...access, database: 0 });
  // The commands are rejected with this error too.
  client.on('error', () => {});
  try {
    await withTimeout(client.connect(), CONNECT_MILLIS);
    const replies = commands.map((words) => client.sendCommand<unknown>(words));
    return await withTimeout(Promise.all(replies), CONNECT_MILLIS);
  } finally {
    try {
      client.destroy();
    } catch {
      // It was closed already.
    }
  }
}

/** A node as `CLUSTER SLOTS` names it: without a host it is at that of the node that was asked. */
function readNode(server: unknown, asked: ServerAddress): ServerAddress | null {
  const [host, port] = Array.isArray(server) ? server : [];
  const own = 'host' in asked ? asked.host : null;
  return readAddress(host === null || host === '' ? own : host, Number(port));
}

/** Null for what no connection can be made to. */
function readAddress(host: unknown, port: number): ServerAddress | null {
  if (typeof host !== 'string' || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  return isIP(host) !== 0 || /^[A-Za-z0-9._-]{1,253}$/.test(host) ? { host, port } : null;
}
