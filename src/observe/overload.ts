import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';

import { internal, KIB, type Limits, type LimitTable, limit, MIB } from '../core/index.js';

/** When this process has more to do than it can. */
export const OVERLOAD_LIMITS = {
  eventLoopMillis: limit(
    100,
    [0, 60_000],
    'millis',
    'OVERLOADED',
    'A rising share of new requests is refused while the event loop is busy all the time, ' +
      '16 requests or more are in progress, and the loop comes later than this to its work ' +
      '(99th percentile) or calls wait long for a connection to a backend, from the third such ' +
      'second on; 0 never refuses.',
  ),
  recoverMillis: internal(
    50,
    [1, 60_000],
    'millis',
    null,
    'A falling share of new requests is refused while the event loop is no later than this.',
  ),
  hangMillis: limit(
    30_000,
    [0, 3_600_000],
    'millis',
    null,
    'With `workers`, one whose event loop does not answer its parent for so long is killed ' +
      'and replaced; 0 never.',
  ),
  logBacklogBytes: limit(
    8 * MIB,
    [64 * KIB, 256 * MIB],
    'bytes',
    null,
    'Bytes of log lines kept while they are not read; further lines are dropped and counted.',
  ),
} satisfies LimitTable;

export type OverloadLimits = Limits<typeof OVERLOAD_LIMITS>;

/** The load of this process since the last reading. */
export interface Load {
  /** How late the event loop came to its work, in milliseconds: the 99th percentile. */
  readonly delayMillis: number;
  /** The part of the time in which the event loop was not waiting for events, 0 to 1. */
  readonly utilization: number;
  /**
   * The part of the time of one processor that this process had; more than 1 with several threads.
   */
  readonly processorShare: number;
}

/** The work in progress. */
export interface Work {
  /** Requests. */
  inFlight(): number;
  /**
   * Calls of a backend wait long for a connection. While the loop is busy, they wait for the
   * gateway and not for the backend.
   */
  hasLongQueue(): boolean;
}

export interface LoadMeter {
  /** Begins to measure anew. */
  take(): Load;
  stop(): void;
}

/** How often the load is looked at. */
const SAMPLE_MILLIS = 1000;
/**
 * Between two measurements of the delay: 200 a second show the loop of a busy process, and would
 * keep an idle one awake.
 */
const BUSY_RESOLUTION_MILLIS = 5;
const IDLE_RESOLUTION_MILLIS = 50;
/** Below this the process is idle: far from what counts for an overload. */
const IDLE_UTILIZATION = 0.5;
/** Looks on end that must find an overload: warming up and collecting garbage is none. */
const LATE_LOOKS = 3;

/**
 * Below this the loop has time left, and comes late because of single long tasks or of other
 * processes.
 */
const BUSY_UTILIZATION = 0.9;
/**
 * On a busy host the loop seems busy while it waits for a processor: with less than this it has
 * little to do.
 */
const BUSY_PROCESSOR_SHARE = 0.1;
/**
 * With fewer requests in progress none waits long for the others, and refusing some would not help
 * many.
 */
const IN_FLIGHT_MIN = 16;

/** Factors of the share of requests that are taken, in each late second and in each one on time. */
const TAKEN_DECREASE = 0.75;
const TAKEN_INCREASE = 1.1;
/** Some are always taken, so that there is something to measure. */
const TAKEN_MIN = 0.05;

/**
 * Decides which new requests to refuse because this process is overloaded (catalogue O03): its
 * event loop is busy all the time, many requests are in progress, and the loop is late or calls
 * wait long for a connection to a backend. A busy loop that bounds its calls is never late: further
 * calls wait in that queue. The share is adjusted once a second.
 */
export class Overload {
  /** The last measurement. */
  delayMillis = 0;
  readonly #limits: OverloadLimits;
  readonly #work: Work;
  readonly #meter: LoadMeter;
  readonly #timer: NodeJS.Timeout;
  #lateLooks = 0;
  #takenShare = 1;
  /** New requests since the last look, and how many of them were taken. */
  #offered = 0;
  #taken = 0;
  /** The part of a request that may still be taken. */
  #credit = 1;

  constructor(limits: OverloadLimits, work: Work, meter: LoadMeter = makeLoadMeter()) {
    this.#limits = limits;
    this.#work = work;
    this.#meter = meter;
    this.#timer = setInterval(() => this.sample(), SAMPLE_MILLIS).unref();
  }

  get isShedding(): boolean {
    return this.#takenShare < 1;
  }

  /** Whether the new request is to be refused: asked once for each. */
  shedsNext(): boolean {
    this.#offered++;
    if (this.isShedding) {
      this.#credit += this.#takenShare;
      if (this.#credit < 1) return true;
      this.#credit -= 1;
    }
    this.#taken++;
    return false;
  }

  sample(): void {
    const { eventLoopMillis, recoverMillis } = this.#limits;
    const { delayMillis, utilization, processorShare } = this.#meter.take();
    this.delayMillis = delayMillis;
    // The load if all requests had been taken.
    const wholeLoad = (utilization * Math.max(1, this.#offered)) / Math.max(1, this.#taken);
    this.#offered = 0;
    this.#taken = 0;
    if (eventLoopMillis === 0) return;
    const isBusy =
      utilization >= BUSY_UTILIZATION &&
      processorShare >= BUSY_PROCESSOR_SHARE &&
      this.#work.inFlight() >= IN_FLIGHT_MIN;
    const hasLongQueue = this.#work.hasLongQueue();
    const isLate = isBusy && (delayMillis > eventLoopMillis || hasLongQueue);
    this.#lateLooks = isLate ? this.#lateLooks + 1 : 0;
    if (isLate) {
      if (this.isShedding || this.#lateLooks >= LATE_LOOKS) {
        this.#takenShare = Math.max(TAKEN_MIN, this.#takenShare * TAKEN_DECREASE);
      }
    } else if (!isBusy || (delayMillis <= recoverMillis && !hasLongQueue)) {
      this.#takenShare =
        wholeLoad < BUSY_UTILIZATION ? 1 : Math.min(1, this.#takenShare * TAKEN_INCREASE);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#meter.stop();
  }
}

function makeLoadMeter(): LoadMeter {
  const busy = delays(BUSY_RESOLUTION_MILLIS);
  const idle = delays(IDLE_RESOLUTION_MILLIS);
  let current = busy;
  current.histogram.enable();
  let loop = performance.eventLoopUtilization();
  let processor = process.cpuUsage();
  let sinceMillis = performance.now();
  return {
    take() {
      // Node counts its interval in: without it, an idle loop would seem late. Without a
      // measurement it reports none.
      const { histogram, resolution } = current;
      const millis = histogram.count === 0 ? 0 : histogram.percentile(99) / 1e6 - resolution;
      const { utilization } = performance.eventLoopUtilization(loop);
      histogram.disable();
      // Forgets the last measurement, too: the time until it is enabled again is no delay.
      histogram.reset();
      current = utilization < IDLE_UTILIZATION ? idle : busy;
      current.histogram.enable();
      const { user, system } = process.cpuUsage(processor);
      const nowMillis = performance.now();
      const processorShare = (user + system) / 1000 / Math.max(1, nowMillis - sinceMillis);
      loop = performance.eventLoopUtilization();
      processor = process.cpuUsage();
      sinceMillis = nowMillis;
      return { delayMillis: Math.max(0, millis), utilization, processorShare };
    },
    stop: () => void current.histogram.disable(),
  };
}

const delays = (
  resolution: number,
): { readonly resolution: number; readonly histogram: IntervalHistogram } => ({
  resolution,
  histogram: monitorEventLoopDelay({ resolution }),
});
