import type { Admitted } from '../admission/admit.js';
import { costOf } from '../admission/cost/cost.js';

/** `extensions.cost` of an answer, in points. */
export interface CostReport {
  /** Estimated before anything ran, and taken from the budget. */
  readonly requestedQueryCost: number;
  /** The cost of the run; 0 where nothing ran. */
  readonly actualQueryCost: number;
  /** Absent where the client has no budget. */
  readonly throttleStatus?: Throttle;
  /** Calls that were made; reported with `fields` only. */
  readonly calls?: number;
  /** Bytes of their replies. */
  readonly replyBytes?: number;
  /**
   * The estimated cost of each field without those beneath it, by response keys with dots between
   * them.
   */
  readonly fields?: Readonly<Record<string, number>>;
}

/** The balance of a client's budget, after this request. */
export interface Throttle {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points per second. */
  readonly restoreRate: number;
}

export function costReport(
  requested: number,
  actual: number,
  throttle: Throttle | null,
): CostReport {
  const report = { requestedQueryCost: requested, actualQueryCost: actual };
  return throttle === null ? report : { ...report, throttleStatus: throttle };
}

/** Paths that are listed: the report must not be longer than the answer. */
const PATHS_MAX = 1000;

/** The estimated cost of each field of an admitted operation, the dearest first. */
export function costByField({
  operation,
  document,
  variables,
  costs,
}: Admitted): Readonly<Record<string, number>> {
  const points = new Map<string, number>();
  costOf(costs, operation, document.fragments, variables, (path, cost) => {
    if (points.has(path) || points.size < PATHS_MAX) {
      points.set(path, (points.get(path) ?? 0) + cost);
    }
  });
  return Object.fromEntries(
    [...points].filter(([, cost]) => cost > 0).sort(([, one], [, other]) => other - one),
  );
}
