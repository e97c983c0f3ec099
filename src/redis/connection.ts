import { performance } from 'node:perf_hooks';
import { printAddress } from './address.js';
import { Channels } from './channels.js';
import {
  CONNECT_MILLIS,
  makeClient,
  type RedisClient,
  type ServerAccess,
  withTimeout,
} from './client.js';
import { FATAL_ERRORS, RedisUnavailable, redisReason } from './errors.js';
import { type Deployment, makeLocator, type ServerLocator } from './locator.js';
import type { Script } from './script.js';

export interface ConnectionSettings {
  readonly deployment: Deployment;
  /** The access to the servers that have the data. */
  readonly access: ServerAccess;
  /** Time limit of an operation that a request waits for; background operations have more. */
  readonly operationMillis: number;
  /** Prefix of every key and channel. In a cluster it is a hash tag: all keys are in one slot. */
  readonly prefix: string;
}

export interface ConnectionEvents {
  /** An operation ended: `outcome` is ok, error, timeout or down (not sent). */
  operation(operation: string, outcome: string): void;
  /** Called once for each change; for a flapping connection only when it is stable again. */
  up(server: string): void;
  down(reason: string): void;
}

/** A reply of Redis to the commands and scripts of this folder. */
export type RedisReply = string | number | null | readonly RedisReply[];

const FAILURES_MAX = 5;
/** A background operation has this multiple of `operationMillis`, at most `BACKGROUND_MILLIS`. */
const BACKGROUND_FACTOR = 10;
const BACKGROUND_MILLIS = 400;
const BACKOFF_MIN_MILLIS = 50;
const BACKOFF_MAX_MILLIS = 1000;
/** Uptime before a reconnection is reported: doubled after each connection that lasted less. */
const STABLE_MIN_MILLIS = 1000;
const STABLE_MAX_MILLIS = 60_000;

/**
 * One connection to Redis that never blocks its callers. While it is down, operations are rejected
 * at once; one without a reply in time has failed. Five failures in a row, or an error that means
 * that Redis cannot serve any command, close it; it reconnects with a backoff of at most one
 * second. An attempt succeeds only when a key can be written: a server that accepts connections may
 * still be a replica, loading, out of memory, or stopped.
 */
export class RedisConnection {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  readonly #locate: ServerLocator;
  #client: RedisClient | null = null;
  #isUp = false;
  #connections = 0;
  #reported: 'up' | 'down' | null = null;
  #upAt = 0;
  #stableMillis = 0;
  #stableTimer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #failures = 0;
  #attempts = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #upListeners: (() => void)[] = [];
  readonly #channels = new Channels((error) => this.#disconnect(redisReason(error)));

  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    this.#settings = settings;
    this.#events = events;
    this.#locate = makeLocator(settings.deployment, settings.access, settings.prefix);
  }

  /** Starts to connect. Resolves when the first attempt has ended, with or without a connection. */
  async start(): Promise<void> {
    await this.#connect();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether it is up, and at most one operation in a row has failed. */
  get isHealthy(): boolean {
    return this.#isUp && this.#failures < 2;
  }

  /** Number of connections made so far. Redis loses state only together with its connections. */
  get connections(): number {
    return this.#connections;
  }

  /** Calls the listener whenever the connection comes up, and at once if it is up. */
  onUp(listener: () => void): void {
    this.#upListeners.push(listener);
    if (this.#isUp) {
      listener();
    }
  }

  /**
   * Sends a command. Rejects with `RedisUnavailable`, or with the error of Redis. `extraMillis`
   * extends its time limit.
   */
  command(operation: string, words: readonly string[], extraMillis = 0): Promise<RedisReply> {
    return this.#run(operation, extraMillis, (client) => client.sendCommand<RedisReply>(words));
  }

  /** Runs a script in the background, by its digest if Redis has it. Rejects as `command` does. */
  script(
    operation: string,
    script: Script,
    keys: readonly string[],
    values: readonly string[],
    extraMillis = this.#backgroundMillis - this.#settings.operationMillis,
  ): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...values];
    return this.#run(operation, extraMillis, async (client) => {
      try {
        return await client.sendCommand<RedisReply>(['EVALSHA', script.sha1, ...rest]);
      } catch (error) {
        if (redisReason(error) !== 'NOSCRIPT') throw error;
        return await client.sendCommand<RedisReply>(['EVAL', script.text, ...rest]);
      }
    });
  }

  /** Sends an optional command, which Redis may not know or permit; null if it fails. */
  async tryCommand(words: readonly string[]): Promise<RedisReply> {
    const client = this.#client;
    if (client === null || !this.#isUp) return null;
    return await withTimeout(client.sendCommand<RedisReply>(words), CONNECT_MILLIS).catch(
      () => null,
    );
  }

  /**
   * Subscribes to a channel whenever the connection is up. A connection in subscriber mode sends no
   * commands.
   */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#channels.join(channel, listener);
  }

  unsubscribe(channel: string): void {
    this.#channels.leave(channel);
  }

  /**
   * Resolves when it has received all that was published before. Rejects with `RedisUnavailable`.
   */
  settle(): Promise<void> {
    return this.#channels.settle();
  }

  /** Closes the connection as lost, and makes a new one. */
  reconnect(): void {
    if (this.#isUp) {
      this.#disconnect('silent');
    }
  }

  /** Closes the connection without reconnecting. */
  close(): void {
    this.#isClosed = true;
    this.#isUp = false;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
    }
    this.#drop();
  }

  get #backgroundMillis(): number {
    const { operationMillis } = this.#settings;
    return Math.max(
      operationMillis,
      Math.min(BACKGROUND_FACTOR * operationMillis, BACKGROUND_MILLIS),
    );
  }

  async #run(
    operation: string,
    extraMillis: number,
    send: (client: RedisClient) => Promise<RedisReply>,
  ): Promise<RedisReply> {
    const client = this.#client;
    if (client === null || !this.#isUp) {
      this.#events.operation(operation, 'down');
      throw new RedisUnavailable('down');
    }
    try {
      const reply = await withTimeout(send(client), this.#settings.operationMillis + extraMillis);
      this.#events.operation(operation, 'ok');
      if (client === this.#client) {
        this.#failures = 0;
      }
      return reply;
    } catch (error) {
      const reason = redisReason(error);
      this.#events.operation(operation, reason === 'timeout' ? 'timeout' : 'error');
      if (client === this.#client) {
        this.#countFailure(reason);
      }
      throw error;
    }
  }

  #countFailure(reason: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX || FATAL_ERRORS.has(reason)) {
      this.#disconnect(reason);
    }
  }

  async #connect(): Promise<void> {
    this.#timer = null;
    const { access, operationMillis } = this.#settings;
    try {
      const address = await this.#locate();
      const client = await makeClient(address, access, Math.max(CONNECT_MILLIS, operationMillis));
      if (!this.#isClosed) {
        await this.#open(client, printAddress(address));
      }
    } catch (error) {
      this.#disconnect(redisReason(error));
    }
  }

  async #open(client: RedisClient, server: string): Promise<void> {
    this.#client = client;
    client.on('error', (error: unknown) => {
      if (client === this.#client) {
        this.#disconnect(redisReason(error));
      }
    });
    client.on('end', () => {
      if (client === this.#client) {
        this.#disconnect('closed');
      }
    });
    try {
      await withTimeout(client.connect(), CONNECT_MILLIS);
      const probe = ['SET', `${this.#settings.prefix}v1:probe`, '1', 'PX', '10000'];
      await withTimeout(client.sendCommand(probe), this.#backgroundMillis);
      await this.#channels.open(client);
    } catch (error) {
      if (client === this.#client) {
        this.#disconnect(redisReason(error));
      }
      return;
    }
    if (client !== this.#client || this.#isClosed) return;
    this.#isUp = true;
    this.#connections += 1;
    this.#failures = 0;
    this.#reportWhenStable(server);
    for (const listener of this.#upListeners) {
      listener();
    }
  }

  /**
   * Reports the first connection at once, a later one when it is stable; until then the backoff is
   * not reset.
   */
  #reportWhenStable(server: string): void {
    this.#upAt = performance.now();
    const report = (): void => {
      this.#attempts = 0;
      this.#report('up', server);
    };
    if (this.#stableMillis === 0) {
      report();
    } else {
      this.#stableTimer = setTimeout(report, this.#stableMillis).unref();
    }
    this.#stableMillis = Math.min(
      STABLE_MAX_MILLIS,
      Math.max(STABLE_MIN_MILLIS, 2 * this.#stableMillis),
    );
  }

  /** Closes the connection and schedules the next attempt. */
  #disconnect(reason: string): void {
    if (this.#isUp && performance.now() - this.#upAt > STABLE_MAX_MILLIS) {
      this.#stableMillis = 0;
    }
    this.#isUp = false;
    if (this.#stableTimer !== null) {
      clearTimeout(this.#stableTimer);
    }
    this.#drop();
    if (this.#isClosed) return;
    this.#report('down', reason);
    if (this.#timer !== null) return;
    // A node of a cluster that has given its slot away knows the next one.
    const isMoved = reason === 'MOVED' && this.#attempts === 0;
    const backoff = isMoved
      ? 0
      : Math.min(BACKOFF_MAX_MILLIS, BACKOFF_MIN_MILLIS * 2 ** Math.min(this.#attempts, 10));
    this.#attempts += 1;
    // Jitter: replicas that lost the same Redis must not reconnect all at once.
    this.#timer = setTimeout(() => void this.#connect(), backoff * (0.7 + 0.3 * Math.random()));
    this.#timer.unref();
  }

  #drop(): void {
    const client = this.#client;
    this.#client = null;
    this.#channels.close();
    if (client === null) return;
    try {
      client.destroy();
    } catch {
      // It was closed already.
    }
  }

  #report(state: 'up' | 'down', detail: string): void {
    if (this.#reported === state) return;
    this.#reported = state;
    this.#events[state](detail);
  }
}
