/** How the call of a second backend compares with that of the service. */
export type ShadowOutcome = 'same' | 'different' | 'failed' | 'skipped';

/** One call that was, or might have been, sent to a second backend. */
export interface ShadowReport {
  readonly operation: string;
  readonly outcome: ShadowOutcome;
  /** Paths at which the replies differ, as local names; empty unless `different`. */
  readonly paths: readonly string[];
  /** The request whose reply it is. */
  readonly id: string;
}

export interface ShadowBounds {
  /** The share of reads that are sent. */
  readonly share: number;
  readonly callsAtOnce: number;
  readonly waitingBytes: number;
}

/** The fraction whose multiples spread most evenly (the golden ratio). */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The calls of a second backend beside those of a service: which are sent, and their bounds. */
export class ShadowTraffic {
  readonly #bounds: ShadowBounds;
  #report: (report: ShadowReport) => void = () => {};
  #turn = Math.random();
  #calls = 0;
  #bytes = 0;

  constructor(bounds: ShadowBounds) {
    this.#bounds = bounds;
  }

  /** Replaces the listener of the process. */
  listen(report: (report: ShadowReport) => void): void {
    this.#report = report;
  }

  report(report: ShadowReport): void {
    this.#report(report);
  }

  /** Whether the next read is one of the share. */
  takesNext(): boolean {
    const { share } = this.#bounds;
    this.#turn = (this.#turn + GOLDEN) % 1;
    return share >= 1 || this.#turn < share;
  }

  /** Whether a further call may be made; then `leave` ends it. */
  enter(): boolean {
    if (this.#calls >= this.#bounds.callsAtOnce) return false;
    this.#calls++;
    return true;
  }

  leave(): void {
    this.#calls--;
  }

  /** Whether so many bytes may wait; then `release` ends that. */
  hold(bytes: number): boolean {
    if (this.#bytes + bytes > this.#bounds.waitingBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
