import type { CancelSignal } from '../../base/cancellation.js';
import { Refusal, refuseByLimit } from '../../base/refusal.js';
import type { Decoded, ReplyPlan } from '../../codec/plan/plan.js';
import { InputError } from '../../codec/write/input-error.js';
import type { Spending } from '../cost/cost-actual.js';
import type { BoundField } from '../fields/bound-field.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../limits.js';
import type { FieldCost } from '../types/cost-rules.js';

/** One field that a backend answers: at the root, or a link. */
export interface FieldCall {
  readonly bound: BoundField;
  /** By argument name, coerced by the schema; the encoder checks them against the types on the wire. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The header blocks' argument, {} if not given. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly plan: ReplyPlan;
}

/** Answers a field, or rejects with a `Refusal`. The value is taken as it is: its plan has given it its shape. */
export type CallField = (call: FieldCall) => Promise<Decoded>;

/** Why an answer failed that somebody else has asked and paid for: it is told like any failure. */
export class FailureOfOthers extends Error {
  constructor(cause: unknown) {
    super('a failure of others', { cause });
    this.name = 'FailureOfOthers';
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

  /** Rejects with `MAX_CALLS_LIMIT` when all calls are made, and with `CLIENT_GONE` when nobody waits any more. */
  call(call: FieldCall): Promise<Decoded> {
    return this.counted(() => this.#callField(call), call.bound.cost ?? null, call.arguments);
  }

  /** The same for a call that is made otherwise. `made` tells how many it has been in truth, for what it costs. */
  async counted(
    work: () => Promise<Decoded>,
    cost: FieldCost | null = null,
    given: FieldCall['arguments'] = {},
    made: (() => number) | null = null,
  ): Promise<Decoded> {
    this.throwIfGone();
    if (this.#left === 0) throw this.refusal('calls');
    this.#left--;
    try {
      const decoded = await work();
      this.#spending?.called(cost, given, made?.() ?? decoded.calls);
      this.#spending?.took(decoded);
      return decoded;
    } catch (caught) {
      if (caught instanceof FailureOfOthers) throw caught.cause;
      // What cannot be written is not sent.
      if (caught instanceof InputError) this.#left++;
      else this.#spending?.called(cost, given, made?.() ?? 1);
      throw caught;
    }
  }

  /** The refusal of parts of the request: one for all of them, of which those who observe it are told. */
  refusal(limit: RunLimit): Refusal {
    const known = this.#refusals.get(limit);
    if (known !== undefined) return known;
    const refusal = refuseByLimit(GRAPHQL_LIMITS[limit].refusal, `limits.graphql.${limit}`, this.#limits[limit]);
    this.#refusals.set(limit, refusal);
    this.#refused(refusal);
    return refusal;
  }

  /** Throws `CLIENT_GONE` when nobody waits any more. */
  throwIfGone(): void {
    if (this.#signal.aborted) throw new Refusal('CLIENT_GONE');
  }
}

/** Lets so many things run side by side; the others wait in order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
