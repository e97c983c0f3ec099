import type { ConsoleState } from '../../console/answers.js';
import type { ConsoleSources } from '../../console/console.js';
import { stateOf } from '../../console/state.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { mergeRecent } from '../../observe/recent.js';
import type { WorkerCalls } from '../calls.js';
import { askInTime, type Worker } from './worker.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** What the console shows of all workers. */
export class WorkerConsole implements ConsoleSources {
  readonly #taking: ReadonlySet<Worker>;
  readonly #metrics: WorkerMetrics;
  readonly #loads: ConfigLoads;
  readonly trafficUrl: () => string | null;

  constructor(
    taking: ReadonlySet<Worker>,
    metrics: WorkerMetrics,
    loads: ConfigLoads,
    trafficUrl: () => string | null,
  ) {
    this.#taking = taking;
    this.#metrics = metrics;
    this.#loads = loads;
    this.trafficUrl = trafficUrl;
  }

  async state(): Promise<ConsoleState> {
    const asked = [...this.#taking].map((worker) => askInTime(worker, 'recent', null));
    const [lists, metrics] = await Promise.all([Promise.all(asked), this.#metrics.list()]);
    return stateOf(metrics, this.#loads, mergeRecent(lists.flatMap((list) => list ?? [])));
  }

  async description(): ReturnType<ConsoleSources['description']> {
    const description = await this.#askAny('description', null);
    if (description === null) throw new Error('no worker answered');
    return description;
  }

  operation(service: string, name: string): ReturnType<ConsoleSources['operation']> {
    return this.#askAny('operation', { service, name });
  }

  async #askAny<K extends keyof WorkerCalls>(
    call: K,
    data: WorkerCalls[K]['data'],
  ): Promise<WorkerCalls[K]['answer'] | null> {
    const [worker] = this.#taking;
    return worker === undefined ? null : askInTime(worker, call, data);
  }
}
