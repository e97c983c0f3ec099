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
} from '../../budget/budget.js';
import type { MemoryOptions } from '../../budget/memory.js';
import { isNearlyEmpty } from '../../budget/nearly-empty.js';
import { availableOf, Lease, leaseRetryAfter, type Times } from './lease.js';
import { HEARTBEAT_MILLIS, LeaseClock } from './lease-clock.js';
import { bucketOf, type RedisLeaseStore } from './lease-store.js';
import { UnknownBuckets } from './unknown-buckets.js';

export interface LeasedOptions extends MemoryOptions {
  readonly store: RedisLeaseStore;
  /** Configured number of replicas. */
  readonly replicas: number;
}

/** Leases in one exchange with Redis. */
const BATCH = 50;
/** Leases compared for one eviction. */
const EVICTION_CANDIDATES = 8;

/**
 * Budgets that replicas share through Redis. Each replica spends from small leases on the buckets
 * of its active clients, renews them in the background and returns idle ones. While Redis is away,
 * each replica spends its part of the refill. The protocol is described in `README.md` beside this
 * file.
 */
export class LeasedBudgets implements Budgets {
  /** The leases by client, the least recently used first. */
  readonly #leases = new Map<string, Lease>();
  /** Leases that may have anything to report or to request. */
  readonly #active = new Set<Lease>();
  readonly #queue = new Set<Lease>();
  readonly #store: RedisLeaseStore;
  #clientsMax: number;
  readonly #events: BudgetEvents;
  readonly #clock: () => number;
  readonly #leaseClock: LeaseClock;
  #numbers = 0;
  #flushing: Promise<void> | null = null;
  #isTicking = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #unknown: UnknownBuckets;

  constructor({
    store,
    replicas,
    clientsMax,
    events = NO_EVENTS,
    clock = () => performance.now(),
  }: LeasedOptions) {
    this.#store = store;
    this.#clientsMax = clientsMax;
    this.#events = events;
    this.#clock = clock;
    this.#leaseClock = new LeaseClock(replicas, clock);
    this.#unknown = new UnknownBuckets(clientsMax);
    store.onView((bucket, view) => this.#unknown.update(bucket, view, this.#times()));
  }

  /** Starts the heartbeats and the renewal of leases. */
  start(): void {
    this.#timer ??= setInterval(() => void this.tick(), HEARTBEAT_MILLIS).unref();
  }

  /** Returns all leases and leaves the members, if Redis is up. Never rejects. */
  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearInterval(this.#timer);
    }
    this.#timer = null;
    await this.#flushing;
    if (!this.#store.isUp) return;
    const times = this.#times();
    for (const lease of this.#active) {
      lease.expire();
      if (times.isShared && lease.hasRequest(times)) {
        this.#queue.add(lease);
      }
    }
    await this.#finishFlush();
    await this.#store.leave().catch(() => {});
  }

  /** Leases kept now. */
  get size(): number {
    return this.#leases.size;
  }

  /** Whether points can be had from Redis. */
  get isShared(): boolean {
    return this.#leaseClock.isShared;
  }

  take(account: BudgetAccount, points: number): Grant | Denied {
    const { budget, className } = account;
    if (budget === null) return { isGranted: true, account, points };
    const times = this.#times();
    const lease = this.#findOrCreate(account, budget, times);
    const isTaken = lease.take(points, times);
    if (
      times.isShared &&
      isNearlyEmpty((lease.sharedAvailable(times) ?? budget.maximum) + lease.points, budget)
    ) {
      this.#events.nearlyEmpty(account);
    }
    this.#active.add(lease);
    if (times.isShared && lease.hasRequest(times)) {
      this.#enqueue(lease, times);
    }
    if (!isTaken) {
      this.#events.denied(className, points);
      return { isGranted: false, retryAfterMillis: leaseRetryAfter(lease, points, times) };
    }
    this.#events.spent(className, points);
    return { isGranted: true, account, points };
  }

  reconcile({ account, points }: Grant, actualPoints: number): void {
    const { budget, className } = account;
    if (budget === null || points === actualPoints) return;
    const times = this.#times();
    const lease = this.#findOrCreate(account, budget, times);
    lease.refill(times);
    lease.credit(points - actualPoints);
    this.#active.add(lease);
    if (actualPoints < points) {
      this.#events.refunded(className, points - actualPoints);
    } else {
      this.#events.spent(className, actualPoints - points);
    }
  }

  status({ id, budget }: BudgetAccount): ThrottleStatus | null {
    if (budget === null) return null;
    const { maximum, restoreRate } = budget;
    const times = this.#times();
    const lease = this.#leases.get(id);
    lease?.refill(times);
    return {
      maximumAvailable: maximum,
      currentlyAvailable: availableOf(lease ?? null, budget, times),
      restoreRate,
    };
  }

  /** Sends one heartbeat and renews the leases. Never rejects. */
  async tick(): Promise<void> {
    if (this.#isTicking || !this.#store.isUp) return;
    this.#isTicking = true;
    try {
      const heartbeat = await this.#store.sendHeartbeat(this.#leaseClock.creditFromMillis);
      const change = this.#leaseClock.update(heartbeat, this.#store.connections);
      const times = this.#times();
      if (change.isUnconfirmed) {
        this.#resend(times);
      }
      if (change.isRejoined) {
        this.#activateAll(times);
      }
      this.#renew(times);
    } catch {
      // The connection counts and reports the failure; the next round follows in HEARTBEAT_MILLIS.
    } finally {
      this.#isTicking = false;
    }
    await this.#flushing;
  }

  #renew(times: Times): void {
    if (!times.isShared) return;
    for (const lease of this.#active) {
      if (lease.isReturned(times)) {
        this.#active.delete(lease);
      } else if (lease.hasRequest(times)) {
        this.#queue.add(lease);
      }
    }
    if (this.#queue.size > 0) {
      void this.#finishFlush();
    }
  }

  /** Sends all views to a Redis that may have lost its state. */
  #resend(times: Times): void {
    for (const lease of this.#leases.values()) {
      lease.refill(times);
      lease.markUnconfirmed();
      if (lease.hasState(times)) {
        this.#queue.add(lease);
      }
    }
    if (this.#queue.size > 0) {
      void this.#finishFlush();
    }
  }

  /**
   * Makes all leases active that hold points of the local refill, so that idle ones are returned.
   */
  #activateAll(times: Times): void {
    for (const lease of this.#leases.values()) {
      lease.refill(times);
      if (!lease.isReturned(times)) {
        this.#active.add(lease);
      }
    }
  }

  /** Renews a lease at once, unless the shared bucket is empty: then with the next heartbeat. */
  #enqueue(lease: Lease, times: Times): void {
    const available = lease.sharedAvailable(times);
    if (available !== null && available < 1) return;
    this.#queue.add(lease);
    void this.#finishFlush();
  }

  /** Resolves when the leases that are queued now were sent, or Redis did not reply. */
  async #finishFlush(): Promise<void> {
    if (this.#flushing !== null) {
      await this.#flushing;
    }
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // One exchange for a burst of requests.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.size > 0) {
      const { epoch } = this.#leaseClock;
      const hasReply = epoch !== null && this.#store.isUp && (await this.#exchange(epoch));
      if (!hasReply) {
        this.#queue.clear();
      }
    }
  }

  /** Sends the first queued leases. Resolves to whether there was a reply. */
  async #exchange(epoch: string): Promise<boolean> {
    const times = this.#times();
    const leases: Lease[] = [];
    for (const lease of this.#queue) {
      if (leases.push(lease) === BATCH) break;
    }
    const requests = leases.map((lease) => {
      this.#queue.delete(lease);
      lease.refill(times);
      this.#numbers += 1;
      return lease.nextRequest(this.#numbers, times);
    });
    try {
      const terms = { epoch, canGrant: times.isShared, replicas: times.replicas };
      const replies = await this.#store.exchange(terms, requests);
      for (const [index, lease] of leases.entries()) {
        lease.applyReply(replies?.[index] ?? null, this.#times());
      }
      return replies !== null;
    } catch {
      return false;
    }
  }

  #times(): Times {
    const { sharedMillis, localMillis, replicas, isShared } = this.#leaseClock;
    const isFresh = isShared && this.#store.hasFreshViews;
    return { nowMillis: this.#clock(), sharedMillis, localMillis, replicas, isShared, isFresh };
  }

  resize(clientsMax: number): void {
    this.#clientsMax = clientsMax;
    this.#unknown.resize(clientsMax);
    const times = this.#times();
    while (this.#leases.size > clientsMax) {
      this.#evictOne(times);
    }
  }

  #findOrCreate(account: BudgetAccount, rule: BudgetRule, times: Times): Lease {
    const known = this.#leases.get(account.id);
    if (known !== undefined) {
      this.#leases.delete(account.id);
      this.#leases.set(account.id, known);
      known.rule = rule;
      return known;
    }
    if (this.#leases.size >= this.#clientsMax) {
      this.#evictOne(times);
    }
    const lease = new Lease(account, rule, times);
    this.#unknown.claim(lease, bucketOf(account.id), times);
    this.#leases.set(account.id, lease);
    return lease;
  }

  /**
   * Evicts a returned lease, else the one with the most points: an eviction must not forgive an
   * overdraft.
   */
  #evictOne(times: Times): void {
    let chosen: Lease | null = null;
    let compared = 0;
    for (const lease of this.#leases.values()) {
      if (chosen === null || lease.isReturned(times) || lease.points > chosen.points) {
        chosen = lease;
      }
      if (chosen.isReturned(times) || ++compared === EVICTION_CANDIDATES) break;
    }
    if (chosen === null) return;
    this.#leases.delete(chosen.client);
    this.#unknown.release(chosen, bucketOf(chosen.client), times);
    this.#active.delete(chosen);
    this.#queue.delete(chosen);
  }
}
