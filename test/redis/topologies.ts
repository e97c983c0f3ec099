import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../kit/free-port.js';
import { RedisServer, until } from './kit.js';

/**
 * Several servers of Redis: Sentinel with a primary and its replica, and a cluster of three nodes.
 */

/** What `redis-cli` prints. */
export function ask(port: number, ...words: readonly string[]): string {
  const { stdout, stderr } = spawnSync('redis-cli', ['-p', String(port), ...words], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.trim();
}

/**
 * Returns when a replica has all that was written before. The key is in the slot of what is shared.
 */
export function replicate({ port }: RedisServer, ...words: readonly string[]): void {
  const input = 'SET {soapstone:}written 1\nWAIT 1 60000\n';
  const { stdout } = spawnSync('redis-cli', ['-p', String(port), ...words], {
    encoding: 'utf8',
    input,
  });
  if (!stdout.startsWith('OK\n1')) throw new Error(`no replica has it: ${stdout}`);
}

/** A sentinel, with its own user. */
class SentinelProcess {
  readonly #directory = mkdtempSync(join(tmpdir(), 'soapstone-sentinel-'));
  readonly #process: ChildProcess;
  readonly port: number;

  private constructor(port: number, lines: readonly string[]) {
    this.port = port;
    const file = join(this.#directory, 'sentinel.conf');
    writeFileSync(
      file,
      [`port ${port}`, 'bind 127.0.0.1', `dir ${this.#directory}`, ...lines].join('\n'),
    );
    this.#process = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  }

  static async start(lines: readonly string[]): Promise<SentinelProcess> {
    return new SentinelProcess(await freePort(), lines);
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    if (this.#process.exitCode === null && this.#process.kill('SIGKILL')) await gone;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A primary, its replica and three sentinels, each kind with a password of its own. */
export class SentinelDeployment {
  readonly servers: readonly [RedisServer, RedisServer];
  readonly #sentinels: readonly SentinelProcess[];
  readonly #secret: string;

  private constructor(
    servers: [RedisServer, RedisServer],
    sentinels: readonly SentinelProcess[],
    secret: string,
  ) {
    this.servers = servers;
    this.#sentinels = sentinels;
    this.#secret = secret;
  }

  static async start(secret: string, ofSentinels: string): Promise<SentinelDeployment> {
    const passwords = ['--requirepass', secret, '--masterauth', secret];
    const primary = await RedisServer.start(...passwords);
    const replicaOf = [
      '--replicaof',
      '127.0.0.1',
      String(primary.port),
      '--repl-diskless-sync-delay',
      '0',
    ];
    const replica = await RedisServer.start(...passwords, ...replicaOf);
    const config = [
      `requirepass ${ofSentinels}`,
      `sentinel sentinel-pass ${ofSentinels}`,
      `sentinel monitor orders 127.0.0.1 ${primary.port} 2`,
      `sentinel auth-pass orders ${secret}`,
      'sentinel down-after-milliseconds orders 500',
      'sentinel failover-timeout orders 3000',
    ];
    const sentinels = await Promise.all([0, 1, 2].map(() => SentinelProcess.start(config)));
    const deployment = new SentinelDeployment([primary, replica], sentinels, secret);
    const periods = ['info-period', '200', 'hello-period', '200', 'ping-period', '100'];
    await until(async () => {
      for (const { port } of sentinels)
        ask(port, '-a', ofSentinels, 'sentinel', 'debug', ...periods);
      const known = sentinels.map(({ port }) =>
        ask(port, '-a', ofSentinels, 'sentinel', 'master', 'orders'),
      );
      return known.every(
        (text) => /num-slaves\n1\n/.test(text) && /num-other-sentinels\n2\n/.test(text),
      );
    }, 'the sentinels know each other and the replica');
    return deployment;
  }

  /** As `host:port`. */
  get nodes(): readonly string[] {
    return this.#sentinels.map(({ port }) => `127.0.0.1:${port}`);
  }

  /** Whether a server takes writes. */
  isPrimary(server: RedisServer): boolean {
    return ask(server.port, '-a', this.#secret, '--no-auth-warning', 'role').startsWith('master');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sentinels, ...this.servers].map((each) => each.close()));
  }
}

/** Three primaries, the first with a replica. */
export class Cluster {
  readonly servers: readonly RedisServer[];

  private constructor(servers: readonly RedisServer[]) {
    this.servers = servers;
  }

  static async start(): Promise<Cluster> {
    const options = [
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      '1000',
      '--repl-diskless-sync-delay',
      '0',
    ];
    const start = async () =>
      RedisServer.start(...options, '--cluster-port', String(await freePort()));
    const servers = await Promise.all([0, 1, 2, 3].map(start));
    const cluster = new Cluster(servers);
    const nodes = servers.map(({ port }) => `127.0.0.1:${port}`);
    const [first = '', ...others] = nodes;
    const create = ['--cluster', 'create', first, ...others.slice(0, 2), '--cluster-yes'];
    spawnSync('redis-cli', create);
    const ports = servers.map(({ port }) => port);
    const isWell = (port = 0): boolean => /cluster_state:ok/.test(ask(port, 'cluster', 'info'));
    await until(async () => ports.slice(0, 3).every(isWell), 'the cluster is made');
    return cluster;
  }

  get nodes(): readonly string[] {
    return this.servers.map(({ port }) => `127.0.0.1:${port}`);
  }

  /** The nodes that have slots. */
  primaries(): readonly RedisServer[] {
    return this.servers.slice(0, 3);
  }

  /** The node that has the slot of a key. */
  ownerOf(key: string): RedisServer {
    const owner = this.primaries().find(({ port }) => ask(port, 'get', key) === '');
    if (owner === undefined) throw new Error('no node has the slot');
    return owner;
  }

  /** Moves a slot with its keys from one node to another, as `redis-cli --cluster reshard` does. */
  async moveSlot(key: string, from: RedisServer, to: RedisServer): Promise<void> {
    const slot = ask(from.port, 'cluster', 'keyslot', key);
    const [fromId, toId] = [from, to].map(({ port }) => ask(port, 'cluster', 'myid'));
    ask(to.port, 'cluster', 'setslot', slot, 'importing', fromId ?? '');
    ask(from.port, 'cluster', 'setslot', slot, 'migrating', toId ?? '');
    await until(async () => {
      const keys = ask(from.port, 'cluster', 'getkeysinslot', slot, '1000')
        .split('\n')
        .filter((name) => name !== '');
      if (keys.length > 0)
        ask(from.port, 'migrate', '127.0.0.1', String(to.port), '', '0', '5000', 'keys', ...keys);
      return keys.length === 0;
    }, 'the slot is empty');
    for (const { port } of [to, from, ...this.primaries()])
      ask(port, 'cluster', 'setslot', slot, 'node', toId ?? '');
  }

  /** Makes the fourth node a replica, which takes over when its primary fails. */
  async addReplica(primary: RedisServer): Promise<void> {
    const [, , , replica] = this.servers;
    if (replica === undefined) throw new Error('no fourth node');
    const bus =
      new RegExp(`:${primary.port}@(\\d+)`).exec(ask(primary.port, 'cluster', 'nodes'))?.[1] ?? '';
    ask(replica.port, 'cluster', 'meet', '127.0.0.1', String(primary.port), bus);
    const id = ask(primary.port, 'cluster', 'myid');
    await until(
      async () => ask(replica.port, 'cluster', 'replicate', id) === 'OK',
      'the fourth node follows',
    );
    await until(
      async () => /state=online/.test(ask(primary.port, 'info', 'replication')),
      'in sync',
    );
    // The others vote for a replica that they know.
    const isKnown = ({ port }: RedisServer): boolean =>
      ask(port, 'cluster', 'nodes').includes(`slave ${id} `);
    await until(async () => this.primaries().every(isKnown), 'the others know the replica');
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
