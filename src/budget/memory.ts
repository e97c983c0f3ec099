import { performance } from 'node:perf_hooks';
import type { Spender, ThrottleStatus } from './budget.js';
import { type BudgetEvents, type BudgetRule, type Budgets, type Denied, type Grant, NO_EVENTS } from './budget.js';

export interface MemoryOptions {
  /** Clients that are remembered. */
  readonly clientsMax: number;
  readonly events?: BudgetEvents;
  /** Milliseconds that only go forward. */
  readonly clock?: () => number;
}

interface Bucket {
  available: number;
  /** When `available` was true. */
  atMillis: number;
  rule: BudgetRule;
}

/** Buckets that are looked at for one to forget: one that is full says no more than none at all. */
const LOOKED_AT = 8;

/**
 * Budgets of this process alone. Clients that were not heard of for long are forgotten when there are too many, those
 * first that have spent least: a client that makes many others appear must not win back what it has spent.
 */
export class MemoryBudgets implements Budgets {
  /** By client, the one that was asked for last at the end. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #clientsMax: number;
  readonly #events: BudgetEvents;
  readonly #clock: () => number;

  constructor({ clientsMax, events = NO_EVENTS, clock = () => performance.now() }: MemoryOptions) {
    this.#clientsMax = clientsMax;
    this.#events = events;
    this.#clock = clock;
  }

  /** Clients that are remembered now. */
  get size(): number {
    return this.#buckets.size;
  }

  take(spender: Spender, points: number): Grant | Denied {
    const { budget, className } = spender;
    if (budget === null) return { isGranted: true, spender, points };
    const bucket = this.#find(spender.id, budget);
    if (points > 0 && bucket.available < points) {
      this.#events.denied(className, points);
      const isPossible = points <= budget.maximum;
      const millis = ((points - bucket.available) / budget.restoreRate) * 1000;
      return { isGranted: false, retryAfterMillis: isPossible ? Math.ceil(millis) : null };
    }
    bucket.available -= points;
    this.#events.spent(className, points);
    return { isGranted: true, spender, points };
  }

  reconcile({ spender, points }: Grant, actualPoints: number): void {
    const { budget, className } = spender;
    if (budget === null || points === actualPoints) return;
    const bucket = this.#find(spender.id, budget);
    // Debts are bounded, so that one mistake does not shut a client out for ever.
    bucket.available = clamp(bucket.available + points - actualPoints, -budget.maximum, budget.maximum);
    if (actualPoints < points) this.#events.refunded(className, points - actualPoints);
    else this.#events.spent(className, actualPoints - points);
  }

  status({ id, budget }: Spender): ThrottleStatus | null {
    if (budget === null) return null;
    const { maximum, restoreRate } = budget;
    const bucket = this.#buckets.get(id);
    if (bucket !== undefined) this.#fill(bucket, budget);
    const currentlyAvailable = Math.floor(bucket?.available ?? maximum);
    return { maximumAvailable: maximum, currentlyAvailable, restoreRate };
  }

  #find(id: string, rule: BudgetRule): Bucket {
    const known = this.#buckets.get(id);
    if (known !== undefined) {
      this.#buckets.delete(id);
      this.#buckets.set(id, known);
      this.#fill(known, rule);
      return known;
    }
    if (this.#buckets.size >= this.#clientsMax) this.#forgetOne();
    const bucket = { available: rule.maximum, atMillis: this.#clock(), rule };
    this.#buckets.set(id, bucket);
    return bucket;
  }

  #fill(bucket: Bucket, rule: BudgetRule): void {
    const now = this.#clock();
    const passedMillis = Math.max(0, now - bucket.atMillis);
    bucket.available = Math.min(rule.maximum, bucket.available + (passedMillis / 1000) * rule.restoreRate);
    bucket.atMillis = now;
    bucket.rule = rule;
  }

  #forgetOne(): void {
    let leastSpent: string | null = null;
    let least = Number.POSITIVE_INFINITY;
    let looked = 0;
    for (const [id, bucket] of this.#buckets) {
      this.#fill(bucket, bucket.rule);
      const spent = (bucket.rule.maximum - bucket.available) / bucket.rule.maximum;
      if (spent < least) {
        least = spent;
        leastSpent = id;
      }
      if (least <= 0 || ++looked === LOOKED_AT) break;
    }
    if (leastSpent !== null) this.#buckets.delete(leastSpent);
  }
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));
