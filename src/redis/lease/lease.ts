import type { BudgetAccount, BudgetRule } from '../../budget/budget.js';
import { HEARTBEAT_MILLIS } from './lease-clock.js';
import type { BucketReply, BucketView, LeaseRequest } from './lease-store.js';

/** One reading of the lease clock. */
export interface Times {
  /** Monotonic time of this process. */
  readonly nowMillis: number;
  /** Shared time, in which shared buckets refill. */
  readonly sharedMillis: number;
  /** Local time, in which this replica refills its part of the budgets itself. */
  readonly localMillis: number;
  readonly replicas: number;
  /** Whether points can be had from Redis now. */
  readonly isShared: boolean;
  /** Whether views of other replicas arrive within milliseconds. */
  readonly isFresh: boolean;
}

/** A request without a reply. It is repeated unchanged, so that it is executed once. */
type Pending = Pick<LeaseRequest, 'number' | 'overdraft' | 'requested' | 'returned'>;

/** An unused lease is returned after this time. */
const IDLE_MILLIS = 1000;
/**
 * An unused lease is returned after this time when there was a denial. A client that retries at the
 * promised time must find its points.
 */
const DENIED_IDLE_MILLIS = 2500;
/** After a denial a client can overdraw no single request for this time. */
const DENIED_MILLIS = 2000;

/**
 * The lease of one replica on the budget of one client: points that it spends without asking Redis.
 *
 * No request waits. One that costs more than the lease holds can overdraw it, on the last view of
 * the shared bucket; the overdraft is sent to Redis at once. These overdrafts are allowed:
 *
 * - one lease, where the shared bucket holds one;
 * - this replica's part of the shared bucket, while views are fresh or Redis is away: the parts add
 *   up to the bucket, and connected replicas are not granted the parts of absent ones. A bucket of
 *   which nothing is known counts as full, also after a start with an empty Redis: another replica
 *   may have spent its own part, but not this one;
 * - one request of any cost, where the bucket holds it or nothing is known of the client, whose
 *   bucket then counts as full. Not within two seconds after a denial: a client at its limit spends
 *   grants only.
 *
 * So four replicas together spend at most the budget and one lease each (a lease covers at least
 * one request). Where views come late, each may spend its part of the bucket instead. An overdraft
 * beyond the budget is paid from the refill before anything else.
 */
export class Lease {
  readonly client: string;
  rule: BudgetRule;
  /** Points that can be spent here; below zero it is the overdraft. */
  #points = 0;
  #pending: Pending | null = null;
  #view: BucketView | null = null;
  /** Shared time of `#view`. */
  #viewedAt = 0;
  #isUnconfirmed = false;
  /** No other replica changed the bucket between the last two replies. */
  #isOnlyUser = false;
  #filledAt: number;
  #usedAt: number;
  #deniedAt = Number.NEGATIVE_INFINITY;
  /** Cost of the dearest request since the lease was idle. */
  #dearest = 0;
  /** Points of the dearest denied request since the last reply. */
  #denied = 0;

  constructor({ id }: BudgetAccount, rule: BudgetRule, times: Times) {
    this.client = id;
    this.rule = rule;
    this.#filledAt = times.localMillis;
    this.#usedAt = times.nowMillis;
  }

  get points(): number {
    return this.#points;
  }

  /** Takes all the points, or none. */
  take(points: number, times: Times): boolean {
    this.#usedAt = times.nowMillis;
    this.#dearest = Math.min(this.rule.maximum, Math.max(this.#dearest, points));
    this.refill(times);
    if (points > 0 && this.#points < points && !this.#canOverdraw(points, times)) {
      this.#deniedAt = times.nowMillis;
      this.#denied = Math.min(this.rule.maximum, Math.max(this.#denied, points));
      return false;
    }
    this.#points -= points;
    return true;
  }

  /** Adds points; negative ones are charged. The overdraft is bounded by one budget. */
  credit(points: number): void {
    const { maximum } = this.rule;
    this.#points = Math.min(maximum, Math.max(-maximum, this.#points + points));
  }

  /** Adds this replica's part of the refill for the local time since the last call. */
  refill({ localMillis, replicas }: Times): void {
    const { maximum, restoreRate } = this.rule;
    const refilled = ((localMillis - this.#filledAt) / 1000) * (restoreRate / replicas);
    this.#filledAt = localMillis;
    const top = Math.max(1, maximum / replicas);
    if (refilled > 0 && this.#points < top) {
      this.#points = Math.min(top, this.#points + refilled);
    }
  }

  /** Points of the shared bucket by its last view; null without a view. */
  sharedAvailable({ sharedMillis }: Times): number | null {
    if (this.#view === null) return null;
    const { maximum, restoreRate } = this.rule;
    const refilled = (Math.max(0, sharedMillis - this.#viewedAt) / 1000) * restoreRate;
    return Math.min(maximum, this.#view.available + refilled);
  }

  /** Whether there is anything to report to Redis, or to request. */
  hasRequest(times: Times): boolean {
    if (this.#pending !== null || this.#points < 0) return true;
    if (this.#isIdle(times)) return this.#points > 0;
    const half = leaseOf(this.rule, times.replicas) / 2;
    return this.#points < Math.max(half + this.#reserve(times), this.#denied);
  }

  /**
   * Whether a Redis without state would give the client more than this replica knows it to have.
   */
  hasState(times: Times): boolean {
    const available = this.sharedAvailable(times);
    return (
      this.#pending !== null ||
      this.#points !== 0 ||
      (available !== null && available < this.rule.maximum)
    );
  }

  /** Whether the lease is idle and returned. */
  isReturned(times: Times): boolean {
    return this.#isIdle(times) && this.#pending === null && this.#points === 0;
  }

  /** Makes the lease idle at once, so that it is returned. */
  expire(): void {
    this.#usedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Marks the state in Redis as lost or outdated: the next request sends the view of this replica.
   */
  markUnconfirmed(): void {
    this.#isUnconfirmed = true;
  }

  /** The next request, or the pending one again; only a new one takes `number`. */
  nextRequest(number: number, times: Times): LeaseRequest {
    const { maximum, restoreRate } = this.rule;
    this.#pending ??= this.#composeRequest(number, times);
    const available = this.sharedAvailable(times);
    return {
      client: this.client,
      maximum,
      restoreRate,
      ...this.#pending,
      view: this.#view === null || available === null ? null : { ...this.#view, available },
      isUnconfirmed: this.#isUnconfirmed,
    };
  }

  /** Applies the reply to the pending request; null: nothing was done. */
  applyReply(reply: BucketReply | null, times: Times): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return;
    if (reply === null) {
      this.credit(pending.returned);
      return;
    }
    this.credit(pending.overdraft + reply.granted);
    this.#denied = 0;
    const before = this.#view?.incarnation === reply.incarnation ? this.#view.version : 0;
    this.#isOnlyUser = reply.version <= before + 1;
    this.#view = reply;
    this.#viewedAt = times.sharedMillis;
    this.#isUnconfirmed = false;
  }

  /** The last view of the shared bucket. */
  get view(): BucketView | null {
    return this.#view;
  }

  /** Applies a view that another replica published. */
  updateView(view: BucketView, times: Times): void {
    const known = this.sharedAvailable(times);
    if (this.#view?.incarnation === view.incarnation && view.version <= this.#view.version) return;
    const isOther = this.#view !== null && this.#view.incarnation !== view.incarnation;
    const available = isOther && known !== null ? Math.min(known, view.available) : view.available;
    this.#view = { ...view, available };
    this.#viewedAt = times.sharedMillis;
    this.#isOnlyUser = false;
  }

  #composeRequest(number: number, times: Times): Pending {
    // While nothing is granted, an overdraft is paid from the local refill.
    if (!times.isShared) return { number, overdraft: 0, requested: 0, returned: 0 };
    const overdraft = Math.max(0, -this.#points);
    if (this.#isIdle(times)) {
      const returned = Math.max(0, this.#points);
      this.#points -= returned;
      this.#dearest = 0;
      return { number, overdraft, requested: 0, returned };
    }
    const held = Math.max(0, this.#points);
    const needed = Math.max(0, this.#denied - held);
    const kept =
      leaseOf(this.rule, times.replicas) + this.#reserve(times) - Math.max(0, held - this.#denied);
    // No replica stocks more than its part of the rest: small stocks in each would be too little
    // for any request.
    const rest =
      ((this.sharedAvailable(times) ?? this.rule.maximum) - needed) /
      (this.#isOnlyUser ? 1 : times.replicas);
    const requested = needed + Math.max(0, Math.min(kept, Math.max(1, rest)));
    return { number, overdraft, requested, returned: 0 };
  }

  /**
   * Points held beside the lease for requests that cost more: at most half a bucket over all
   * replicas.
   */
  #reserve({ replicas }: Times): number {
    const { maximum } = this.rule;
    return this.#dearest > leaseOf(this.rule, replicas)
      ? Math.min(this.#dearest, maximum / (2 * replicas))
      : 0;
  }

  /** Whether the points may be overdrawn: see the class. */
  #canOverdraw(points: number, times: Times): boolean {
    const { maximum } = this.rule;
    const overdraft = points - this.#points;
    const lease = Math.floor(leaseSize(this.rule, times.replicas));
    const known = this.sharedAvailable(times);
    if (points > maximum) return false;
    if (known === null && this.#points >= 0) return true;
    if (!times.isShared) {
      // The local refill pays for it afterwards.
      const part = Math.max(1, maximum / times.replicas);
      if (known === null) return overdraft <= part;
      return overdraft <= known / times.replicas || (points > part && this.#points >= part);
    }
    const available = known ?? maximum;
    if (overdraft <= lease && available >= lease) return true;
    if (!times.isFresh) return false;
    if (overdraft <= available / times.replicas) return true;
    const wasDenied = times.nowMillis - this.#deniedAt < DENIED_MILLIS;
    return !wasDenied && this.#points >= 0 && overdraft <= available;
  }

  #isIdle(times: Times): boolean {
    const wasDenied = this.#deniedAt >= this.#usedAt;
    return times.nowMillis - this.#usedAt >= (wasDenied ? DENIED_IDLE_MILLIS : IDLE_MILLIS);
  }
}

/**
 * Whole points of a lease: the refill of one second, at most a tenth of the replica's part, at
 * least 1.
 */
function leaseOf(rule: BudgetRule, replicas: number): number {
  return Math.max(1, Math.floor(leaseSize(rule, replicas)));
}

const leaseSize = ({ maximum, restoreRate }: BudgetRule, replicas: number): number =>
  Math.min(restoreRate, maximum / (10 * replicas));

/**
 * Whole points that the client can spend here now, at most; below zero it is the overdraft. Null:
 * there is no lease.
 */
export function availableOf(lease: Lease | null, { maximum }: BudgetRule, times: Times): number {
  const shared = lease?.sharedAvailable(times) ?? maximum;
  const part = times.isShared ? shared : shared / times.replicas;
  return Math.floor(Math.min(maximum, part + (lease?.points ?? 0)));
}

/**
 * Time until the points are available if nothing else is taken; null: the bucket is too small for
 * them.
 */
export function leaseRetryAfter(lease: Lease, points: number, times: Times): number | null {
  const { maximum, restoreRate } = lease.rule;
  if (points > maximum) return null;
  if (!times.isShared) {
    const missing = Math.min(points, Math.max(1, maximum / times.replicas)) - lease.points;
    return Math.max(HEARTBEAT_MILLIS, Math.ceil((missing / (restoreRate / times.replicas)) * 1000));
  }
  const missing = points - lease.points - Math.max(0, lease.sharedAvailable(times) ?? maximum);
  return Math.max(HEARTBEAT_MILLIS, Math.ceil((missing / restoreRate) * 1000));
}
