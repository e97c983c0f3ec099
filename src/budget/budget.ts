/**
 * The point budgets of clients: one token bucket for each client, shared by SOAP and GraphQL. A
 * request takes its estimated cost before anything is called, and is reconciled with its actual
 * cost at its end. No method blocks.
 */
export interface Budgets {
  /** Takes all the points from the client's bucket, or none. Points are whole and not negative. */
  take(account: BudgetAccount, points: number): Grant | Denied;
  /**
   * Refunds or charges the difference between granted and actual cost. A charge may take the bucket
   * below zero. At most once for each grant; a grant that is never reconciled stays spent.
   */
  reconcile(grant: Grant, actualPoints: number): void;
  /** The client's balance; null for a client without a budget. */
  status(account: BudgetAccount): ThrottleStatus | null;
  /** Sets how many buckets are kept at most. */
  resize(clientsMax: number): void;
}

/** A client as budgets see it. */
export interface BudgetAccount {
  /** Unique over all clients, however they are identified. It may hold text that callers chose. */
  readonly id: string;
  /** Name of the client's class in the configuration. */
  readonly className: string;
  /** Null: unlimited, and nothing is stored for this client. */
  readonly budget: BudgetRule | null;
}

/** Size and refill rate of a bucket. */
export interface BudgetRule {
  /** Points of a full bucket. */
  readonly maximum: number;
  /** Points per second that are refilled. */
  readonly restoreRate: number;
}

export interface Grant {
  readonly isGranted: true;
  readonly account: BudgetAccount;
  readonly points: number;
}

export interface Denied {
  readonly isGranted: false;
  /**
   * Time until the bucket holds the points, if nothing else is taken; null: the bucket is too small
   * for them.
   */
  readonly retryAfterMillis: number | null;
}

/**
 * `extensions.cost.throttleStatus` of answers. Whole points; `currentlyAvailable` may be negative.
 */
export interface ThrottleStatus {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points per second. */
  readonly restoreRate: number;
}

/**
 * Reports of budgets to metrics: points by class of the client. Class names come from the
 * configuration.
 */
export interface BudgetEvents {
  spent(className: string, points: number): void;
  /** Requested and not granted. */
  denied(className: string, points: number): void;
  /** Granted and refunded, because the actual cost was lower. */
  refunded(className: string, points: number): void;
  /** A request has found the client's bucket nearly empty, or left it so. */
  nearlyEmpty(account: BudgetAccount): void;
}

export const NO_EVENTS: BudgetEvents = { spent() {}, denied() {}, refunded() {}, nearlyEmpty() {} };
