import { collections } from '../core/index.js';
import type { BudgetAccount, BudgetEvents, BudgetRule, ThrottleStatus } from './budget.js';

/** A bucket with less than this share of its maximum is nearly empty. */
const NEARLY_EMPTY_SHARE = 0.1;
/** Accounts that are remembered; beyond, the one that was nearly empty longest ago is forgotten. */
export const NEARLY_EMPTY_MAX = 1_000;

export const isNearlyEmpty = (available: number, { maximum }: BudgetRule): boolean =>
  available < maximum * NEARLY_EMPTY_SHARE;

/**
 * The accounts whose buckets were nearly empty of late. A bucket refills without a request, so each
 * is looked at again.
 */
export class NearlyEmpty {
  readonly #accounts = new Map<string, BudgetAccount>();

  add(account: BudgetAccount): void {
    collections.setAndEvictOldest(this.#accounts, account.id, account, NEARLY_EMPTY_MAX);
  }

  /** How many there are, by class. Forgets those that have refilled. */
  count(status: (account: BudgetAccount) => ThrottleStatus | null): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const account of this.#accounts.values()) {
      const available = status(account)?.currentlyAvailable ?? null;
      if (
        account.budget !== null &&
        available !== null &&
        isNearlyEmpty(available, account.budget)
      ) {
        counts.set(account.className, (counts.get(account.className) ?? 0) + 1);
      } else {
        this.#accounts.delete(account.id);
      }
    }
    return counts;
  }
}

/** Counts points by class and outcome, and remembers the accounts that are nearly empty. */
export const countedEvents = (
  count: (className: string, outcome: 'spent' | 'denied' | 'refunded', points: number) => void,
  nearlyEmpty: NearlyEmpty,
): BudgetEvents => ({
  spent: (className, points) => count(className, 'spent', points),
  denied: (className, points) => count(className, 'denied', points),
  refunded: (className, points) => count(className, 'refunded', points),
  nearlyEmpty: (account) => nearlyEmpty.add(account),
});
