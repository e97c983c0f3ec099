/**
 * What clients may spend: one bucket of points for each, the same for both doors. A request takes what it is estimated
 * to cost before anything is called, and is reconciled with its actual cost when it is over. No method waits for anything.
 */
export interface Budgets {
  /** Takes the points from the client's bucket, or none of them. Points are whole and not negative. */
  take(spender: Spender, points: number): Grant | Denied;
  /**
   * What the request really cost: less than was granted goes back, more is taken too, so that a bucket may fall below
   * zero. For each grant at most once; without it the grant stays spent.
   */
  reconcile(grant: Grant, actualPoints: number): void;
  /** What the client has now; null where it has no budget. */
  status(spender: Spender): ThrottleStatus | null;
}

/** A client, as far as budgets need to know it. */
export interface Spender {
  /** Unique over all clients, however they are identified. It may hold what callers chose. */
  readonly id: string;
  /** Of the configuration. */
  readonly className: string;
  /** Null: it may spend what it likes, and nothing is remembered of it. */
  readonly budget: BudgetRule | null;
}

/** The size of a bucket and how fast it fills. */
export interface BudgetRule {
  /** Points of a full bucket. */
  readonly maximum: number;
  /** Points per second that come back. */
  readonly restoreRate: number;
}

export interface Grant {
  readonly isGranted: true;
  readonly spender: Spender;
  readonly points: number;
}

export interface Denied {
  readonly isGranted: false;
  /** When the bucket will hold the points if nothing else is taken; null: never, for it is too small for them. */
  readonly retryAfterMillis: number | null;
}

/** `extensions.cost.throttleStatus` of answers. Whole points; `currentlyAvailable` may be negative. */
export interface ThrottleStatus {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points per second. */
  readonly restoreRate: number;
}

/** What budgets tell those who count. Points by the class of the client, which is of the configuration. */
export interface BudgetEvents {
  spent(className: string, points: number): void;
  /** Asked for and not granted. */
  denied(className: string, points: number): void;
  /** Granted and given back, because less was needed. */
  refunded(className: string, points: number): void;
}

export const NO_EVENTS: BudgetEvents = { spent() {}, denied() {}, refunded() {} };
