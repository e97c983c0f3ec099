import type { Decoded, ReplyPlan } from '../../../codec/index.js';
import type { CancelSignal, Refusal, RefusalCode } from '../../../core/index.js';
import type { BoundField, FieldCall } from '../../../graphql/index.js';
import type { CallRelay } from '../../calls/relayed-call.js';
import { bareOf, mergedPlan } from './merged-plan.js';
import type { PollPayment } from './poll-account.js';

/**
 * Calls the backend, or gets the reply by `relay`; `signal` is aborted when no subscriber is left.
 */
export type PollCall = (
  call: FieldCall,
  signal: CancelSignal,
  relay: CallRelay | null,
) => Promise<Decoded>;

/** The call of a poll. */
export interface PolledCall {
  readonly bound: BoundField;
  readonly input: Pick<FieldCall, 'arguments' | 'headers'>;
  /** The value whose change is sent; null: the whole selection. */
  readonly changed: ReplyPlan | null;
  readonly call: PollCall;
}

/** One reading of the call, and who pays for it. */
export interface PollAttempt {
  readonly payment: PollPayment;
  readonly signal: CancelSignal;
  /** Null where the backend is called for this process alone. */
  readonly relay: CallRelay | null;
}

/** The results of one call. */
export interface PollParts {
  /** The value whose change is sent, as a text; null where it is all that was selected. */
  readonly changed: string | null;
  /** The decoded reply for each selection, by its plan. */
  readonly parts: ReadonlyMap<ReplyPlan, Decoded>;
}

/**
 * Makes the call, and reads its reply for several selections side by side. Rejects with what is
 * wrong with all of it.
 */
export async function readPoll(
  polled: PolledCall,
  plans: readonly ReplyPlan[],
  attempt: PollAttempt,
): Promise<PollParts> {
  const merged = mergedPlan(plans, polled.changed);
  const decoded = await ask(polled, merged.plan, attempt);
  return {
    changed: merged.changed(decoded),
    parts: new Map(plans.map((plan, index) => [plan, merged.part(decoded, index)])),
  };
}

/** Whether the call has an answer at all, without any selection. */
export async function isAnswered(
  polled: PolledCall,
  plan: ReplyPlan,
  attempt: PollAttempt,
): Promise<boolean> {
  try {
    await ask(polled, bareOf(plan, polled.changed), attempt);
    return true;
  } catch {
    return false;
  }
}

async function ask(
  { bound, input, call }: PolledCall,
  plan: ReplyPlan,
  { payment, signal, relay }: PollAttempt,
): Promise<Decoded> {
  let read: Decoded | null = null;
  try {
    read = await call({ bound, plan, ...input }, signal, relay);
    return read;
  } finally {
    payment.reconcile(read);
  }
}

/** Failures of selected content: with several selections it is open which one they belong to. */
export const mayBeOfOne = ({ code }: Refusal): boolean => OF_SELECTIONS.has(code);

const OF_SELECTIONS: ReadonlySet<RefusalCode> = new Set([
  'UPSTREAM_RESPONSE_LIMIT',
  'UPSTREAM_INVALID_RESPONSE',
  // A decoder that has all of its selection does not wait for the end.
  'UPSTREAM_TRUNCATED',
  'INTERNAL',
]);
