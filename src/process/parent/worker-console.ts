import type { ConsoleSources } from '../../console/console.js';
import { stateOf } from '../../console/state.js';
import type { ConfigLoads } from '../../observe/metrics/gauges.js';
import { mergeRecent } from '../../observe/recent.js';
import type { WorkerCalls } from '../calls.js';
import { askInTime, type Worker } from './worker.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** What the console shows of all workers; `taking` are those that take requests. */
export function workerConsole(
  taking: ReadonlySet<Worker>,
  metrics: WorkerMetrics,
  loads: ConfigLoads,
  trafficUrl: () => string | null,
): ConsoleSources {
  const askAny = async <K extends keyof WorkerCalls>(
    call: K,
    data: WorkerCalls[K]['data'],
  ): Promise<WorkerCalls[K]['answer'] | null> => {
    const [worker] = taking;
    return worker === undefined ? null : askInTime(worker, call, data);
  };
  return {
    async state() {
      const asked = [...taking].map((worker) => askInTime(worker, 'recent', null));
      const [lists, list] = await Promise.all([Promise.all(asked), metrics.list()]);
      return stateOf(list, metrics.pace, loads, mergeRecent(lists.flatMap((each) => each ?? [])));
    },
    async description() {
      const description = await askAny('description', null);
      if (description === null) throw new Error('no worker answered');
      return description;
    },
    operation: (service, name) => askAny('operation', { service, name }),
    trafficUrl,
  };
}
