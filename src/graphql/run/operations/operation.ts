import type { ExecutionResult, OperationTypeNode } from 'graphql';
import type { ReplyReceiver } from '../../../codec/index.js';
import { asRefusal, Refusal } from '../../../core/index.js';
import {
  type Admission,
  type Admitted,
  admit,
  type GraphqlParams,
  isLongUncached,
  prepareIntrospection,
} from '../../admission/admit.js';
import { CostTable } from '../../admission/cost/cost-table.js';
import { Spending } from '../../admission/cost/spending.js';
import { DocumentCache } from '../../admission/document-cache.js';
import { rawParams } from '../../admission/params.js';
import {
  NOTHING_PERSISTED,
  type PersistedDocuments,
  type ResolvedParams,
} from '../../admission/persisted.js';
import type { TrustedDocuments } from '../../admission/trusted-documents.js';
import { closedError, refusalErrors, withId } from '../../errors.js';
import type { GraphqlLimits, MeasurableLimit } from '../../limits.js';
import type { FieldRights } from '../../schema/rights/field-rights.js';
import { type CostReport, costByField, costReport, type Throttle } from '../cost-report.js';
import { type Execution, executeOperation } from '../execute.js';
import type { CallToCheck } from '../field-call.js';
import { asksForHiddenSdl } from '../hidden-sdl.js';
import type { PlannedSchema } from '../root-plan.js';

/** The GraphQL part of one generation of the configuration. */
export interface GraphqlOptions {
  readonly built: PlannedSchema;
  readonly limits: GraphqlLimits;
  /** Limits that are only measured; none by default. */
  readonly measured?: readonly MeasurableLimit[];
  readonly introspection: boolean;
  /** How many requests a batch may hold; without it there are no batches. */
  readonly batch?: number;
  /** Documents that requests may name; without it they cannot. */
  readonly persisted?: PersistedDocuments;
  readonly trusted?: TrustedDocuments | null;
}

/** The shared parts of all operations of one generation, whatever transport carries them. */
export interface Operations {
  readonly built: PlannedSchema;
  readonly limits: GraphqlLimits;
  readonly admission: Admission;
  /** Admits documents that the gateway writes itself: where only trusted ones are run, too. */
  readonly ownAdmission: Admission;
  readonly persisted: PersistedDocuments;
}

export function operationsOf(options: GraphqlOptions): Operations {
  const {
    built,
    limits,
    measured,
    introspection,
    persisted = NOTHING_PERSISTED,
    trusted = null,
  } = options;
  const admission = {
    schema: built.schema,
    limits,
    measured: new Set(measured),
    introspection,
    documents: new DocumentCache(trusted?.documents, limits.planBytes),
    trusted,
    costs: new CostTable({ ...built, limits }),
  };
  return { built, limits, admission, ownAdmission: { ...admission, trusted: null }, persisted };
}

/**
 * The connection of one operation to the rest of the gateway: its caller, its backends, its record.
 */
export interface OperationHost
  extends Pick<Execution, 'callField' | 'checkCall' | 'sendToSubschema' | 'pageOwner' | 'signal'> {
  /** The rights of the caller to fields; null or absent where all callers have the same. */
  readonly rights?: FieldRights | null;
  /** The id of the exchange in the log: `extensions.id` of its errors. */
  readonly id?: string;
  /** The caller has asked for the cost of each field, and may know it. */
  readonly wantsBreakdown?: boolean;
  /** The caller may read the SDL of the subgraph while introspection is off. */
  readonly isRouter?: boolean;
  /** Waits for the turn of a document that takes long to read; absent: it is read at once. */
  turn?(): Promise<void>;
  /**
   * Asks a decision point about an operation. Rejects with `FORBIDDEN`. Null or absent where there
   * is none.
   */
  readonly consult?: ((admitted: Admitted) => Promise<void>) | null;
  /**
   * Takes the points of an operation that the caller may call. Throws `FORBIDDEN`, `RATE_LIMITED`,
   * `MAX_COST_LIMIT`.
   */
  authorizeAndCharge?(admitted: Admitted): void;
  /** Charges for what is no operation; false, and no charge, where the caller cannot pay. */
  pay?(points: number): boolean;
  /** Refunds or charges the difference between the estimate and what the operation came to. */
  reconcile?(actualCost: number): void;
  /** The balance of the caller's budget; null where it has none. */
  throttle?(): Throttle | null;
  /** Records that nothing was run, or that a part was not because it is beyond a limit. */
  refused?(refusal: Refusal): void;
}

/*
 * The life of a GraphQL operation. It is the same for HTTP, an item of a batch, server-sent events,
 * a WebSocket message and an event of a subscription: they differ in how they answer, how they
 * delay a refusal, and what waits for a permit.
 *
 *     find document -> wait for a turn -> admit        by `admitOperation`
 *     -> authorize and charge                          by `authorizeAndCharge`
 *     -> run -> reconcile -> report
 */

/**
 * Finds the document of a request, waits for a turn if it is long, and admits. Rejects with a
 * `Refusal`.
 */
export async function admitOperation(
  raw: unknown,
  operations: Operations,
  host: Pick<OperationHost, 'turn' | 'rights' | 'consult'>,
): Promise<AdmittedOperation> {
  const found = operations.persisted.resolve(rawParams(raw));
  const params = found instanceof Promise ? await found : found;
  if (isLongUncached(params, operations.admission)) {
    await host.turn?.();
  }
  if (params.query.includes('__')) {
    await prepareIntrospection(params, operations.admission);
  }
  const admitted = admit(params, operations.admission, host.rights ?? null);
  if (host.consult != null) {
    await host.consult(admitted);
  }
  return new AdmittedOperation(operations, params, admitted);
}

/**
 * Admits a document that the gateway has written itself: nothing is found or remembered for it.
 * Rejects with a `Refusal`.
 */
export async function admitOwnOperation(
  params: GraphqlParams,
  operations: Operations,
  host: Pick<OperationHost, 'rights' | 'consult'>,
): Promise<AdmittedOperation> {
  const admitted = admit(params, operations.ownAdmission, host.rights ?? null);
  if (host.consult != null) {
    await host.consult(admitted);
  }
  return new AdmittedOperation(operations, null, admitted);
}

/** An operation that keeps the limits, and has to be authorized and paid for. */
export class AdmittedOperation {
  readonly admitted: Admitted;
  readonly #operations: Operations;
  /** Null where nothing is to be remembered of the request. */
  readonly #params: ResolvedParams | null;

  constructor(operations: Operations, params: ResolvedParams | null, admitted: Admitted) {
    this.#operations = operations;
    this.#params = params;
    this.admitted = admitted;
  }

  get type(): `${OperationTypeNode}` {
    return this.admitted.operation.operation;
  }

  /**
   * Copies the operation at another price, in points: each event of a subscription is charged anew.
   */
  at(cost: number): AdmittedOperation {
    return new AdmittedOperation(this.#operations, null, { ...this.admitted, cost });
  }

  /**
   * Throws `INTROSPECTION_DISABLED`, `FORBIDDEN`, `RATE_LIMITED` or `MAX_COST_LIMIT`. A document is
   * remembered only when it is paid for.
   */
  authorizeAndCharge(host: OperationHost): ChargedOperation {
    if (host.isRouter !== true && asksForHiddenSdl(this.admitted, this.#operations.built)) {
      throw new Refusal('INTROSPECTION_DISABLED');
    }
    host.authorizeAndCharge?.(this.admitted);
    if (this.#params !== null) {
      this.#operations.persisted.register(this.#params, (points) => host.pay?.(points) ?? true);
    }
    return new ChargedOperation(this.#operations, this.admitted, host);
  }
}

/** An operation that may run. */
export class ChargedOperation {
  readonly #operations: Operations;
  readonly #admitted: Admitted;
  readonly #host: OperationHost;

  constructor(operations: Operations, admitted: Admitted, host: OperationHost) {
    this.#operations = operations;
    this.#admitted = admitted;
    this.#host = host;
  }

  /**
   * Runs it, once. `receiver` gets parts of the answer of its one field. Rejects with `CLIENT_GONE`
   * when the client has gone, or with a bug.
   */
  run(receiver: ReplyReceiver | null = null): Promise<ExecutionResult> {
    return this.#run(receiver, false);
  }

  /**
   * Runs it as `run` does, for an answer that is sent as JSON text: fields of `data` may be
   * `WrittenJson`.
   */
  runForText(): Promise<ExecutionResult> {
    return this.#run(null, true);
  }

  async #run(receiver: ReplyReceiver | null, isText: boolean): Promise<ExecutionResult> {
    const { built, limits } = this.#operations;
    const { callField, sendToSubschema = null, signal } = this.#host;
    const refused = (refusal: Refusal): void => this.#host.refused?.(refusal);
    const spending = new Spending(limits);
    const checkCall = (call: CallToCheck): void => this.#host.checkCall?.(call);
    const pageOwner: Execution['pageOwner'] = (bound, isOf) =>
      this.#host.pageOwner?.(bound, isOf) ?? null;
    const own = {
      built,
      callField,
      pageOwner,
      checkCall,
      sendToSubschema,
      signal,
      limits,
      refused,
      spending,
      receiver,
      isText,
    };
    const ran = await executeOperation(this.#admitted, own);
    this.#host.reconcile?.(spending.points);
    return this.#report(ran, spending);
  }

  #report(ran: ExecutionResult, spending: Spending): ExecutionResult {
    const extensions = { cost: this.#costReport(spending) };
    if (ran.errors === undefined) return { ...ran, extensions };
    const errors = this.#admitted.isOpen ? ran.errors : ran.errors.map(closedError);
    return { ...ran, errors: withId(errors, this.#host.id), extensions };
  }

  #costReport(spending: Spending): CostReport {
    const { points, calls, replyBytes } = spending;
    const report = costReport(this.#admitted.cost, points, this.#host.throttle?.() ?? null);
    if (this.#host.wantsBreakdown !== true) return report;
    return { ...report, calls, replyBytes, fields: costByField(this.#admitted) };
  }
}

/** An operation of which nothing was run. */
export interface RefusedOperation {
  readonly refusal: Refusal;
  /** The answer to the client. */
  readonly result: ExecutionResult;
}

/**
 * Records a refusal, and reports it to the caller. `admitted` is the operation, if it came as far
 * as that.
 */
export function refuseOperation(
  caught: unknown,
  host: OperationHost,
  admitted: AdmittedOperation | null = null,
): RefusedOperation {
  const refusal = asRefusal(caught);
  host.refused?.(refusal);
  const errors = refusalErrors(refusal, host.id);
  const cost = admitted?.admitted.cost ?? estimateOf(refusal);
  if (cost === null || !TELLS_COST.has(refusal.code)) return { refusal, result: { errors } };
  return {
    refusal,
    result: { errors, extensions: { cost: costReport(cost, 0, host.throttle?.() ?? null) } },
  };
}

/** Refusals in which the estimate helps the caller: it is too much, or too much for now. */
const TELLS_COST: ReadonlySet<Refusal['code']> = new Set([
  'MAX_COST_LIMIT',
  'RATE_LIMITED',
  'FORBIDDEN',
]);

/** The estimate of an operation that is too expensive; null where it was not made. */
const estimateOf = ({ code, found }: Refusal): number | null =>
  code === 'MAX_COST_LIMIT' && typeof found === 'number' ? found : null;
