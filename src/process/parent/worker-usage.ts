import { mergeUsage, type UsageReport } from '../../observe/usage.js';
import { askInTime, type Worker } from './worker.js';

/**
 * The usage of all workers, added up. Of a worker that does not answer the last report that was
 * seen counts, of one that has ended as well.
 */
export class WorkerUsage {
  readonly #latest = new Map<Worker, UsageReport>();
  #ended: UsageReport | null = null;
  readonly #taking: ReadonlySet<Worker>;

  /** `taking` are the workers that take requests at the moment. */
  constructor(taking: ReadonlySet<Worker>) {
    this.#taking = taking;
  }

  /** A worker has sent its report. */
  take(worker: Worker, report: UsageReport): void {
    this.#latest.set(worker, report);
  }

  /** Nothing more comes from this worker. */
  retire(worker: Worker): void {
    const last = this.#latest.get(worker);
    if (last === undefined) return;
    this.#latest.delete(worker);
    this.#ended = this.#ended === null ? last : mergeUsage([this.#ended, last]);
  }

  /** Asks all workers. */
  async report(): Promise<UsageReport> {
    const takeOne = async (worker: Worker): Promise<void> => {
      const report = await askInTime(worker, 'usage', null);
      if (report !== null) {
        this.take(worker, report);
      }
    };
    await Promise.all([...this.#taking].map(takeOne));
    const latest = [...this.#latest.values()];
    return mergeUsage(this.#ended === null ? latest : [this.#ended, ...latest]);
  }
}
