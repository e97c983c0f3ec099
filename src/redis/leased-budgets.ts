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
} from '../budget/budget.js';
import { Lease, retryAfter, type Times } from './lease.js';
import type { Ledger, Seen } from './ledger.js';
import { Pace, TICK_MILLIS } from './pace.js';
import { Strangers } from './strangers.js';

export interface LeasedOptions {
  readonly ledger: Ledger;
  /** Replicas there are at least. */
  readonly replicas: number;
  /** Clients that are remembered. */
  readonly clientsMax: number;
  readonly events?: BudgetEvents;
  /** Milliseconds that only go forward. */
  readonly clock?: () => number;
}

/** Clients of one question to Redis. */
const BATCH = 50;
/** Clients looked at for one to forget. */
const LOOKED_AT = 8;

/**
 * Budgets that replicas share. Each holds a small lease of points for clients that are active on it and spends it
 * without asking; leases are renewed in the background and given back when they lie idle. While Redis is away, each
 * replica spends its part of what comes back: together never more than one.
 */
export class LeasedBudgets implements Budgets {
  /** By client, the one asked for last at the end. */
  readonly #leases = new Map<string, Lease>();
  /** Those that may have something to tell Redis. */
  readonly #active = new Set<Lease>();
  readonly #queue = new Set<Lease>();
  readonly #ledger: Ledger;
  readonly #clientsMax: number;
  readonly #events: BudgetEvents;
  readonly #clock: () => number;
  readonly #pace: Pace;
  #numbers = 0;
  #flushing: Promise<void> | null = null;
  #isBeating = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #strangers: Strangers;

  constructor({ ledger, replicas, clientsMax, events = NO_EVENTS, clock = () => performance.now() }: LeasedOptions) {
    this.#ledger = ledger;
    this.#clientsMax = clientsMax;
    this.#events = events;
    this.#clock = clock;
    this.#pace = new Pace(replicas, clock);
    this.#strangers = new Strangers(clientsMax);
    ledger.onView((bucket, seen) => this.#hear(bucket, seen));
  }

  /** Looks after the leases from now on. */
  start(): void {
    this.#timer ??= setInterval(() => void this.tick(), TICK_MILLIS).unref();
  }

  /** Gives back what is left and says goodbye, if Redis is there. Never rejects. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#flushing;
    if (!this.#ledger.isUp) return;
    const times = this.#times();
    for (const lease of this.#active) {
      lease.retire();
      if (times.isShared && lease.wants(times)) this.#queue.add(lease);
    }
    await this.#flushed();
    await this.#ledger.leave().catch(() => {});
  }

  /** Clients that are remembered now. */
  get size(): number {
    return this.#leases.size;
  }

  /** Whether points can be had from Redis, and among how many replicas. */
  get isShared(): boolean {
    return this.#pace.isShared;
  }

  take(account: BudgetAccount, points: number): Grant | Denied {
    const { budget, className } = account;
    if (budget === null) return { isGranted: true, account, points };
    const times = this.#times();
    const lease = this.#find(account, budget, times);
    const isTaken = lease.take(points, times);
    this.#active.add(lease);
    if (times.isShared && lease.wants(times)) this.#ask(lease, times);
    if (!isTaken) {
      this.#events.denied(className, points);
      return { isGranted: false, retryAfterMillis: retryAfter(lease, points, times) };
    }
    this.#events.spent(className, points);
    return { isGranted: true, account, points };
  }

  reconcile({ account, points }: Grant, actualPoints: number): void {
    const { budget, className } = account;
    if (budget === null || points === actualPoints) return;
    const times = this.#times();
    const lease = this.#find(account, budget, times);
    lease.fill(times);
    lease.give(points - actualPoints);
    this.#active.add(lease);
    if (actualPoints < points) this.#events.refunded(className, points - actualPoints);
    else this.#events.spent(className, actualPoints - points);
  }

  status({ id, budget }: BudgetAccount): ThrottleStatus | null {
    if (budget === null) return null;
    const { maximum, restoreRate } = budget;
    const times = this.#times();
    const lease = this.#leases.get(id);
    lease?.fill(times);
    const common = times.isShared ? (lease?.common(times) ?? maximum) : 0;
    const currentlyAvailable = Math.floor(Math.min(maximum, common + (lease?.points ?? 0)));
    return { maximumAvailable: maximum, currentlyAvailable, restoreRate };
  }

  /** One round of what is done in the background. Never rejects. */
  async tick(): Promise<void> {
    if (this.#isBeating || !this.#ledger.isUp) return;
    this.#isBeating = true;
    try {
      const beat = await this.#ledger.beat(this.#pace.inTouchSinceMillis);
      const change = this.#pace.heard(beat, this.#ledger.connected);
      const times = this.#times();
      if (change.isDoubtful) this.#tellAgain(times);
      if (change.isReunited) this.#settleOwn(times);
      this.#lookAfter(times);
    } catch {
      // The connection counts and tells it; the next round is soon.
    } finally {
      this.#isBeating = false;
    }
    await this.#flushing;
  }

  #lookAfter(times: Times): void {
    if (!times.isShared) return;
    for (const lease of this.#active) {
      if (lease.isAtRest(times)) this.#active.delete(lease);
      else if (lease.wants(times)) this.#queue.add(lease);
    }
    if (this.#queue.size > 0) void this.#flushed();
  }

  /** Redis may not know any more what this replica knows. */
  #tellAgain(times: Times): void {
    for (const lease of this.#leases.values()) {
      lease.fill(times);
      lease.doubt();
      if (lease.isBelow(times)) this.#queue.add(lease);
    }
    if (this.#queue.size > 0) void this.#flushed();
  }

  /** What came back here while Redis was away goes the way of leases: idle, it is given back. */
  #settleOwn(times: Times): void {
    for (const lease of this.#leases.values()) {
      lease.fill(times);
      if (!lease.isAtRest(times)) this.#active.add(lease);
    }
  }

  /** Asks soon for one that has little left; one that Redis has nothing for waits for the next round. */
  #ask(lease: Lease, times: Times): void {
    const common = lease.common(times);
    if (common !== null && common < 1) return;
    this.#queue.add(lease);
    void this.#flushed();
  }

  /** Resolves when all that is in the queue now was asked, or Redis did not answer. */
  async #flushed(): Promise<void> {
    if (this.#flushing !== null) await this.#flushing;
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // What a burst of requests needs is asked in one.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.size > 0) {
      const { era } = this.#pace;
      if (era === null || !this.#ledger.isUp || !(await this.#exchange(era))) {
        this.#queue.clear();
      }
    }
  }

  /** Asks for the first of the queue. Resolves to whether there was an answer. */
  async #exchange(era: string): Promise<boolean> {
    const times = this.#times();
    const leases: Lease[] = [];
    for (const lease of this.#queue) {
      if (leases.push(lease) === BATCH) break;
    }
    const reports = leases.map((lease) => {
      this.#queue.delete(lease);
      lease.fill(times);
      this.#numbers += 1;
      return lease.report(this.#numbers, times);
    });
    try {
      const replies = await this.#ledger.exchange({ era, gives: times.isShared, replicas: times.replicas }, reports);
      for (const [index, lease] of leases.entries()) lease.settle(replies?.[index] ?? null, this.#times());
      return replies !== null;
    } catch {
      return false;
    }
  }

  #times(): Times {
    const { commonMillis, ownMillis, replicas, isShared } = this.#pace;
    const isFresh = isShared && this.#ledger.hears;
    return { nowMillis: this.#clock(), commonMillis, ownMillis, replicas, isShared, isFresh };
  }

  #find(account: BudgetAccount, rule: BudgetRule, times: Times): Lease {
    const known = this.#leases.get(account.id);
    if (known !== undefined) {
      this.#leases.delete(account.id);
      this.#leases.set(account.id, known);
      known.rule = rule;
      return known;
    }
    if (this.#leases.size >= this.#clientsMax) this.#forgetOne(times);
    const lease = new Lease(account, rule, times);
    this.#strangers.meet(lease, this.#ledger.bucketOf(account.id), times);
    this.#leases.set(account.id, lease);
    return lease;
  }

  /** What others have left in a bucket. */
  #hear(bucket: string, seen: Seen): void {
    this.#strangers.hear(bucket, seen, this.#times());
  }

  /** Forgets the first at rest, else the one with most points: a debt must not be forgotten to be forgiven. */
  #forgetOne(times: Times): void {
    let chosen: Lease | null = null;
    let looked = 0;
    for (const lease of this.#leases.values()) {
      if (chosen === null || lease.isAtRest(times) || lease.points > chosen.points) chosen = lease;
      if (chosen.isAtRest(times) || ++looked === LOOKED_AT) break;
    }
    if (chosen === null) return;
    this.#leases.delete(chosen.client);
    this.#strangers.part(chosen, this.#ledger.bucketOf(chosen.client), times);
    this.#active.delete(chosen);
    this.#queue.delete(chosen);
  }
}
