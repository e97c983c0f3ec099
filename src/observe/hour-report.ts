/** The requests of one route in each slot. */
export interface RouteHour {
  readonly route: string;
  readonly requests: readonly number[];
  readonly refused: readonly number[];
  readonly failed: readonly number[];
}

/** The requests of the last hour, the oldest slot first; less than an hour after a start. */
export interface HourReport {
  readonly slotSeconds: number;
  /** The beginning of the first slot: seconds since 1970. */
  readonly fromSeconds: number;
  /** Upper bounds of times, in seconds. */
  readonly bounds: readonly number[];
  /** For each slot the requests by their time, not cumulative; the last are beyond all bounds. */
  readonly times: readonly (readonly number[])[];
  readonly total: RouteHour;
  readonly routes: readonly RouteHour[];
}
