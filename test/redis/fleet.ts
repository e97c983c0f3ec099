import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { BudgetAccount, BudgetRule } from '../../src/budget/budget.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { HEARTBEAT_TIMEOUT_MILLIS } from '../../src/redis/lease/lease-clock.js';
import { bucketOf, RedisLeaseStore } from '../../src/redis/lease/lease-store.js';
import { LeasedBudgets } from '../../src/redis/lease/leased-budgets.js';
import { connect, RecordedEvents, turn, until } from './kit.js';
import type { Outcome, RequestLoad } from './replica.js';

/** Default time limit of the gateway for an operation of Redis. */
const OPERATION_MILLIS = 20;

/**
 * A replica that the machine delays for longer sends no heartbeat in time, and receives views too
 * late.
 */
const LATE_MILLIS = 50;

/** The budgets of several replicas, each in its own process. */
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

  /** Sends requests to one replica; null only reads its state. */
  ask(index: number, load: RequestLoad | null): Promise<Outcome> {
    const replica = this.#replicas[index];
    if (replica === undefined) throw new Error('no such replica');
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('a replica is gone'));
      replica.once('exit', gone);
      replica.once('message', (outcome: Outcome) => {
        replica.off('exit', gone);
        resolve(outcome);
      });
      replica.send(JSON.stringify(load));
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

/** Requests of one client beyond its budget, and the points that were admitted. */
export class Load {
  readonly admitted: number[];
  /** The machine delayed a replica during this load: budgets are less exact then. */
  isLate = false;
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

  /**
   * Points that may have been admitted by now: 1.05 times the budget, and one lease or request for
   * each replica. Late replicas may each have overdrawn their part of the bucket without the views
   * of the others.
   */
  get bound(): number {
    const { maximum, restoreRate } = this.#rule;
    const { count } = this.#fleet;
    const lease = Math.min(restoreRate, maximum / (10 * count));
    const unseen = this.isLate ? maximum / count : 0;
    const seconds = (performance.now() - this.#started) / 1000;
    return 1.05 * (maximum + restoreRate * seconds) + count * Math.max(this.#points, lease, unseen);
  }

  /**
   * Sends as many requests as are admitted to every replica that `isAsked`, concurrently, for some
   * time.
   */
  async run(millis: number, isAsked: (index: number) => boolean = () => true): Promise<void> {
    const [client, rule, points, atOnce] = [this.#client, this.#rule, this.#points, this.#atOnce];
    await Promise.all(
      this.admitted.map(async (_, index) => {
        if (!isAsked(index)) return;
        this.#add(index, await this.#fleet.ask(index, { client, rule, points, millis, atOnce }));
      }),
    );
  }

  /** Sends one request to one replica. */
  async once(index: number): Promise<boolean> {
    const before = this.total;
    const atOnce = 1;
    const [client, rule, points] = [this.#client, this.#rule, this.#points];
    this.#add(index, await this.#fleet.ask(index, { client, rule, points, millis: 0, atOnce }));
    return this.total > before;
  }

  #add(index: number, { admitted, delayMillis }: Outcome): void {
    this.admitted[index] = (this.admitted[index] ?? 0) + admitted;
    if (delayMillis > LATE_MILLIS) this.isLate = true;
  }
}

/** A replica in this process. */
export interface Replica {
  readonly budgets: LeasedBudgets;
  readonly connection: RedisConnection;
  readonly recorded: RecordedEvents;
  /** Points of a client's shared bucket by the last view received; null without a view. */
  viewed(client: string): number | null;
  close(): Promise<void>;
}

let replicas = 0;

/** With a longer time limit than the default of the gateway, for tests that are not about time. */
export async function startReplica(
  url: string,
  count: number,
  clock = () => performance.now(),
): Promise<Replica> {
  replicas += 1;
  const recorded = new RecordedEvents();
  const connection = connect(url, recorded, { operationMillis: 2000 });
  const subscriber = connect(url, new RecordedEvents(), { operationMillis: 2000 });
  const options = {
    prefix: 'test:',
    replica: `r${replicas}`,
    replicas: count,
    heartbeatTimeoutMillis: HEARTBEAT_TIMEOUT_MILLIS,
  };
  const store = new RedisLeaseStore(connection, subscriber, options);
  const views = new Map<string, number>();
  const onView = store.onView.bind(store);
  store.onView = (listener) =>
    onView((bucket, view) => {
      listener(bucket, view);
      views.set(bucket, view.available);
    });
  const budgets = new LeasedBudgets({ store, replicas: count, clientsMax: 1000, clock });
  budgets.start();
  await until(() => budgets.isShared && subscriber.isUp, 'points can be had from Redis');
  const close = async (): Promise<void> => {
    await budgets.close();
    connection.close();
    subscriber.close();
  };
  return {
    budgets,
    connection,
    recorded,
    viewed: (client) => views.get(bucketOf(client)) ?? null,
    close,
  };
}

export const accountOf = (id: string, budget: BudgetRule): BudgetAccount => ({
  id,
  className: 'test',
  budget,
});
