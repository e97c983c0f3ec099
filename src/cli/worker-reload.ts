import { ConfigurationError } from '../base/diagnostic.js';
import type { InputSnapshot } from '../base/inputs.js';
import type { FromWorker, ReloadStep, ToWorker } from './worker-messages.js';

/** How long a worker has for one step. Compiling the largest WSDLs takes seconds. */
const STEP_MILLIS = 60_000;

type StepResult = 'done' | 'refused' | 'ended';

/** The parts of a worker of `cluster` that a reload needs. */
export interface ReloadedWorker {
  isConnected(): boolean;
  readonly process: { kill(signal: 'SIGKILL'): boolean };
}

interface Pending {
  readonly worker: ReloadedWorker;
  readonly end: (result: StepResult) => void;
}

/** Gives a configuration to all workers or to none: each compiles it, and when all have, each uses it. */
export class WorkerReload<W extends ReloadedWorker> {
  readonly #send: (worker: W, message: ToWorker) => void;
  /** Steps that are to be done, by number: the answer to an earlier one may come late. */
  readonly #pending = new Map<number, Pending>();
  #number = 0;

  constructor(send: (worker: W, message: ToWorker) => void) {
    this.#send = send;
  }

  /** A worker has done its step, or could not. */
  take({ number, isDone }: Extract<FromWorker, { readonly kind: 'step' }>): void {
    this.#pending.get(number)?.end(isDone ? 'done' : 'refused');
  }

  /** Nothing more comes from this worker. */
  retire(worker: W): void {
    for (const step of [...this.#pending.values()]) if (step.worker === worker) step.end('ended');
  }

  /**
   * Gives `inputs` to the workers. `prepared` is called when all have compiled it, before any uses it. A worker that
   * ended meanwhile is replaced by one that starts from the inputs in use. Throws `ConfigurationError`.
   */
  async replace(workers: readonly W[], inputs: InputSnapshot, prepared: () => void): Promise<void> {
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
  async #prepare(workers: readonly W[], inputs: InputSnapshot): Promise<boolean> {
    for (const worker of workers) {
      const [result] = await this.#step([worker], { kind: 'prepare', inputs });
      if (result === 'refused') return false;
    }
    return true;
  }

  #step(workers: readonly W[], step: ReloadStep): Promise<readonly StepResult[]> {
    return Promise.all(
      workers.map(async (worker): Promise<StepResult> => {
        if (!worker.isConnected()) return 'ended';
        const number = ++this.#number;
        return new Promise((resolve) => {
          const end = (result: StepResult): void => {
            clearTimeout(timer);
            this.#pending.delete(number);
            resolve(result);
          };
          const timer = setTimeout(() => end('refused'), STEP_MILLIS);
          this.#pending.set(number, { worker, end });
          this.#send(worker, { ...step, number });
        });
      }),
    );
  }
}
