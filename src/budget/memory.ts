import { performance } from 'node:perf_hooks';
import {
  type BudgetAccount,
  type BudgetEvents,
  type BudgetRule,
  type Budgets,
  type Denied,
  type Grant,
  NO_EVENTS,
  type ThrottleStatus,
} from './budget.js';
import { isNearlyEmpty } from './nearly-empty.js';

export interface MemoryOptions {
  /** Buckets, or leases on them, that are kept at most. */
  readonly clientsMax: number;
  readonly events?: BudgetEvents;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

interface Bucket {
  available: number;
  /** Time of the last refill. */
  filledMillis: number;
  rule: BudgetRule;
}

/**
 * Buckets compared for one eviction. A full bucket is as good as none, so the first full one is
 * taken.
 */
const EVICTION_CANDIDATES = 8;

/**
 * Token buckets in the memory of one process. Over `clientsMax`, the bucket with the least spending
 * among the least recently used is evicted: a client that floods the table with other identities
 * must not get its own spending back.
 */
export class MemoryBudgets implements Budgets {
  /** The buckets by client, the least recently used first. */
  readonly #buckets = new Map<string, Bucket>();
  #clientsMax: number;
  readonly #events: BudgetEvents;
  readonly #clock: () => number;

  constructor({ clientsMax, events = NO_EVENTS, clock = () => performance.now() }: MemoryOptions) {
    this.#clientsMax = clientsMax;
    this.#events = events;
    this.#clock = clock;
  }

  /** Buckets kept now. */
  get size(): number {
    return this.#buckets.size;
  }

  take(account: BudgetAccount, points: number): Grant | Denied {
    const { budget, className } = account;
    if (budget === null) return { isGranted: true, account, points };
    const bucket = this.#findOrCreate(account.id, budget);
    if (points > 0 && bucket.available < points) {
      this.#events.denied(className, points);
      if (isNearlyEmpty(bucket.available, budget)) {
        this.#events.nearlyEmpty(account);
      }
      const isPossible = points <= budget.maximum;
      const millis = ((points - bucket.available) / budget.restoreRate) * 1000;
      return { isGranted: false, retryAfterMillis: isPossible ? Math.ceil(millis) : null };
    }
    bucket.available -= points;
    if (isNearlyEmpty(bucket.available, budget)) {
      this.#events.nearlyEmpty(account);
    }
    this.#events.spent(className, points);
    return { isGranted: true, account, points };
  }

  reconcile({ account, points }: Grant, actualPoints: number): void {
    const { budget, className } = account;
    if (budget === null || points === actualPoints) return;
    const bucket = this.#findOrCreate(account.id, budget);
    // The overdraft is bounded, so that one wrong cost cannot lock a client out for ever.
    bucket.available = clamp(
      bucket.available + points - actualPoints,
      -budget.maximum,
      budget.maximum,
    );
    if (actualPoints < points) {
      this.#events.refunded(className, points - actualPoints);
    } else {
      this.#events.spent(className, actualPoints - points);
    }
  }

  status({ id, budget }: BudgetAccount): ThrottleStatus | null {
    if (budget === null) return null;
    const { maximum, restoreRate } = budget;
    const bucket = this.#buckets.get(id);
    if (bucket !== undefined) {
      this.#refill(bucket, budget);
    }
    const currentlyAvailable = Math.floor(bucket?.available ?? maximum);
    return { maximumAvailable: maximum, currentlyAvailable, restoreRate };
  }

  resize(clientsMax: number): void {
    this.#clientsMax = clientsMax;
    while (this.#buckets.size > clientsMax) {
      this.#evictOne();
    }
  }

  #findOrCreate(id: string, rule: BudgetRule): Bucket {
    const known = this.#buckets.get(id);
    if (known !== undefined) {
      this.#buckets.delete(id);
      this.#buckets.set(id, known);
      this.#refill(known, rule);
      return known;
    }
    if (this.#buckets.size >= this.#clientsMax) {
      this.#evictOne();
    }
    const bucket = { available: rule.maximum, filledMillis: this.#clock(), rule };
    this.#buckets.set(id, bucket);
    return bucket;
  }

  #refill(bucket: Bucket, rule: BudgetRule): void {
    const now = this.#clock();
    const passedMillis = Math.max(0, now - bucket.filledMillis);
    bucket.available = Math.min(
      rule.maximum,
      bucket.available + (passedMillis / 1000) * rule.restoreRate,
    );
    bucket.filledMillis = now;
    bucket.rule = rule;
  }

  #evictOne(): void {
    let leastSpent: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    let compared = 0;
    for (const [id, bucket] of this.#buckets) {
      this.#refill(bucket, bucket.rule);
      const spent = (bucket.rule.maximum - bucket.available) / bucket.rule.maximum;
      if (spent < least) {
        least = spent;
        leastSpent = id;
      }
      if (least <= 0 || ++compared === EVICTION_CANDIDATES) break;
    }
    if (leastSpent !== null) {
      this.#buckets.delete(leastSpent);
    }
  }
}

const clamp = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, value));
