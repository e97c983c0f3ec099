import type { Worker } from './worker.js';

/**
 * How often a worker is looked at within its time limit: a parent that was stopped itself misses
 * one look only.
 */
const LOOKS = 10;
/** Between two looks where there is no limit. */
const LOOK_MILLIS = 1000;

/** Asks workers whether their event loop runs, and reports those that do not answer. */
export class WorkerWatch {
  readonly #taking: ReadonlySet<Worker>;
  readonly #hangMillis: number;
  readonly #hung: (worker: Worker) => void;
  readonly #lookMillis: number;
  /** Looks since a worker was asked that has not answered. */
  readonly #silent = new Map<Worker, number>();
  readonly #timer: NodeJS.Timeout;

  /**
   * `taking` are the workers that take requests. `hung` is called with one that answers nothing for
   * `hangMillis`; 0 is no limit.
   */
  constructor(taking: ReadonlySet<Worker>, hangMillis: number, hung: (worker: Worker) => void) {
    this.#taking = taking;
    this.#hangMillis = hangMillis;
    this.#hung = hung;
    this.#lookMillis = hangMillis === 0 ? LOOK_MILLIS : hangMillis / LOOKS;
    this.#timer = setInterval(() => this.#look(), this.#lookMillis).unref();
  }

  /** The longest time that one of the workers has not answered for. */
  get silentMillis(): number {
    return Math.max(0, ...this.#silent.values()) * this.#lookMillis;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const worker of this.#taking) {
      const silent = this.#silent.get(worker);
      this.#silent.set(worker, (silent ?? -1) + 1);
      if (silent === undefined) {
        void this.#ask(worker);
      } else if (silent + 1 === LOOKS && this.#hangMillis > 0) {
        this.#hung(worker);
      }
    }
  }

  /**
   * Asks one question, however long the answer takes. A worker that has ended is silent no more.
   */
  async #ask(worker: Worker): Promise<void> {
    await worker.channel.ask('alive', null).catch(() => {});
    this.#silent.delete(worker);
  }
}
