import { monitorEventLoopDelay } from 'node:perf_hooks';

import { KIB, type Limits, type LimitTable, MIB } from '../base/limit.js';

/** When this process has more to do than it can. */
export const OVERLOAD_LIMITS = {
  eventLoopMillis: {
    default: 100,
    min: 0,
    max: 60_000,
    unit: 'millis',
    refusal: 'OVERLOADED',
    text: 'New requests are refused when the event loop comes later than this to its work (99th percentile) for three seconds on end; 0 never refuses.',
  },
  recoverMillis: {
    default: 50,
    min: 1,
    max: 60_000,
    unit: 'millis',
    refusal: null,
    text: 'New requests are taken again when the event loop is no later than this.',
  },
  logBacklogBytes: {
    default: 8 * MIB,
    min: 64 * KIB,
    max: 256 * MIB,
    unit: 'bytes',
    refusal: null,
    text: 'Bytes of log lines kept while nobody takes them; further lines are dropped and counted.',
  },
} as const satisfies LimitTable;

export type OverloadLimits = Limits<typeof OVERLOAD_LIMITS>;

/** How late the event loop was since it was last asked, in milliseconds. */
export interface DelayMeter {
  /** The 99th percentile; begins to measure anew. */
  take(): number;
  stop(): void;
}

/** How often the loop's delay is looked at. A second holds 200 measurements while the loop is on time. */
const SAMPLE_MILLIS = 1000;
const RESOLUTION_MILLIS = 5;
/** Looks on end that must find it late: warming up, collecting garbage and a busy neighbour are no overload. */
const LATE_LOOKS = 3;

/**
 * Says whether this process is overloaded: its event loop comes too late to its work. Requests read a boolean; what it
 * says is decided once a second (catalogue O03).
 */
export class Overload {
  isShedding = false;
  /** The last measurement. */
  delayMillis = 0;
  readonly #limits: OverloadLimits;
  readonly #meter: DelayMeter;
  readonly #timer: NodeJS.Timeout;
  #lateLooks = 0;

  constructor(limits: OverloadLimits, meter: DelayMeter = makeDelayMeter()) {
    this.#limits = limits;
    this.#meter = meter;
    this.#timer = setInterval(() => this.sample(), SAMPLE_MILLIS).unref();
  }

  sample(): void {
    const { eventLoopMillis, recoverMillis } = this.#limits;
    this.delayMillis = this.#meter.take();
    if (eventLoopMillis === 0) return;
    // A bound to recover above the one to shed would make no sense of either.
    const bound = this.isShedding ? Math.min(recoverMillis, eventLoopMillis) : eventLoopMillis;
    this.#lateLooks = this.delayMillis > bound ? this.#lateLooks + 1 : 0;
    this.isShedding = this.#lateLooks >= LATE_LOOKS;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#meter.stop();
  }
}

/** Node's own, which counts its interval in: without it, an idle loop would seem late. */
function makeDelayMeter(): DelayMeter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  histogram.enable();
  return {
    take() {
      // Without a single measurement it tells of none.
      const millis = histogram.count === 0 ? 0 : histogram.percentile(99) / 1e6 - RESOLUTION_MILLIS;
      histogram.reset();
      return Math.max(0, millis);
    },
    stop: () => void histogram.disable(),
  };
}
