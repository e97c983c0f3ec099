import { costOf } from '../cost/cost.js';
import type { Spending } from '../cost/cost-actual.js';
import type { Admitted } from './admit.js';

/** `extensions.cost` of an answer, in points. */
export interface CostReport {
  /** Estimated before anything ran, and taken from the budget. */
  readonly requestedQueryCost: number;
  /** What it came to; 0 where nothing ran. */
  readonly actualQueryCost: number;
  /** Absent where the client has no budget. */
  readonly throttleStatus?: Throttle;
  /** Calls that were made; told with `fields` only. */
  readonly calls?: number;
  /** Bytes of their replies. */
  readonly replyBytes?: number;
  /** What each field was estimated to cost, without those beneath it, by response keys with dots between them. */
  readonly fields?: Readonly<Record<string, number>>;
}

/** What a client has left of its budget, after this request. */
export interface Throttle {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points per second. */
  readonly restoreRate: number;
}

/** Who is told what an operation came to, and what is left then. */
export interface Settlement {
  settled?(actualCost: number): void;
  throttle?(): Throttle | null;
  /** The caller has asked what each field costs, and may know. */
  readonly wantsBreakdown?: boolean;
}

export const costReport = (requested: number, actual: number, throttle: Throttle | null): CostReport => ({
  requestedQueryCost: requested,
  actualQueryCost: actual,
  ...(throttle === null ? {} : { throttleStatus: throttle }),
});

/** Settles what an operation came to, and reports it. To be called once, when it ran to its end. */
export function settle(admitted: Admitted, spending: Spending, by: Settlement): CostReport {
  by.settled?.(spending.points);
  const report = costReport(admitted.cost, spending.points, by.throttle?.() ?? null);
  if (by.wantsBreakdown !== true) return report;
  const { calls, replyBytes } = spending;
  return { ...report, calls, replyBytes, fields: costByField(admitted) };
}

/** Paths that are listed: an answer is not to be longer than what it explains. */
const PATHS_MAX = 1000;

/** What each field of an admitted operation is estimated to cost, the dearest first. */
export function costByField({ operation, document, variables, costs }: Admitted): Readonly<Record<string, number>> {
  const points = new Map<string, number>();
  costOf(costs, operation, document.fragments, variables, (path, cost) => {
    if (points.has(path) || points.size < PATHS_MAX) points.set(path, (points.get(path) ?? 0) + cost);
  });
  return Object.fromEntries([...points].filter(([, cost]) => cost > 0).sort(([, one], [, other]) => other - one));
}

/** The answer to what is too expensive, with what it would have cost. */
export function withRefusedCost(body: string | null, requested: number, throttle: Throttle | null): string | null {
  if (body?.startsWith('{"errors":[') !== true || !body.endsWith(']}')) return body;
  return `${body.slice(0, -1)},"extensions":${JSON.stringify({ cost: costReport(requested, 0, throttle) })}}`;
}
