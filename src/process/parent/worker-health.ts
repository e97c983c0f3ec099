import type { Worker } from 'node:cluster';
import type { HealthResult } from '../../upstream/health.js';
import type { ToWorker } from './worker-messages.js';

/** Has one worker check backends, and passes its results about their health to the others. */
export class WorkerHealth {
  readonly #taking: ReadonlySet<Worker>;
  readonly #send: (worker: Worker, message: ToWorker) => void;
  #checking: Worker | null = null;

  /** `taking` are the workers that take requests. */
  constructor(taking: ReadonlySet<Worker>, send: (worker: Worker, message: ToWorker) => void) {
    this.#taking = taking;
    this.#send = send;
  }

  /** The workers have changed: where the one that checks has ended, the one that has run longest takes over. */
  elect(): void {
    if (this.#checking !== null && this.#taking.has(this.#checking)) return;
    const [first = null] = [...this.#taking].sort((one, other) => one.id - other.id);
    this.#checking = first;
    if (first !== null) this.#send(first, { kind: 'checkBackends' });
  }

  /** A worker has checked an address. */
  take(worker: Worker, result: HealthResult): void {
    if (worker !== this.#checking) return;
    for (const other of this.#taking) if (other !== worker) this.#send(other, { kind: 'health', result });
  }
}
