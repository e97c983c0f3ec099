import type { Worker } from 'node:cluster';

import { ConfigurationError } from '../base/diagnostic.js';
import type { InputSnapshot } from '../base/inputs.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** How long a worker has for one step. Compiling the largest WSDLs takes seconds. */
const STEP_MILLIS = 60_000;

type StepResult = 'done' | 'refused' | 'ended';

/** Gives a configuration to all workers or to none: each compiles it, and when all have, each uses it. */
export class WorkerReload {
  readonly #send: (worker: Worker, message: ToWorker) => void;
  /** Workers that have a step to do. */
  readonly #pending = new Map<Worker, (result: StepResult) => void>();

  constructor(send: (worker: Worker, message: ToWorker) => void) {
    this.#send = send;
  }

  /** A worker has done its step, or could not. */
  take(worker: Worker, { isDone }: Extract<FromWorker, { readonly kind: 'step' }>): void {
    this.#pending.get(worker)?.(isDone ? 'done' : 'refused');
  }

  /** Nothing more comes from this worker. */
  retire(worker: Worker): void {
    this.#pending.get(worker)?.('ended');
  }

  /**
   * Gives `inputs` to the workers. `prepared` is called when all have compiled it, before any uses it. A worker that
   * ended meanwhile is replaced by one that starts from the inputs in use. Throws `ConfigurationError`.
   */
  async replace(workers: readonly Worker[], inputs: InputSnapshot, prepared: () => void): Promise<void> {
    const isPrepared = await this.#prepare(workers, inputs);
    if (!isPrepared) {
      for (const worker of workers) this.#send(worker, { kind: 'discard' });
      const what = 'A worker could not compile the configuration, or not within a minute.';
      throw new ConfigurationError([{ file: null, line: null, column: null, what, remedy: 'See the log.' }]);
    }
    prepared();
    const committed = await this.#step(workers, { kind: 'commit' });
    // The one that takes its place starts from the new inputs.
    for (const [index, worker] of workers.entries()) if (committed[index] === 'refused') worker.process.kill('SIGKILL');
  }

  /** One after the other: compiling holds up the event loop, and the others answer meanwhile. */
  async #prepare(workers: readonly Worker[], inputs: InputSnapshot): Promise<boolean> {
    for (const worker of workers) {
      const [result] = await this.#step([worker], { kind: 'prepare', inputs });
      if (result === 'refused') return false;
    }
    return true;
  }

  #step(workers: readonly Worker[], message: ToWorker): Promise<readonly StepResult[]> {
    return Promise.all(
      workers.map(async (worker): Promise<StepResult> => {
        if (!worker.isConnected()) return 'ended';
        return new Promise((resolve) => {
          const end = (result: StepResult): void => {
            clearTimeout(timer);
            this.#pending.delete(worker);
            resolve(result);
          };
          const timer = setTimeout(() => end('refused'), STEP_MILLIS);
          this.#pending.set(worker, end);
          this.#send(worker, message);
        });
      }),
    );
  }
}
