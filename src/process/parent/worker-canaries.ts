import type { CanaryControl } from '../../flow/canary/canary-page.js';
import type { WorkerCalls } from '../calls.js';
import { askInTime, type Worker } from './worker.js';

/** The canaries of all workers: any of them knows the shares, and tells the others of a move. */
export function workerCanaries(taking: ReadonlySet<Worker>): CanaryControl {
  const askAny = async <K extends 'canary' | 'moveCanary'>(
    call: K,
    data: WorkerCalls[K]['data'],
  ): Promise<WorkerCalls[K]['answer'] | null> => {
    const [worker] = taking;
    return worker === undefined ? null : askInTime(worker, call, data);
  };
  return {
    find: (service) => askAny('canary', service),
    move: (service, share, by) => askAny('moveCanary', { service, share, by }),
  };
}
