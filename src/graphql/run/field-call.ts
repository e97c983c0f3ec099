import type { CancelSignal } from '../../base/cancellation.js';
import { Refusal, refuseByLimit } from '../../base/refusals/refusal.js';
import type { Decoded, ReplyPlan } from '../../codec/plan/plan.js';
import { InputError } from '../../codec/write/input-error.js';
import type { Spending } from '../cost/spending.js';
import type { BoundField } from '../fields/bound-field.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../limits.js';
import type { FieldCost } from '../types/cost-rules.js';

/** One field that a backend answers: at the root, or a link. */
export interface FieldCall {
  readonly bound: BoundField;
  /** The arguments by name, coerced by the schema; the encoder checks them against the types on the wire. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The header blocks' argument, {} by default. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly plan: ReplyPlan;
  /** The response key of a field of the root; absent for links. */
  readonly key?: string;
}

/** What the message of a call is written from. */
export type CallToCheck = Pick<FieldCall, 'bound' | 'arguments' | 'headers'>;

/** Answers a field, or rejects with a `Refusal`. Its plan has shaped the value already. */
export type CallField = (call: FieldCall) => Promise<Decoded>;

/** The failure of a call that another request made and paid for; its cause is reported as any other. */
export class SharedCallFailure extends Error {
  constructor(cause: unknown) {
    super('the failure of a shared call', { cause });
    this.name = 'SharedCallFailure';
  }
}

/** Limits that a request may reach while it runs. */
type RunLimit = 'calls' | 'links' | 'repeatedChars';
type RunLimits = Pick<GraphqlLimits, RunLimit>;

/** The calls of one request, counted. */
export class RequestCalls {
  readonly #callField: CallField;
  readonly #signal: CancelSignal;
  readonly #refused: (refusal: Refusal) => void;
  readonly #spending: Spending | null;
  readonly #refusals = new Map<RunLimit, Refusal>();
  readonly #limits: RunLimits;
  #left: number;

  constructor(
    callField: CallField,
    signal: CancelSignal,
    refused: (refusal: Refusal) => void,
    limits: RunLimits,
    spending: Spending | null = null,
  ) {
    this.#callField = callField;
    this.#signal = signal;
    this.#refused = refused;
    this.#limits = limits;
    this.#left = limits.calls;
    this.#spending = spending;
  }

  /** Rejects with `MAX_CALLS_LIMIT` when all calls are made, and with `CLIENT_GONE` when the client has gone. */
  call(call: FieldCall): Promise<Decoded> {
    return this.counted(() => this.#callField(call), call.bound.cost ?? null, call.arguments);
  }

  /**
   * Makes a call by running `work`, and rejects as `call` does. `callsMade` returns how many calls it was, for the
   * cost.
   */
  async counted(
    work: () => Promise<Decoded>,
    cost: FieldCost | null = null,
    values: FieldCall['arguments'] = {},
    callsMade: (() => number) | null = null,
  ): Promise<Decoded> {
    this.throwIfGone();
    if (this.#left === 0) throw this.refusal('calls');
    this.#left--;
    try {
      const decoded = await work();
      this.#spending?.called(cost, values, callsMade?.() ?? decoded.calls);
      this.#spending?.took(decoded);
      return decoded;
    } catch (caught) {
      if (caught instanceof SharedCallFailure) throw caught.cause;
      // A request that cannot be written is not sent.
      if (caught instanceof InputError) this.#left++;
      else this.#spending?.called(cost, values, callsMade?.() ?? 1);
      throw caught;
    }
  }

  /** The refusal of parts of the request over a limit, made and recorded once. */
  refusal(limit: RunLimit): Refusal {
    const known = this.#refusals.get(limit);
    if (known !== undefined) return known;
    const refusal = refuseByLimit(GRAPHQL_LIMITS[limit].refusal, `limits.graphql.${limit}`, this.#limits[limit]);
    this.#refusals.set(limit, refusal);
    this.#refused(refusal);
    return refusal;
  }

  /** Throws `CLIENT_GONE` when the client has gone. */
  throwIfGone(): void {
    if (this.#signal.aborted) throw new Refusal('CLIENT_GONE');
  }
}

/** The arguments and header blocks of a call. */
export type CallInput = Pick<FieldCall, 'arguments' | 'headers'>;
