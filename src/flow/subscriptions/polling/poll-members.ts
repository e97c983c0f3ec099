import type { Decoded, ReplyPlan } from '../../../codec/index.js';
import { Refusal } from '../../../core/index.js';
import type { PollAccount } from './poll-account.js';
import type { BilledSubscriber } from './poll-accounts.js';

/** The result of a poll for one subscriber. */
export type Polled =
  | { readonly kind: 'value'; readonly decoded: Decoded }
  | { readonly kind: 'failed'; readonly caught: unknown };

export interface PollMember {
  readonly plan: ReplyPlan;
  /**
   * Each call is charged to one subscriber in turn that can pay; answers go only to subscribers
   * that can pay them.
   */
  readonly account: PollAccount;
  /** Called with the first answer, and whenever it has changed. `bytes` is about what it takes. */
  send(polled: Polled, bytes: number): void;
}

/** A subscriber in the poller that it belongs to now. */
export interface PlacedMember<P> extends BilledSubscriber {
  readonly member: PollMember;
  /** The poller that it belongs to now. */
  poller: P;
  /** The signature of the value that was sent last; null before the first. */
  signature: string | null;
  /** It has just come. */
  isNew: boolean;
}

/** The selections of these members. */
export const plansOf = (members: readonly PlacedMember<unknown>[]): readonly ReplyPlan[] => [
  ...new Set(members.map(({ member }) => member.plan)),
];

/** The plans that could be read before, and the rest; or one half and the other. */
export function halvesOf(plans: readonly ReplyPlan[], proven: WeakSet<ReplyPlan>): ReplyPlan[][] {
  const known = plans.filter((plan) => proven.has(plan));
  const middle =
    known.length === 0 || known.length === plans.length
      ? Math.ceil(plans.length / 2)
      : known.length;
  const sorted = [...known, ...plans.filter((plan) => !proven.has(plan))];
  return [sorted.slice(0, middle), sorted.slice(middle)];
}

/** Sends what has changed. */
export function deliver(
  entry: PlacedMember<unknown>,
  signature: string,
  polled: Polled,
  bytes: number,
): void {
  if (entry.signature === signature) return;
  const { member } = entry;
  if (polled.kind === 'value' && !member.account.canAnswer()) {
    deliver(entry, POOR, UNPAID, 0);
    return;
  }
  entry.signature = signature;
  member.send(polled, bytes);
}

export const POOR = '! RATE_LIMITED';
export const UNPAID: Polled = { kind: 'failed', caught: new Refusal('RATE_LIMITED') };
