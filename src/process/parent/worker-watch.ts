import type { Worker } from 'node:cluster';

/** How often a worker is looked at within its time limit: a parent that was stopped itself misses one look only. */
const LOOKS = 10;
/** Between two looks where there is no limit. */
const LOOK_MILLIS = 1000;

interface WorkerWatchOptions {
  /** A worker that answers nothing for so long hangs; 0 is no limit. */
  readonly hangMillis: number;
  readonly ask: (worker: Worker) => void;
  readonly hung: (worker: Worker) => void;
}

/** Asks workers whether their event loop goes on, and reports those that do not answer. */
export class WorkerWatch {
  readonly #taking: ReadonlySet<Worker>;
  readonly #options: WorkerWatchOptions;
  readonly #lookMillis: number;
  /** Looks since a worker was asked that has not answered. */
  readonly #silent = new Map<Worker, number>();
  readonly #timer: NodeJS.Timeout;

  /** `taking` are the workers that take requests. */
  constructor(taking: ReadonlySet<Worker>, options: WorkerWatchOptions) {
    this.#taking = taking;
    this.#options = options;
    this.#lookMillis = options.hangMillis === 0 ? LOOK_MILLIS : options.hangMillis / LOOKS;
    this.#timer = setInterval(() => this.#look(), this.#lookMillis).unref();
  }

  /** The longest time that one of the workers has not answered for. */
  get silentMillis(): number {
    return Math.max(0, ...this.#silent.values()) * this.#lookMillis;
  }

  /** A worker has answered, or has ended. */
  clear(worker: Worker): void {
    this.#silent.delete(worker);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const worker of this.#taking) {
      const silent = this.#silent.get(worker);
      this.#silent.set(worker, (silent ?? -1) + 1);
      if (silent === undefined) this.#options.ask(worker);
      else if (silent + 1 === LOOKS && this.#options.hangMillis > 0) this.#options.hung(worker);
    }
  }
}
