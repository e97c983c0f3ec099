/** `extensions.cost` of an answer, in points. */
export interface CostReport {
  /** Estimated before anything ran, and taken from the budget. */
  readonly requestedQueryCost: number;
  /** What it came to; 0 where nothing ran. */
  readonly actualQueryCost: number;
  /** Absent where the client has no budget. */
  readonly throttleStatus?: Throttle;
}

/** What a client has left of its budget, after this request. */
export interface Throttle {
  readonly maximumAvailable: number;
  readonly currentlyAvailable: number;
  /** Points per second. */
  readonly restoreRate: number;
}

export const costReport = (requested: number, actual: number, throttle: Throttle | null): CostReport => ({
  requestedQueryCost: requested,
  actualQueryCost: actual,
  ...(throttle === null ? {} : { throttleStatus: throttle }),
});
