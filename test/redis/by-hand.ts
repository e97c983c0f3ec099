import type { RedisConnection } from '../../src/redis/connection.js';
import { LeasedBudgets } from '../../src/redis/leased-budgets.js';
import { type Asking, type Hearing, RedisLedger } from '../../src/redis/ledger.js';
import { SILENCE_MILLIS, TICK_MILLIS } from '../../src/redis/pace.js';
import { RedisUnavailable } from '../../src/redis/reason.js';
import { makeScript, type Script } from '../../src/redis/script.js';
import { connect, RedisServer, Told, until } from './kit.js';

/**
 * Replicas with the scripts of the gateway in a real Redis, and all clocks in one hand: nothing happens by itself, so a
 * slow machine changes nothing. The way of each replica to Redis can be cut, lose answers, and fall deaf.
 */
export class ByHand {
  readonly replicas: HandReplica[] = [];
  readonly #server: RedisServer;
  readonly connection: RedisConnection;
  readonly #hearer: RedisConnection;
  #nowMillis = 1_000_000_000;
  /** What the clock of Redis is ahead. */
  aheadMillis = 0;
  #marks = 0;
  #heard = 0;

  private constructor(server: RedisServer, connection: RedisConnection, hearer: RedisConnection) {
    this.#server = server;
    this.connection = connection;
    this.#hearer = hearer;
    hearer.listen('test:v1:views', (message) => {
      for (const replica of this.replicas) replica.hear(message);
    });
    hearer.listen('mark', () => {
      this.#heard += 1;
    });
  }

  static async start(): Promise<ByHand> {
    const server = await RedisServer.start();
    const patient = { operationMillis: 1000 };
    const hand = new ByHand(server, connect(server.url, new Told(), patient), connect(server.url, new Told(), patient));
    await until(() => hand.connection.isUp && hand.#hearer.isUp, 'up');
    return hand;
  }

  get nowMillis(): number {
    return this.#nowMillis;
  }

  /** An empty Redis and as many new replicas, which share. */
  async renew(count: number): Promise<void> {
    await this.connection.command('flush', ['FLUSHALL']);
    this.aheadMillis = 0;
    this.replicas.length = 0;
    for (let index = 0; index < count; index += 1) this.replicas.push(new HandReplica(this, index, count));
    await this.pass(3000);
  }

  /** Time passes; every replica does what it does in the background. */
  async pass(millis: number): Promise<void> {
    const end = this.#nowMillis + millis;
    while (this.#nowMillis < end) {
      this.#nowMillis = Math.min(end, this.#nowMillis + TICK_MILLIS);
      for (const { budgets } of this.replicas) await budgets.tick();
      await this.quiet();
    }
  }

  /** Everything that was sent has arrived. */
  async quiet(): Promise<void> {
    do {
      for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    } while (this.replicas.some(({ asking }) => asking > 0) || !(await this.#isHeard()));
  }

  /** What an operator does. */
  command(...words: string[]): Promise<unknown> {
    return this.connection.command('operator', words);
  }

  /** Keeps what Redis holds, as a snapshot would. */
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

  /** A script with the time that the hand says. */
  run(script: Script, keys: readonly string[], values: readonly string[]) {
    const now = this.#nowMillis + this.aheadMillis;
    const time = `{'${Math.floor(now / 1000)}', '${Math.floor((now % 1000) * 1000)}'}`;
    return this.connection.script('by hand', makeScript(script.text.replace("redis.call('TIME')", time)), keys, values);
  }

  async close(): Promise<void> {
    this.connection.close();
    this.#hearer.close();
    await this.#server.close();
  }

  async #isHeard(): Promise<boolean> {
    this.#marks += 1;
    await this.connection.command('mark', ['PUBLISH', 'mark', '']);
    await until(() => this.#heard === this.#marks, 'heard');
    return true;
  }
}

export class HandReplica {
  readonly budgets: LeasedBudgets;
  asking = 0;
  isCut = false;
  /** Redis does what it is asked, and the answer is lost. */
  losesAnswers = false;
  isDeaf = false;
  #connected = 1;
  #listener: (message: string) => void = () => {};

  constructor(hand: ByHand, index: number, count: number) {
    const clock = (): number => hand.nowMillis + index * 1000;
    const replica = this;
    const asking: Asking = {
      get isUp() {
        return !replica.isCut;
      },
      get isWell() {
        return !replica.isCut && !replica.losesAnswers;
      },
      get connected() {
        return replica.#connected;
      },
      command: async () => null,
      script: async (_operation, script, keys, values) => {
        if (replica.isCut) throw new RedisUnavailable('down');
        replica.asking += 1;
        try {
          const answer = await hand.run(script, keys, values);
          if (replica.losesAnswers) throw new RedisUnavailable('timeout');
          return answer;
        } finally {
          replica.asking -= 1;
        }
      },
    };
    const hearing: Hearing = {
      get isUp() {
        return !replica.isCut;
      },
      onUp() {},
      renew() {},
      listen: (_channel, listener) => {
        replica.#listener = listener;
      },
    };
    const options = { prefix: 'test:', replica: `h${index}`, replicas: count, silenceMillis: SILENCE_MILLIS };
    const ledger = new RedisLedger(asking, hearing, { ...options, clock });
    this.budgets = new LeasedBudgets({ ledger, replicas: count, clientsMax: 1000, clock });
  }

  hear(message: string): void {
    if (!this.isCut && !this.isDeaf) this.#listener(message);
  }

  cut(): void {
    this.isCut = true;
  }

  mend(): void {
    if (this.isCut) this.#connected += 1;
    this.isCut = false;
    this.losesAnswers = false;
    this.isDeaf = false;
  }
}
