import type { Decoded } from '../../../codec/index.js';
import type { CancelSignal } from '../../../core/index.js';
import { costs, type FieldCall, type graphqlSchema } from '../../../graphql/index.js';
import type { Caller } from '../../calls/authorize.js';
import type { GraphqlEndpoint } from '../../graphql/endpoint.js';
import type { Release } from '../../http/concurrency.js';

/** A call, as far as it has a price. */
export interface PricedCall {
  readonly cost: graphqlSchema.FieldCost | null;
  readonly arguments: FieldCall['arguments'];
}

/** A call that is paid for. */
export interface PollPayment {
  /**
   * Charges the actual cost of a call that is over, without the objects of its answer. To be called
   * once.
   */
  reconcile(decoded: Decoded | null): void;
}

/** For a reply that another process has paid for. */
export const FREE: PollPayment = { reconcile() {} };

/**
 * Charges a subscriber for polls: for a call when it is its turn, and for each answer that it gets.
 */
export class PollAccount {
  /** The id of the client, whose subscriptions share one budget. */
  readonly client: string;
  readonly #caller: Caller;
  readonly #call: PricedCall;
  readonly #answerPoints: number;
  readonly #endpoint: PollEndpoint;

  constructor(caller: Caller, call: PricedCall, answerPoints: number, endpoint: PollEndpoint) {
    this.client = caller.client.id;
    this.#caller = caller;
    this.#call = call;
    this.#answerPoints = answerPoints;
    this.#endpoint = endpoint;
  }

  /** A permit for one call among the requests of the client; null where there is none now. */
  tryAcquire(): Release | null {
    return this.#endpoint.concurrency.tryAcquire(this.#caller.client);
  }

  /** Waits for a permit, in the order of the calls; null when `signal` is aborted. */
  async acquireLater(signal: CancelSignal): Promise<Release | null> {
    const release = await this.#endpoint.concurrency.acquireLater(this.#caller.client, signal);
    return release ?? (signal.aborted ? null : () => {});
  }

  /**
   * Charges the estimate of a call and its answer; null where the points are too few. Returns the
   * permit at the end.
   */
  pay(release: Release): PollPayment | null {
    const { client, budgets } = this.#caller;
    const { limits } = this.#endpoint.operations;
    if (client.budget === null) return this.paid(release);
    const grant = budgets.take(client, callPoints(this.#call, limits) + this.#answerPoints);
    if (!grant.isGranted) return null;
    return {
      reconcile: (decoded) => {
        release();
        budgets.reconcile(grant, callPoints(this.#call, limits, decoded));
      },
    };
  }

  /** For a call that has been paid for. */
  paid(release: Release): PollPayment {
    return { reconcile: release };
  }

  /** Whether the client can pay for one more answer. */
  canAnswer(): boolean {
    const { client, budgets } = this.#caller;
    if (client.budget === null) return true;
    const grant = budgets.take(client, this.#answerPoints);
    if (grant.isGranted) {
      budgets.reconcile(grant, 0);
    }
    return grant.isGranted;
  }
}

type PollEndpoint = Pick<GraphqlEndpoint, 'operations' | 'concurrency'>;

/** The cost of one call without the objects of its answer, in points. */
export function callPoints(
  { cost, arguments: values }: PricedCall,
  limits: costs.CostLimits,
  decoded: Decoded | null = null,
): number {
  const spending = new costs.Spending(limits);
  spending.called(cost, values);
  if (decoded !== null) {
    spending.took({ ...decoded, points: 0 });
  }
  return spending.points;
}
