import type { BudgetAccount, BudgetRule } from '../budget/budget.js';
import type { Reply, Report, Seen } from './ledger.js';
import { TICK_MILLIS } from './pace.js';

/** What is known of the time. */
export interface Times {
  /** Of this process. */
  readonly nowMillis: number;
  /** Common milliseconds, in which common buckets refill. */
  readonly commonMillis: number;
  /** Milliseconds in which this replica's part of what comes back is its own. */
  readonly ownMillis: number;
  readonly replicas: number;
  /** Whether points can be had from Redis now. */
  readonly isShared: boolean;
  /** Whether what others spend is heard of within milliseconds. */
  readonly isFresh: boolean;
}

/** What was asked and not answered yet. It is asked again as it was, so that it happens once. */
interface Pending {
  readonly number: number;
  readonly debt: number;
  readonly wanted: number;
  readonly back: number;
}

/** A lease not asked for in this time is given back. */
const IDLE_MILLIS = 1000;
/** A client that was sent away must find what it was told to come again for. */
const PATIENT_MILLIS = 2500;
const DENIED_MILLIS = 2000;

/**
 * What one replica has of the budget of one client, and when it may spend more than that. Nobody waits: who has not
 * enough at hand is admitted on what is known of the common bucket, and owes the points until Redis hears of it, which
 * is at once. Only a request dearer than a lease needs that, and only while nothing speaks against it:
 *
 * - a lease may be owed where the common bucket holds one;
 * - this replica's part of what the common bucket holds may be owed while all hear of each other, and when Redis is
 *   away: together the parts are what there is, and those in touch are not given the parts of others;
 * - one request may be owed, however dear, where the bucket holds it, or where nothing was ever heard of the client,
 *   which then has a full one. Not within two seconds after a denial: a client at its limit gets what is granted only.
 *
 * So four replicas together spend the budget and one lease each at most, where a lease covers one request at least; and
 * what was owed too much is paid from what comes back, before anything else is.
 */
export class Lease {
  readonly client: string;
  rule: BudgetRule;
  /** Points that can be spent here; below zero they are owed. */
  #points = 0;
  #pending: Pending | null = null;
  #seen: Seen | null = null;
  /** Common time of `#seen`. */
  #seenAt = 0;
  #isDoubted = false;
  /** Nobody else has asked for this client since we did. */
  #isAlone = false;
  #ownAt: number;
  #askedAt: number;
  #deniedAt = Number.NEGATIVE_INFINITY;
  /** The most points asked for at once since it was idle: requests that cost more than a lease need more at hand. */
  #largest = 0;
  /** Points that were asked for in vain since the last answer. */
  #missed = 0;

  constructor({ id }: BudgetAccount, rule: BudgetRule, times: Times) {
    this.client = id;
    this.rule = rule;
    this.#ownAt = times.ownMillis;
    this.#askedAt = times.nowMillis;
  }

  get points(): number {
    return this.#points;
  }

  /** Takes the points or none of them. */
  take(points: number, times: Times): boolean {
    this.#askedAt = times.nowMillis;
    this.#largest = Math.min(this.rule.maximum, Math.max(this.#largest, points));
    this.fill(times);
    if (points > 0 && this.#points < points && !this.#mayOwe(points, times)) {
      this.#deniedAt = times.nowMillis;
      this.#missed = Math.min(this.rule.maximum, Math.max(this.#missed, points));
      return false;
    }
    this.#points -= points;
    return true;
  }

  give(points: number): void {
    const { maximum } = this.rule;
    this.#points = Math.min(maximum, Math.max(-maximum, this.#points + points));
  }

  /** Adds what came back since the last time and was this replica's own. */
  fill({ ownMillis, replicas }: Times): void {
    const { maximum, restoreRate } = this.rule;
    const back = ((ownMillis - this.#ownAt) / 1000) * (restoreRate / replicas);
    this.#ownAt = ownMillis;
    const top = Math.max(1, maximum / replicas);
    if (back > 0 && this.#points < top) this.#points = Math.min(top, this.#points + back);
  }

  /** What the common bucket holds, as far as is known; null: nothing is. */
  common({ commonMillis }: Times): number | null {
    if (this.#seen === null) return null;
    const { maximum, restoreRate } = this.rule;
    const back = (Math.max(0, commonMillis - this.#seenAt) / 1000) * restoreRate;
    return Math.min(maximum, this.#seen.available + back);
  }

  /** Whether there is something to tell Redis, or to ask of it. */
  wants(times: Times): boolean {
    if (this.#pending !== null || this.#points < 0) return true;
    if (this.#isIdle(times)) return this.#points > 0;
    const half = leaseOf(this.rule, times.replicas) / 2;
    return this.#points < Math.max(half + this.#reserve(times), this.#missed);
  }

  /** What others do not know. */
  isBelow(times: Times): boolean {
    const common = this.common(times);
    return this.#pending !== null || this.#points !== 0 || (common !== null && common < this.rule.maximum);
  }

  isAtRest(times: Times): boolean {
    return this.#isIdle(times) && this.#pending === null && this.#points === 0;
  }

  /** Nobody will ask for it any more. */
  retire(): void {
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Redis may have forgotten what it knew of this client, or remember it as it was long ago. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** What to ask; `number` is taken when it is a new question. */
  report(number: number, times: Times): Report {
    const { maximum, restoreRate } = this.rule;
    this.#pending ??= this.#ask(number, times);
    const available = this.common(times);
    return {
      client: this.client,
      maximum,
      restoreRate,
      ...this.#pending,
      seen: this.#seen === null || available === null ? null : { ...this.#seen, available },
      isDoubted: this.#isDoubted,
    };
  }

  /** Takes the answer to the last `report`; null: nothing was done. */
  settle(reply: Reply | null, times: Times): void {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return;
    if (reply === null) {
      this.give(pending.back);
      return;
    }
    this.give(pending.debt + reply.granted);
    this.#missed = 0;
    const before = this.#seen?.birth === reply.birth ? this.#seen.changes : 0;
    this.#isAlone = reply.changes <= before + 1;
    this.#seen = reply;
    this.#seenAt = times.commonMillis;
    this.#isDoubted = false;
  }

  /** What is known of the common bucket; null: nothing is. */
  get seen(): Seen | null {
    return this.#seen;
  }

  /** Another replica has changed the common bucket. */
  hear(heard: Seen, times: Times): void {
    const known = this.common(times);
    if (this.#seen?.birth === heard.birth && heard.changes <= this.#seen.changes) return;
    const isOther = this.#seen !== null && this.#seen.birth !== heard.birth;
    const available = isOther && known !== null ? Math.min(known, heard.available) : heard.available;
    this.#seen = { ...heard, available };
    this.#seenAt = times.commonMillis;
    this.#isAlone = false;
  }

  #ask(number: number, times: Times): Pending {
    // While nothing is given, this replica pays from what is its own.
    if (!times.isShared) return { number, debt: 0, wanted: 0, back: 0 };
    const debt = Math.max(0, -this.#points);
    if (this.#isIdle(times)) {
      const back = Math.max(0, this.#points);
      this.#points -= back;
      this.#largest = 0;
      return { number, debt, wanted: 0, back };
    }
    const held = Math.max(0, this.#points);
    const needed = Math.max(0, this.#missed - held);
    const kept = leaseOf(this.rule, times.replicas) + this.#reserve(times) - Math.max(0, held - this.#missed);
    // Of the rest of a bucket nobody keeps more than its part: what each holds for later is too little for anybody.
    const rest = ((this.common(times) ?? this.rule.maximum) - needed) / (this.#isAlone ? 1 : times.replicas);
    const wanted = needed + Math.max(0, Math.min(kept, Math.max(1, rest)));
    return { number, debt, wanted, back: 0 };
  }

  /** What is held besides the lease for requests dearer than that: all replicas together not more than half a bucket. */
  #reserve({ replicas }: Times): number {
    const { maximum } = this.rule;
    return this.#largest > leaseOf(this.rule, replicas) ? Math.min(this.#largest, maximum / (2 * replicas)) : 0;
  }

  /** Whether the client may go below zero for the points: see the class. */
  #mayOwe(points: number, times: Times): boolean {
    const { maximum } = this.rule;
    const owed = points - this.#points;
    const lease = Math.floor(leaseSize(this.rule, times.replicas));
    const common = this.common(times);
    if (points > maximum) return false;
    if (common === null && this.#points >= 0) return true;
    if (!times.isShared) {
      // Our part of what comes back pays for it afterwards.
      const part = Math.max(1, maximum / times.replicas);
      if (common === null) return owed <= Math.max(1, lease);
      return owed <= common / times.replicas || (points > part && this.#points >= part);
    }
    const holds = common ?? maximum;
    if (owed <= lease && holds >= lease) return true;
    if (!times.isFresh) return false;
    if (owed <= holds / times.replicas) return true;
    const wasDenied = times.nowMillis - this.#deniedAt < DENIED_MILLIS;
    return !wasDenied && this.#points >= 0 && owed <= holds;
  }

  #isIdle(times: Times): boolean {
    const wasDenied = this.#deniedAt >= this.#askedAt;
    return times.nowMillis - this.#askedAt >= (wasDenied ? PATIENT_MILLIS : IDLE_MILLIS);
  }
}

/** Points one replica holds of one client, as a rule: what comes back in a second, a tenth of its part at most. */
export function leaseOf(rule: BudgetRule, replicas: number): number {
  return Math.max(1, Math.floor(leaseSize(rule, replicas)));
}

const leaseSize = ({ maximum, restoreRate }: BudgetRule, replicas: number): number =>
  Math.min(restoreRate, maximum / (10 * replicas));

/** When the points will be there if nothing else is taken; null: never. */
export function retryAfter(lease: Lease, points: number, times: Times): number | null {
  const { maximum, restoreRate } = lease.rule;
  if (points > maximum) return null;
  if (!times.isShared) {
    const missing = Math.min(points, Math.max(1, maximum / times.replicas)) - lease.points;
    return Math.max(TICK_MILLIS, Math.ceil((missing / (restoreRate / times.replicas)) * 1000));
  }
  const owed = points - lease.points - Math.max(0, lease.common(times) ?? maximum);
  return Math.max(TICK_MILLIS, Math.ceil((owed / restoreRate) * 1000));
}
