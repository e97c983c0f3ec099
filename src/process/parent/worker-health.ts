import type { healthChecks } from '../../upstream/index.js';
import type { Worker } from './worker.js';

/** Has one worker check backends, and passes its results about their health to the others. */
export class WorkerHealth {
  readonly #taking: ReadonlySet<Worker>;
  #checking: Worker | null = null;

  /** `taking` are the workers that take requests, the one that has run longest first. */
  constructor(taking: ReadonlySet<Worker>) {
    this.#taking = taking;
  }

  /**
   * The workers have changed: where the one that checks has ended, the one that has run longest
   * takes over.
   */
  elect(): void {
    if (this.#checking !== null && this.#taking.has(this.#checking)) return;
    const [first = null] = this.#taking;
    this.#checking = first;
    void first?.channel.tell('checkBackends', null);
  }

  /** A worker has checked an address. */
  take(worker: Worker, result: healthChecks.HealthResult): void {
    if (worker !== this.#checking) return;
    for (const other of this.#taking) {
      if (other !== worker) {
        void other.channel.tell('health', result);
      }
    }
  }
}
