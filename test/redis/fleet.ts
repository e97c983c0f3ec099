import type { BudgetRule, Spender } from '../../src/budget/budget.js';
import type { RedisConnection } from '../../src/redis/connection.js';
import { LeasedBudgets } from '../../src/redis/leased-budgets.js';
import { RedisLedger } from '../../src/redis/ledger.js';
import { SILENCE_MILLIS } from '../../src/redis/pace.js';
import { connect, Told, turn, until } from './kit.js';

let fleets = 0;

export interface Replica {
  readonly budgets: LeasedBudgets;
  readonly connection: RedisConnection;
  readonly told: Told;
}

export interface FleetOptions {
  readonly operationMillis?: number;
  readonly clock?: (index: number) => () => number;
}

const CLOCK = () => () => performance.now();

/** Replicas of a gateway, as far as they share budgets: each with a connection of its own. */
export class Fleet {
  readonly replicas: readonly Replica[];

  /** More patient than the gateway by default: where others need the processor, Redis is late at times. */
  constructor(
    url: string | readonly string[],
    count: number,
    { operationMillis = 500, clock = CLOCK }: FleetOptions = {},
  ) {
    fleets += 1;
    this.replicas = Array.from({ length: count }, (_, index) => {
      const told = new Told();
      const at = typeof url === 'string' ? url : (url[index % url.length] ?? '');
      const connection = connect(at, told, { operationMillis });
      const ledger = new RedisLedger(connection, {
        prefix: 'test:',
        replica: `f${fleets}r${index}`,
        replicas: count,
        silenceMillis: SILENCE_MILLIS,
      });
      const budgets = new LeasedBudgets({ ledger, replicas: count, clientsMax: 1000, clock: clock(index) });
      budgets.start();
      return { budgets, connection, told };
    });
  }

  async shared(): Promise<void> {
    await until(() => this.replicas.every(({ budgets }) => budgets.isShared), 'all share');
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map(({ budgets }) => budgets.close()));
    for (const { connection } of this.replicas) connection.close();
  }
}

export const spender = (id: string, budget: BudgetRule): Spender => ({ id, className: 'test', budget });

/** Clients that ask for more than they may have, at every replica in turn, and what they got. */
export class Load {
  readonly admitted: number[];
  readonly #started = performance.now();
  #slowestMillis = 0;
  readonly #rule: BudgetRule;
  readonly #fleet: Fleet;
  readonly #spender: Spender;
  readonly #points: number;

  constructor(fleet: Fleet, id: string, rule: BudgetRule, points = 1) {
    this.#fleet = fleet;
    this.#rule = rule;
    this.#spender = spender(id, rule);
    this.#points = points;
    this.admitted = fleet.replicas.map(() => 0);
  }

  get total(): number {
    return this.admitted.reduce((sum, points) => sum + points, 0);
  }

  /** What may have been admitted by now: 1.05 times the budget, and one lease for each replica. */
  get bound(): number {
    const { maximum, restoreRate } = this.#rule;
    const count = this.#fleet.replicas.length;
    const lease = Math.max(1, Math.min(restoreRate, maximum / (10 * count)));
    const seconds = (performance.now() - this.#started) / 1000;
    return 1.05 * (maximum + restoreRate * seconds) + count * lease;
  }

  /** Processor time of up to 200 requests, asked one after the other. */
  get slowestMillis(): number {
    return this.#slowestMillis;
  }

  /** Asks every replica that `isAsked` for as much as it gives, again and again, for a while. */
  async run(millis: number, isAsked: (index: number) => boolean = () => true): Promise<void> {
    const end = performance.now() + millis;
    while (performance.now() < end) {
      for (const [index, { budgets }] of this.#fleet.replicas.entries()) {
        if (!isAsked(index)) continue;
        const before = process.cpuUsage();
        for (let asked = 0; asked < 200; asked += 1) {
          const taken = budgets.take(this.#spender, this.#points);
          if (!taken.isGranted) break;
          this.admitted[index] = (this.admitted[index] ?? 0) + this.#points;
        }
        this.#slowestMillis = Math.max(this.#slowestMillis, process.cpuUsage(before).user / 1000);
      }
      await turn();
    }
  }
}
