import type { ConsoleSources } from '../../console/console.js';
import { stateOf } from '../../console/state.js';
import { NotAvailable } from '../../observe/admin.js';
import type { HourReport } from '../../observe/hour-report.js';
import { endOfHours, mergeHours } from '../../observe/last-hour.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { mergeRecent } from '../../observe/recent.js';
import { askAll, askAny, type Worker } from './worker.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** What the console shows of all workers. */
export class WorkerConsole {
  readonly #taking: ReadonlySet<Worker>;
  /** The hours of workers that have ended, as one. */
  #endedHour: HourReport | null = null;

  /** `taking` are the workers that take requests at the moment. */
  constructor(taking: ReadonlySet<Worker>) {
    this.#taking = taking;
  }

  /** A worker that ends has sent its last hour. */
  takeHour(hour: HourReport): void {
    const ended = this.#endedHour === null ? [] : [this.#endedHour];
    // The worker that has just ended knows the time; the clock of another may have been ahead.
    this.#endedHour = mergeHours([...ended, hour], endOfHours([hour]));
  }

  sources(
    metrics: WorkerMetrics,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ): ConsoleSources {
    return {
      state: async () => {
        const [lists, list] = await Promise.all([
          askAll(this.#taking, 'recent', null),
          metrics.list(),
        ]);
        return stateOf(list, metrics.pace, loads, mergeRecent(lists));
      },
      hour: async () => {
        const hours = await askAll(this.#taking, 'hour', null);
        const ended = this.#endedHour === null ? [] : [this.#endedHour];
        // Null where no worker answers: an hour of workers that have ended is not the present.
        const merged = mergeHours([...ended, ...hours], endOfHours(hours));
        if (merged === null) throw new NotAvailable('no worker answers');
        return merged;
      },
      description: () => askAny(this.#taking, 'description', null),
      operation: (service, name) => askAny(this.#taking, 'operation', { service, name }),
      trafficUrl,
    };
  }
}
