import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { BudgetAccount, BudgetRule } from '../../src/budget/budget.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { LeasedBudgets } from '../../src/redis/leased-budgets.js';
import { RedisLedger } from '../../src/redis/ledger.js';
import { SILENCE_MILLIS } from '../../src/redis/pace.js';
import { connect, Told, turn, until } from './kit.js';
import type { Outcome, Wish } from './replica.js';

/** What the gateway waits for Redis by default. */
const OPERATION_MILLIS = 20;

/** Replicas of a gateway, as far as they share budgets: each a process of its own. */
export class Fleet {
  readonly #replicas: readonly ChildProcess[];

  constructor(url: string | readonly string[], count = 4) {
    const program = fileURLToPath(new URL('./replica.js', import.meta.url));
    this.#replicas = Array.from({ length: count }, (_, index) => {
      const at = typeof url === 'string' ? url : url[index % url.length];
      const settings = { url: at, replicas: count, operationMillis: OPERATION_MILLIS };
      return fork(program, [JSON.stringify(settings)], { execArgv: [] });
    });
  }

  get count(): number {
    return this.#replicas.length;
  }

  /** Tells one replica what to do; null: nothing. */
  ask(index: number, wish: Wish | null): Promise<Outcome> {
    const replica = this.#replicas[index];
    if (replica === undefined) throw new Error('no such replica');
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('a replica is gone'));
      replica.once('exit', gone);
      replica.once('message', (outcome: Outcome) => {
        replica.off('exit', gone);
        resolve(outcome);
      });
      replica.send(JSON.stringify(wish));
    });
  }

  all(): Promise<Outcome[]> {
    return Promise.all(this.#replicas.map((_, index) => this.ask(index, null)));
  }

  async shared(): Promise<void> {
    const end = performance.now() + 60_000;
    while (!(await this.all()).every(({ isShared }) => isShared)) {
      if (performance.now() > end) throw new Error('never: all share');
      await turn(20);
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#replicas.map(async (replica) => {
        if (replica.exitCode !== null) return;
        const gone = new Promise((resolve) => replica.once('exit', resolve));
        replica.disconnect();
        await gone;
      }),
    );
  }
}

/** What one client asks for, which is more than it may have, and what it got. */
export class Load {
  readonly admitted: number[];
  readonly #started = performance.now();
  readonly #fleet: Fleet;
  readonly #client: string;
  readonly #rule: BudgetRule;
  readonly #points: number;
  readonly #atOnce: number;

  constructor(fleet: Fleet, client: string, rule: BudgetRule, points = 1, atOnce = 200) {
    this.#fleet = fleet;
    this.#client = client;
    this.#rule = rule;
    this.#points = points;
    this.#atOnce = atOnce;
    this.admitted = Array.from({ length: fleet.count }, () => 0);
  }

  get total(): number {
    return this.admitted.reduce((sum, points) => sum + points, 0);
  }

  /** What may have been admitted by now: 1.05 times the budget, and one lease or one request for each replica. */
  get bound(): number {
    const { maximum, restoreRate } = this.#rule;
    const { count } = this.#fleet;
    const lease = Math.max(this.#points, Math.min(restoreRate, maximum / (10 * count)));
    const seconds = (performance.now() - this.#started) / 1000;
    return 1.05 * (maximum + restoreRate * seconds) + count * lease;
  }

  /** Asks every replica that `isAsked` for as much as it gives, all at the same time, for a while. */
  async run(millis: number, isAsked: (index: number) => boolean = () => true): Promise<void> {
    const [client, rule, points, atOnce] = [this.#client, this.#rule, this.#points, this.#atOnce];
    await Promise.all(
      this.admitted.map(async (_, index) => {
        if (!isAsked(index)) return;
        const { admitted } = await this.#fleet.ask(index, { client, rule, points, millis, atOnce });
        this.admitted[index] = (this.admitted[index] ?? 0) + admitted;
      }),
    );
  }

  /** One request at one replica. */
  async once(index: number): Promise<boolean> {
    const before = this.total;
    const atOnce = 1;
    const [client, rule, points] = [this.#client, this.#rule, this.#points];
    const { admitted } = await this.#fleet.ask(index, { client, rule, points, millis: 0, atOnce });
    this.admitted[index] = (this.admitted[index] ?? 0) + admitted;
    return this.total > before;
  }
}

/** A replica in this process. */
export interface Replica {
  readonly budgets: LeasedBudgets;
  readonly connection: RedisConnection;
  readonly told: Told;
  /** What it has heard of a client's common bucket last; null: nothing. */
  heard(client: string): number | null;
  close(): Promise<void>;
}

let replicas = 0;

/** More patient than the gateway by default: for what is not about time. */
export async function startReplica(url: string, count: number, clock = () => performance.now()): Promise<Replica> {
  replicas += 1;
  const told = new Told();
  const connection = connect(url, told, { operationMillis: 2000 });
  const hearer = connect(url, new Told(), { operationMillis: 2000 });
  const options = { prefix: 'test:', replica: `r${replicas}`, replicas: count, silenceMillis: SILENCE_MILLIS };
  const ledger = new RedisLedger(connection, hearer, options);
  const heard = new Map<string, number>();
  const onView = ledger.onView.bind(ledger);
  ledger.onView = (listener) =>
    onView((bucket, seen) => {
      listener(bucket, seen);
      heard.set(bucket, seen.available);
    });
  const budgets = new LeasedBudgets({ ledger, replicas: count, clientsMax: 1000, clock });
  budgets.start();
  await until(() => budgets.isShared && hearer.isUp, 'it shares');
  const close = async (): Promise<void> => {
    await budgets.close();
    connection.close();
    hearer.close();
  };
  return { budgets, connection, told, heard: (client) => heard.get(ledger.bucketOf(client)) ?? null, close };
}

export const accountOf = (id: string, budget: BudgetRule): BudgetAccount => ({ id, className: 'test', budget });
