import type { ConsoleSources } from '../../console/console.js';
import { stateOf } from '../../console/state.js';
import { NotAvailable } from '../../observe/admin.js';
import type { HourReport } from '../../observe/hour-report.js';
import { mergeHours } from '../../observe/last-hour.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { mergeRecent } from '../../observe/recent.js';
import type { WorkerCalls } from '../calls.js';
import { askAny, askInTime, type Worker } from './worker.js';
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
    this.#endedHour = mergeHours(this.#endedHour === null ? [hour] : [this.#endedHour, hour]);
  }

  sources(
    metrics: WorkerMetrics,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ): ConsoleSources {
    return {
      state: async () => {
        const [lists, list] = await Promise.all([this.#askAll('recent', null), metrics.list()]);
        return stateOf(list, metrics.pace, loads, mergeRecent(lists));
      },
      hour: async () => {
        const hours = await this.#askAll('hour', null);
        const ended = this.#endedHour === null ? [] : [this.#endedHour];
        const merged = mergeHours([...ended, ...hours]);
        if (merged === null) throw new NotAvailable('no worker answers');
        return merged;
      },
      description: () => askAny(this.#taking, 'description', null),
      operation: (service, name) => askAny(this.#taking, 'operation', { service, name }),
      trafficUrl,
    };
  }

  /** The answers of those that answer in time. */
  async #askAll<K extends keyof WorkerCalls>(
    call: K,
    data: WorkerCalls[K]['data'],
  ): Promise<readonly NonNullable<WorkerCalls[K]['answer']>[]> {
    const answers = await Promise.all(
      [...this.#taking].map((worker) => askInTime(worker, call, data)),
    );
    const isAnswer = (each: (typeof answers)[number]): each is NonNullable<typeof each> =>
      each !== null;
    return answers.filter(isAnswer);
  }
}
