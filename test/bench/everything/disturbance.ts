import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { childrenOf, type GatewayProcess } from '../../kit/gateway-process.js';
import type { RedisServer } from '../../redis/kit.js';
import type { SeededRandom } from './random.js';

const RELOAD_MILLIS = 5_000;
const RENEWAL_MILLIS = 150_000;
const KILL_MILLIS = 60_000;
const REDIS_MILLIS = 90_000;
const REDIS_AWAY_MILLIS = 3_000;
/** A connection may break so long after its worker was killed. */
const CUT_MILLIS = 5_000;

/** Lines of the log are written so soon. */
const UNWRITTEN_MILLIS = 2_000;

/** What was done to the gateway and to Redis, and how often. */
export interface Disturbed {
  reloads: number;
  refusedReloads: number;
  renewals: number;
  kills: number;
  redisKills: number;
  readonly wrong: string[];
}

/** Reloads, replaces and kills, at intervals that the seed varies, until it is stopped. */
export class Disturbance {
  readonly done: Disturbed = {
    reloads: 0,
    refusedReloads: 0,
    renewals: 0,
    kills: 0,
    redisKills: 0,
    wrong: [],
  };
  readonly #gateway: GatewayProcess;
  readonly #redis: RedisServer;
  readonly #configurationOf: (turn: number) => string;
  readonly #random: SeededRandom;
  readonly #ending = new AbortController();
  readonly #killedMillis: number[] = [];
  #renewedMillis = Number.NEGATIVE_INFINITY;
  readonly #running: Promise<unknown>;
  #turn = 0;
  /** One thing at a time is done to the processes of the gateway. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    gateway: GatewayProcess,
    redis: RedisServer,
    configurationOf: (turn: number) => string,
    random: SeededRandom,
  ) {
    this.#gateway = gateway;
    this.#redis = redis;
    this.#configurationOf = configurationOf;
    this.#random = random;
    this.#running = Promise.all([
      this.#every(RELOAD_MILLIS, () => this.#inTurn(() => this.#reload())),
      this.#every(RENEWAL_MILLIS, () => this.#inTurn(async () => this.#renew())),
      this.#every(KILL_MILLIS, () => this.#inTurn(async () => this.#kill())),
      this.#every(REDIS_MILLIS, () => this.#killRedis()),
    ]);
  }

  async #every(millis: number, act: () => Promise<void>): Promise<void> {
    const { signal } = this.#ending;
    for (;;) {
      await wait(millis * (0.5 + this.#random.next()), null, { signal }).catch(() => {});
      if (signal.aborted) return;
      await act();
    }
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(act).catch((error) => {
      this.done.wrong.push(String(error));
    });
    return this.#last;
  }

  async #reload(): Promise<void> {
    const { file, adminUrl } = this.#gateway;
    const isBroken = this.#random.next() < 1 / 6;
    const head = `listen: ${this.#listen}\nadmin: ${adminUrl.slice('http://'.length)}\n`;
    const text = `${head}${this.#configurationOf(++this.#turn % 1000)}`;
    await writeFile(file, isBroken ? `${text}limitz: {}\n` : text);
    const beganMillis = performance.now();
    const answer = await fetch(`${adminUrl}/reload`, { method: 'POST' });
    const said = await answer.text();
    // Where the only worker that runs is killed, none has compiled it: the next reload does.
    const overMillis = performance.now();
    const isCut =
      answer.status === 409 &&
      overMillis - beganMillis < CUT_MILLIS &&
      this.isCut(beganMillis, overMillis);
    if (answer.status !== (isBroken ? 409 : 200) && !isCut)
      this.done.wrong.push(
        `reload, ${Math.round(overMillis - beganMillis)} ms, ${this.latest}: ${answer.status} ` +
          said.slice(0, 200),
      );
    if (isBroken) await writeFile(file, text);
    this.done[isBroken ? 'refusedReloads' : 'reloads']++;
  }

  /** The value of `listen`; it must not change. */
  #listen = '';

  /** The value of `listen` in the file. */
  set listen(value: string) {
    this.#listen = value;
  }

  #renew(): void {
    this.#gateway.child.kill('SIGUSR2');
    this.#renewedMillis = performance.now();
    this.done.renewals++;
  }

  #kill(): void {
    const workers = childrenOf(this.#gateway.child);
    const pid = workers[this.#random.below(workers.length)];
    if (pid === undefined) return;
    this.#killedMillis.push(performance.now());
    process.kill(pid, 'SIGKILL');
    this.done.kills++;
  }

  async #killRedis(): Promise<void> {
    await this.#redis.kill();
    await wait(REDIS_AWAY_MILLIS);
    await this.#redis.start();
    this.done.redisKills++;
  }

  /** Whether a worker was killed while this went on, or shortly before. */
  isCut(fromMillis: number, toMillis: number): boolean {
    return this.#killedMillis.some((at) => at > fromMillis - CUT_MILLIS && at < toMillis);
  }

  /** How long ago workers were replaced and killed, for a line about what went wrong. */
  get latest(): string {
    const nowMillis = performance.now();
    const killed = nowMillis - (this.#killedMillis.at(-1) ?? Number.NEGATIVE_INFINITY);
    const renewed = nowMillis - this.#renewedMillis;
    return `${Math.round(killed)} ms after a kill, ${Math.round(renewed)} ms after a renewal`;
  }

  /** Whether a worker was killed shortly after this. */
  isKilledAfter(millis: number): boolean {
    return this.#killedMillis.some((at) => Math.abs(at - millis) < UNWRITTEN_MILLIS);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }
}
