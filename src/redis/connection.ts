import { performance } from 'node:perf_hooks';
import { type Client, CONNECT_MILLIS, type ConnectionSettings, inTime, makeClient } from './client.js';
import { ANSWERS, RedisUnavailable, reasonOf } from './reason.js';
import type { Script } from './script.js';

export interface ConnectionEvents {
  /** One operation is over: `outcome` is ok, error, timeout or down (not tried). */
  operation(operation: string, outcome: string): void;
  /** Told once for each change, and of a connection that comes and goes only when it lasts. */
  up(): void;
  down(reason: string): void;
}

/** What Redis answers, as far as its scripts and commands here do. */
export type Answer = string | number | null | readonly Answer[];

const FAILURES_MAX = 5;
const PATIENCE = 10;
const PATIENCE_MILLIS = 400;
const BACKOFF_MIN_MILLIS = 50;
const BACKOFF_MAX_MILLIS = 1000;
/** How long a connection has to last before it is told: twice as long after each that did not. */
const LASTING_MIN_MILLIS = 1000;
const LASTING_MAX_MILLIS = 60_000;

/**
 * One connection to Redis that nobody ever has to wait for: while it is down, operations are refused at once, and one
 * that gets no answer in time counts as failed. After five failures in a row, or an answer that says that Redis cannot
 * work, the connection is given up, and tried anew at most a second apart. An attempt counts only when a key could be
 * written: what accepts connections may still be a replica, loading, out of memory, or stopped.
 */
export class RedisConnection {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  #client: Client | null = null;
  #isUp = false;
  #connected = 0;
  #wasTold: 'up' | 'down' | null = null;
  #upAt = 0;
  #lastingMillis = 0;
  #lasting: NodeJS.Timeout | null = null;
  #isClosed = false;
  #failures = 0;
  #attempts = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #upListeners: (() => void)[] = [];
  readonly #channels = new Map<string, (message: string) => void>();

  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Begins to connect. Nothing waits for it. */
  start(): void {
    void this.#connect();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Up, and the last answer but one came in time. */
  get isWell(): boolean {
    return this.#isUp && this.#failures < 2;
  }

  /** How often it has come up. Redis loses its memory only together with its connections. */
  get connected(): number {
    return this.#connected;
  }

  /** Calls back whenever the connection has come up. */
  onUp(listener: () => void): void {
    this.#upListeners.push(listener);
    if (this.#isUp) listener();
  }

  /** Sends a command. Rejects with `RedisUnavailable`, or with the error of Redis. `waitMillis` is for those that block. */
  command(operation: string, words: readonly string[], waitMillis = 0): Promise<Answer> {
    return this.#run(operation, waitMillis, (client) => client.sendCommand<Answer>(words));
  }

  /** Runs a script, by its digest if Redis knows it. For what no request waits for. Rejects as `command` does. */
  script(
    operation: string,
    script: Script,
    keys: readonly string[],
    values: readonly string[],
    waitMillis = this.#patienceMillis - this.#settings.operationMillis,
  ): Promise<Answer> {
    const rest = [String(keys.length), ...keys, ...values];
    return this.#run(operation, waitMillis, async (client) => {
      try {
        return await client.sendCommand<Answer>(['EVALSHA', script.sha1, ...rest]);
      } catch (error) {
        if (reasonOf(error) !== 'NOSCRIPT') throw error;
        return await client.sendCommand<Answer>(['EVAL', script.text, ...rest]);
      }
    });
  }

  /** Sends a command that Redis may not allow or know, and whose failure says nothing about Redis. Null then. */
  async ask(words: readonly string[]): Promise<Answer> {
    const client = this.#client;
    if (client === null || !this.#isUp) return null;
    return await inTime(client.sendCommand<Answer>(words), CONNECT_MILLIS).catch(() => null);
  }

  /** Hears what is published on a channel, whenever the connection is up. A connection that listens sends no commands. */
  listen(channel: string, listener: (message: string) => void): void {
    this.#channels.set(channel, listener);
    if (this.#client !== null && this.#isUp) void this.#subscribe(this.#client, [channel]);
  }

  unlisten(channel: string): void {
    this.#channels.delete(channel);
    const client = this.#client;
    if (client === null || !this.#isUp) return;
    inTime(client.unsubscribe(channel), CONNECT_MILLIS).catch((error: unknown) => {
      if (client === this.#client) this.#lost(reasonOf(error));
    });
  }

  /** Gives the connection up as if it had been lost, and makes a new one. */
  renew(): void {
    if (this.#isUp) this.#lost('silent');
  }

  /** Ends the connection for good. */
  close(): void {
    this.#isClosed = true;
    this.#isUp = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#drop();
  }

  get #patienceMillis(): number {
    const { operationMillis } = this.#settings;
    return Math.max(operationMillis, Math.min(PATIENCE * operationMillis, PATIENCE_MILLIS));
  }

  async #run(operation: string, waitMillis: number, send: (client: Client) => Promise<Answer>): Promise<Answer> {
    const client = this.#client;
    if (client === null || !this.#isUp) {
      this.#events.operation(operation, 'down');
      throw new RedisUnavailable('down');
    }
    try {
      const answer = await inTime(send(client), this.#settings.operationMillis + waitMillis);
      this.#events.operation(operation, 'ok');
      if (client === this.#client) this.#failures = 0;
      return answer;
    } catch (error) {
      const reason = reasonOf(error);
      this.#events.operation(operation, reason === 'timeout' ? 'timeout' : 'error');
      if (client === this.#client) this.#failed(reason);
      throw error;
    }
  }

  #failed(reason: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX || ANSWERS.has(reason)) this.#lost(reason);
  }

  async #connect(): Promise<void> {
    this.#timer = null;
    const client = makeClient(this.#settings);
    this.#client = client;
    client.on('error', (error: unknown) => {
      if (client === this.#client) this.#lost(reasonOf(error));
    });
    client.on('end', () => {
      if (client === this.#client) this.#lost('closed');
    });
    try {
      await inTime(client.connect(), CONNECT_MILLIS);
      const probe = ['SET', `${this.#settings.prefix}v1:probe`, '1', 'PX', '10000'];
      await inTime(client.sendCommand(probe), this.#patienceMillis);
      if (this.#channels.size > 0) await this.#subscribe(client, [...this.#channels.keys()]);
    } catch (error) {
      if (client === this.#client) this.#lost(reasonOf(error));
      return;
    }
    if (client !== this.#client || this.#isClosed) return;
    this.#isUp = true;
    this.#connected += 1;
    this.#failures = 0;
    this.#lasts();
    for (const listener of this.#upListeners) listener();
  }

  /** The first is told at once; one that comes again must last. Until it does, the next attempt is not the first either. */
  #lasts(): void {
    this.#upAt = performance.now();
    const told = (): void => {
      this.#attempts = 0;
      this.#tell('up', '');
    };
    if (this.#lastingMillis === 0) told();
    else this.#lasting = setTimeout(told, this.#lastingMillis).unref();
    this.#lastingMillis = Math.min(LASTING_MAX_MILLIS, Math.max(LASTING_MIN_MILLIS, 2 * this.#lastingMillis));
  }

  /** Rejects for a connection that is being made; one that is in use is lost. */
  async #subscribe(client: Client, channels: string[]): Promise<void> {
    const hear = (message: string, channel: string): void => this.#channels.get(channel)?.(message);
    try {
      await inTime(client.subscribe(channels, hear), CONNECT_MILLIS);
    } catch (error) {
      if (!this.#isUp) throw error;
      if (client === this.#client) this.#lost(reasonOf(error));
    }
  }

  /** Gives the connection up and plans the next. */
  #lost(reason: string): void {
    if (this.#isUp && performance.now() - this.#upAt > LASTING_MAX_MILLIS) this.#lastingMillis = 0;
    this.#isUp = false;
    if (this.#lasting !== null) clearTimeout(this.#lasting);
    this.#drop();
    if (this.#isClosed) return;
    this.#tell('down', reason);
    if (this.#timer !== null) return;
    const backoff = Math.min(BACKOFF_MAX_MILLIS, BACKOFF_MIN_MILLIS * 2 ** Math.min(this.#attempts, 10));
    this.#attempts += 1;
    // Replicas that lost the same Redis must not all come back at once.
    this.#timer = setTimeout(() => void this.#connect(), backoff * (0.7 + 0.3 * Math.random()));
    this.#timer.unref();
  }

  #drop(): void {
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    try {
      client.destroy();
    } catch {
      // It was closed already: that is all that was wanted.
    }
  }

  #tell(state: 'up' | 'down', reason: string): void {
    if (this.#wasTold === state) return;
    this.#wasTold = state;
    if (state === 'up') this.#events.up();
    else this.#events.down(reason);
  }
}
