import type { RefusalCode } from '../refusals/refusals.js';

/** What is counted of an address since the start of the process, attempts of one call each. */
export class AddressTotals {
  calls = 0;
  /** Times its name could not be resolved. */
  failedLookups = 0;
  /**
   * Gets each attempt that is over, with the status of its answer, 0 for none, and its time in
   * seconds; null: none is wanted.
   */
  listener:
    | ((
        url: URL,
        method: string,
        status: number,
        code: RefusalCode | null,
        seconds: number,
      ) => void)
    | null = null;
  readonly failures = new Map<RefusalCode, number>();
  /** Ejections are counted by their reason. */
  readonly ejections = new Map<string, number>();

  /** Takes over what others have counted. */
  add({ calls, failedLookups, failures, ejections }: AddressTotals): void {
    this.calls += calls;
    this.failedLookups += failedLookups;
    for (const [code, count] of failures) {
      this.failures.set(code, (this.failures.get(code) ?? 0) + count);
    }
    for (const [reason, count] of ejections) {
      this.ejections.set(reason, (this.ejections.get(reason) ?? 0) + count);
    }
  }
}
