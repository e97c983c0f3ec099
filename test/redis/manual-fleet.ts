import { type BudgetAccount, NO_EVENTS } from '../../src/budget/budget.js';
import { NearlyEmpty } from '../../src/budget/nearly-empty.js';
import { collections } from '../../src/core/index.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { RedisUnavailable } from '../../src/redis/errors.js';
import { HEARTBEAT_MILLIS, HEARTBEAT_TIMEOUT_MILLIS } from '../../src/redis/lease/lease-clock.js';
import {
  type CommandConnection,
  RedisLeaseStore,
  type SubscriberConnection,
} from '../../src/redis/lease/lease-store.js';
import { LeasedBudgets } from '../../src/redis/lease/leased-budgets.js';
import { makeScript, type Script } from '../../src/redis/script.js';
import { connect, RecordedEvents, RedisServer, until } from './kit.js';

/**
 * Replicas with the scripts of the gateway in a real Redis, and a manual clock: nothing runs by
 * itself, so the result does not depend on the speed of the machine. The connection of each replica
 * can be cut, lose replies or messages.
 */
export class ManualFleet {
  readonly replicas: ManualReplica[] = [];
  readonly #server: RedisServer;
  readonly connection: RedisConnection;
  readonly #subscriber: RedisConnection;
  #nowMillis = 1_000_000_000;
  /** Offset of the clock of Redis. */
  aheadMillis = 0;
  /** Called when a marker comes by. */
  #onMarker: () => void = () => {};

  private constructor(
    server: RedisServer,
    connection: RedisConnection,
    subscriber: RedisConnection,
  ) {
    this.#server = server;
    this.connection = connection;
    this.#subscriber = subscriber;
    subscriber.subscribe('test:v1:views', (message) => {
      for (const replica of this.replicas) replica.receive(message);
    });
    subscriber.subscribe('marker', () => {
      this.#onMarker();
    });
  }

  static async start(): Promise<ManualFleet> {
    const server = await RedisServer.start();
    const patient = { operationMillis: 1000 };
    const fleet = new ManualFleet(
      server,
      connect(server.url, new RecordedEvents(), patient),
      connect(server.url, new RecordedEvents(), patient),
    );
    await until(() => fleet.connection.isUp && fleet.#subscriber.isUp, 'up');
    return fleet;
  }

  get nowMillis(): number {
    return this.#nowMillis;
  }

  /**
   * Empties Redis, and starts new replicas that share it; `configured` is the number that they are
   * configured with. They have points from Redis after `settleMillis`.
   */
  async reset(count: number, configured = count, settleMillis = 3000): Promise<void> {
    await this.connection.command('flush', ['FLUSHALL']);
    this.aheadMillis = 0;
    this.replicas.length = 0;
    for (let index = 0; index < count; index += 1)
      this.replicas.push(new ManualReplica(this, index, configured));
    await this.advance(settleMillis);
  }

  /** Advances the clock; each replica sends its heartbeats. */
  async advance(millis: number): Promise<void> {
    const end = this.#nowMillis + millis;
    while (this.#nowMillis < end) {
      this.#nowMillis = Math.min(end, this.#nowMillis + HEARTBEAT_MILLIS);
      for (const { budgets } of this.replicas) await budgets.tick();
      await this.drain();
    }
  }

  /** Waits until all requests and messages have been processed. */
  async drain(): Promise<void> {
    do {
      for (let turns = 0; turns < 3; turns += 1)
        await new Promise((resolve) => setImmediate(resolve));
    } while (this.replicas.some(({ pending }) => pending > 0));
    await this.#exchangeMarker();
  }

  /** Sends a command of an operator. */
  command(...words: string[]): Promise<unknown> {
    return this.connection.command('operator', words);
  }

  /** Copies the state of Redis, as a snapshot does. */
  async save(): Promise<void> {
    await this.#copy('test:v1:*', (key) => `saved:${key}`);
  }

  async restore(): Promise<void> {
    await this.#copy('saved:*', (key) => key.replace('saved:', ''));
  }

  async flush(): Promise<void> {
    const keys = await this.command('KEYS', 'test:v1:*');
    for (const key of Array.isArray(keys) ? keys.map(String) : []) await this.command('DEL', key);
  }

  async #copy(pattern: string, nameOf: (key: string) => string): Promise<void> {
    const keys = await this.command('KEYS', pattern);
    for (const key of Array.isArray(keys) ? keys.map(String) : [])
      await this.command('COPY', key, nameOf(key), 'REPLACE');
  }

  /** Runs a script at the manual time, which is the last two of its values. */
  run(script: Script, keys: readonly string[], values: readonly string[]) {
    const now = this.#nowMillis + this.aheadMillis;
    const time = [String(Math.floor(now / 1000)), String(Math.floor((now % 1000) * 1000))];
    return this.connection.script('manual', timed(script), keys, [...values, ...time]);
  }

  async close(): Promise<void> {
    this.connection.close();
    this.#subscriber.close();
    await this.#server.close();
  }

  /** Messages of a channel arrive in order: what was published before has been received. */
  async #exchangeMarker(): Promise<void> {
    const arrives = new Promise<void>((resolve) => {
      this.#onMarker = resolve;
    });
    await this.connection.command('marker', ['PUBLISH', 'marker', '']);
    await arrives;
  }
}

/** A script whose time is given: one text for all times, which Redis compiles once. */
const timed = collections.makeOncePer(({ text }: Script) =>
  makeScript(text.replace("redis.call('TIME')", '{ARGV[#ARGV - 1], ARGV[#ARGV]}')),
);

export class ManualReplica {
  readonly budgets: LeasedBudgets;
  readonly nearlyEmpty = new NearlyEmpty();
  /** Requests without a reply. */
  pending = 0;
  isCut = false;
  /** Redis executes a request, and the reply is lost. */
  losesReplies = false;
  losesMessages = false;
  #connections = 1;
  #listener: (message: string) => void = () => {};

  constructor(fleet: ManualFleet, index: number, configured: number) {
    const clock = (): number => fleet.nowMillis + index * 1000;
    const replica = this;
    const connection: CommandConnection = {
      get isUp() {
        return !replica.isCut;
      },
      get isHealthy() {
        return !replica.isCut && !replica.losesReplies;
      },
      get connections() {
        return replica.#connections;
      },
      command: async () => null,
      script: async (_operation, script, keys, values) => {
        if (replica.isCut) throw new RedisUnavailable('down');
        replica.pending += 1;
        try {
          const reply = await fleet.run(script, keys, values);
          if (replica.losesReplies) throw new RedisUnavailable('timeout');
          return reply;
        } finally {
          replica.pending -= 1;
        }
      },
    };
    const subscriber: SubscriberConnection = {
      get isUp() {
        return !replica.isCut;
      },
      onUp() {},
      reconnect() {},
      subscribe: (_channel, listener) => {
        replica.#listener = listener;
      },
    };
    const options = {
      prefix: 'test:',
      replica: `h${index}`,
      replicas: configured,
      heartbeatTimeoutMillis: HEARTBEAT_TIMEOUT_MILLIS,
    };
    const store = new RedisLeaseStore(connection, subscriber, { ...options, clock });
    const events = {
      ...NO_EVENTS,
      nearlyEmpty: (account: BudgetAccount) => this.nearlyEmpty.add(account),
    };
    this.budgets = new LeasedBudgets({
      store,
      replicas: configured,
      clientsMax: 1000,
      clock,
      events,
    });
  }

  receive(message: string): void {
    if (!this.isCut && !this.losesMessages) this.#listener(message);
  }

  cut(): void {
    this.isCut = true;
  }

  mend(): void {
    if (this.isCut) this.#connections += 1;
    this.isCut = false;
    this.losesReplies = false;
    this.losesMessages = false;
  }
}
