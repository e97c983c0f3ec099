import type { Decoded } from '../../codec/plan/plan.js';
import { Spending } from '../../graphql/cost/cost-actual.js';
import type { CostLimits } from '../../graphql/cost/cost-table.js';
import type { FieldCall } from '../../graphql/run/field-call.js';
import type { FieldCost } from '../../graphql/types/cost-rules.js';
import type { Purse } from '../charge.js';

/** A call, as far as it has a price. */
export interface PricedCall {
  readonly cost: FieldCost | null;
  readonly given: FieldCall['arguments'];
}

/** What a subscriber pays for what is repeated for it: a call when it is its turn, and each answer that it is told. */
export class PollAccount {
  /** Who pays: another subscription of the same client has no more than this one. */
  readonly client: string;
  readonly #purse: Purse;
  readonly #call: PricedCall;
  readonly #answerPoints: number;
  readonly #limits: CostLimits;

  constructor(purse: Purse, call: PricedCall, answerPoints: number, limits: CostLimits) {
    this.client = purse.client.id;
    this.#purse = purse;
    this.#call = call;
    this.#answerPoints = answerPoints;
    this.#limits = limits;
  }

  /** Takes what a call and its answer may come to; null where the client has not so much. The answer settles it. */
  pay(): ((decoded: Decoded | null) => void) | null {
    const { client, budgets } = this.#purse;
    if (client.budget === null) return () => {};
    const grant = budgets.take(client, callPoints(this.#call, this.#limits) + this.#answerPoints);
    if (!grant.isGranted) return null;
    return (decoded) => budgets.settle(grant, callPoints(this.#call, this.#limits, decoded));
  }

  /** Whether the client can pay for one more answer. */
  canAnswer(): boolean {
    const { client, budgets } = this.#purse;
    if (client.budget === null) return true;
    const grant = budgets.take(client, this.#answerPoints);
    if (grant.isGranted) budgets.settle(grant, 0);
    return grant.isGranted;
  }
}

/** What one call comes to without the objects of its answer, in points. */
export function callPoints({ cost, given }: PricedCall, limits: CostLimits, decoded: Decoded | null = null): number {
  const spending = new Spending(limits);
  spending.called(cost, given);
  if (decoded !== null) spending.took({ ...decoded, points: 0 });
  return spending.points;
}
