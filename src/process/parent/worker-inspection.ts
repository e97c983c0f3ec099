import type { InspectControl } from '../../flow/inspect/inspect-pages.js';
import { NotAvailable } from '../../observe/admin.js';
import { askInTime, type Worker } from './worker.js';

/** Exchanges that are listed of an operation: each worker keeps the latest of its own. */
const LISTED_MAX = 100;

/** The exchanges that all workers keep. */
export const workerInspection = (taking: ReadonlySet<Worker>): InspectControl => ({
  async list(service, operation) {
    if (taking.size === 0) throw new NotAvailable('no worker answers');
    const asked = [...taking].map((worker) =>
      askInTime(worker, 'exchanges', { service, operation }),
    );
    const lists = (await Promise.all(asked)).filter((list) => list !== null);
    if (lists.length === 0) return null;
    return lists
      .flat()
      .sort((one, other) => other.startedMillis - one.startedMillis)
      .slice(0, LISTED_MAX);
  },
  async show(query, by) {
    for (const worker of [...taking]) {
      const found = await askInTime(worker, 'exchange', { query, by });
      if (found !== null) return found;
    }
    return null;
  },
});
