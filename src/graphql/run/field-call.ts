import {
  type Decoded,
  InputError,
  type ReplyPlan,
  type ReplyReceiver,
  replyDecoding,
} from '../../codec/index.js';
import { type CancelSignal, collections, Refusal, refuseByLimit } from '../../core/index.js';
import type { Spending } from '../admission/cost/spending.js';
import { GRAPHQL_LIMITS, type GraphqlLimits } from '../limits.js';
import type { BoundField } from '../schema/fields/bound-field.js';
import { readCursor, rowsName } from '../schema/paging/cursor.js';
import type { PagePlan } from '../schema/paging/page-plan.js';
import { PageRun, type PageSource } from '../schema/paging/page-run.js';
import type { FieldCost } from '../schema/types/cost-rules.js';

/** One field that a backend answers: at the root, or a link. */
export interface FieldCall {
  readonly bound: BoundField;
  /**
   * The arguments by name, coerced by the schema; the encoder checks them against the types on the
   * wire.
   */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The header blocks' argument, {} by default. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly plan: ReplyPlan;
  /** The response key of a field of the root; absent for links. */
  readonly key?: string;
  /**
   * The plan of a field that is answered by several calls, one for each page; absent: one call
   * answers.
   */
  readonly pages?: PagePlan | null;
  /**
   * The page that the call asks for, in its lexical form; null or absent: none, or the first
   * without a name.
   */
  readonly page?: string | null;
  /**
   * Gets the items of a list that is the answer, one by one, or binary content; null or absent
   * where they are kept.
   */
  readonly receiver?: ReplyReceiver | null;
}

/** What the message of a call is written from. */
export type CallToCheck = Pick<FieldCall, 'bound' | 'arguments' | 'headers' | 'page'>;

/** Answers a field, or rejects with a `Refusal`. Its plan has shaped the value already. */
export type CallField = (call: FieldCall) => Promise<Decoded>;

/**
 * The failure of a call that another request made and paid for; its cause is reported as any other.
 */
export class SharedCallFailure extends Error {
  constructor(cause: unknown) {
    super('the failure of a shared call', { cause });
    this.name = 'SharedCallFailure';
  }
}

/** Names the caller for cursors of a field; see `Execution`. */
export type PageOwner = (
  bound: BoundField,
  isOf: (owner: string | null) => boolean,
) => string | null;

/** Limits that a request may reach while it runs. */
type RunLimit = 'calls' | 'links' | 'pages' | 'repeatedChars';
type RunLimits = Pick<GraphqlLimits, RunLimit | 'callsAtOnce'>;

/** The calls of one request, counted. */
export class RequestCalls {
  readonly #callField: CallField;
  readonly #signal: CancelSignal;
  readonly #refused: (refusal: Refusal) => void;
  readonly #spending: Spending | null;
  readonly #refusals = new Map<RunLimit, Refusal>();
  readonly #limits: RunLimits;
  readonly #pageOwner: PageOwner;
  #left: number;
  #pageConcurrency: collections.ConcurrencyLimit | null = null;

  constructor(
    callField: CallField,
    signal: CancelSignal,
    refused: (refusal: Refusal) => void,
    limits: RunLimits,
    spending: Spending | null = null,
    pageOwner: PageOwner = () => null,
  ) {
    this.#pageOwner = pageOwner;
    this.#callField = callField;
    this.#signal = signal;
    this.#refused = refused;
    this.#limits = limits;
    this.#left = limits.calls;
    this.#spending = spending;
  }

  /**
   * Rejects with `MAX_CALLS_LIMIT` when all calls are made, and with `CLIENT_GONE` when the client
   * has gone.
   */
  call(call: FieldCall): Promise<Decoded> {
    const { pages = null } = call;
    if (pages !== null) return this.#answerPages(call, pages);
    return this.counted(() => this.#callField(call), call.bound.cost ?? null, call.arguments);
  }

  /**
   * Calls for as many pages as the client wants rows of. They count as one of the calls of a
   * request.
   */
  #answerPages(call: FieldCall, plan: PagePlan): Promise<Decoded> {
    const { first = null, after = null, ...values } = call.arguments;
    const { service, operation, cost = null } = call.bound;
    const concurrency =
      this.#pageConcurrency ?? new collections.ConcurrencyLimit(this.#limits.callsAtOnce);
    this.#pageConcurrency = concurrency;
    const source: PageSource = {
      ask: (page, isFirst) =>
        concurrency.run(async () => {
          if (run.isOver) throw new Refusal('CLIENT_GONE', 'the page is not needed any more');
          const asked = { ...call, arguments: values, pages: null, page, receiver: null };
          return this.counted(() => this.#callField(asked), cost, values, null, !isFirst);
        }),
      throwIfGone: () => this.throwIfGone(),
      refusal: () => this.refusal('pages'),
      pagesMax: this.#limits.pages,
      atOnce: this.#limits.callsAtOnce,
      items: replyDecoding.receivedItems(call.receiver ?? null),
      taken: () => this.#taken(call.receiver ?? null),
    };
    const nameFor = (owner: string | null): string =>
      rowsName(`${service}.${operation.name}`, values, owner);
    const isNamed = plan.paging.kind === 'cursor';
    const isOf = (owner: string | null): boolean =>
      typeof after === 'string' && readCursor(after, nameFor(owner), isNamed) !== null;
    const wanted = {
      first: typeof first === 'number' ? first : null,
      after: typeof after === 'string' ? after : null,
      name: nameFor(this.#pageOwner(call.bound, isOf)),
    };
    const run = new PageRun(plan, wanted, source);
    return run.answer();
  }

  /** Waits until the client has read what it was handed out. */
  #taken(receiver: ReplyReceiver | null): Promise<void> {
    const waiting = receiver?.flush() ?? null;
    if (waiting === null) return Promise.resolve();
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(new Refusal('CLIENT_GONE'));
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.onResume(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  /**
   * Makes a call by running `work`, and rejects as `call` does. `callsMade` returns how many calls
   * it was, for the cost. `isFurther`: it belongs to a call that was counted.
   */
  async counted(
    work: () => Promise<Decoded>,
    cost: FieldCost | null = null,
    values: FieldCall['arguments'] = {},
    callsMade: (() => number) | null = null,
    isFurther = false,
  ): Promise<Decoded> {
    this.throwIfGone();
    if (this.#left === 0 && !isFurther) throw this.refusal('calls');
    if (!isFurther) {
      this.#left--;
    }
    try {
      const decoded = await work();
      this.#spending?.called(cost, values, callsMade?.() ?? decoded.calls);
      this.#spending?.took(decoded);
      return decoded;
    } catch (caught) {
      if (caught instanceof SharedCallFailure) throw caught.cause;
      // A request that cannot be written is not sent.
      if (caught instanceof InputError) {
        this.#left += isFurther ? 0 : 1;
      } else {
        this.#spending?.called(cost, values, callsMade?.() ?? 1);
      }
      throw caught;
    }
  }

  /** The refusal of parts of the request over a limit, made and recorded once. */
  refusal(limit: RunLimit): Refusal {
    const known = this.#refusals.get(limit);
    if (known !== undefined) return known;
    const refusal = refuseByLimit(
      GRAPHQL_LIMITS[limit].refusal,
      `limits.graphql.${limit}`,
      this.#limits[limit],
    );
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
