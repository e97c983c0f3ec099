import type { InspectControl } from '../../flow/inspect/inspect-pages.js';
import { NotAvailable } from '../../observe/admin.js';
import { askAll, askAny, type Worker } from './worker.js';

/** Exchanges that are listed of an operation: each worker keeps the latest of its own. */
const LISTED_MAX = 100;

/** The exchanges that all workers keep. Throws `NotAvailable` where no worker answers. */
export const workerInspection = (taking: ReadonlySet<Worker>): InspectControl => ({
  async list(service, operation) {
    const answers = await askAll(taking, 'exchanges', { service, operation });
    if (answers.length === 0) throw new NotAvailable('no worker answers');
    const lists = answers.filter((list) => list !== null);
    if (lists.length === 0) return null;
    return lists
      .flat()
      .sort((one, other) => other.startedMillis - one.startedMillis)
      .slice(0, LISTED_MAX);
  },
  // An exchange is kept by one worker, which alone records that it was shown.
  show: (query, by) => askAny(taking, 'exchange', { query, by }, (found) => found !== null),
});
