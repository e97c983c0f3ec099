import { ConfigurationError, unplaced } from '../../base/diagnostic.js';
import { addInputs, type InputSnapshot } from '../../base/inputs.js';
import type { CompiledFacts, ReloadSource } from '../reload/reload-source.js';
import type { FromWorker, ReloadStep, StepAnswer, ToWorker } from './worker-messages.js';

/** How long a worker has for one step. Compiling the largest WSDLs takes seconds. */
const STEP_MILLIS = 60_000;

/** A configuration that ends so many workers while they compile it is refused. */
const ENDED_MAX = 2;

const LATE: StepAnswer = { isDone: false, reads: null, facts: null, problems: [] };

type StepResult = StepAnswer | 'ended';

/** The parts of a worker of `cluster` that a reload needs. */
export interface ReloadedWorker {
  isConnected(): boolean;
  readonly process: { kill(signal: 'SIGKILL'): boolean };
}

interface Pending {
  readonly worker: ReloadedWorker;
  readonly end: (result: StepResult) => void;
}

/** What the first worker has found. */
interface First<W> {
  readonly worker: W;
  readonly facts: CompiledFacts;
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
  take({ number, ...answer }: Extract<FromWorker, { readonly kind: 'step' }>): void {
    this.#pending.get(number)?.end(answer);
  }

  /** Nothing more comes from this worker. */
  retire(worker: W): void {
    for (const step of [...this.#pending.values()]) if (step.worker === worker) step.end('ended');
  }

  /**
   * Lets one of the workers compile `source`, which also finds out whether it can be, and then gives it to the others. Where
   * no worker runs, `compileHere` does it. `use` is called with all that have compiled it, before any uses it. Throws
   * `ConfigurationError`.
   */
  async reload(
    workers: () => readonly W[],
    source: ReloadSource,
    compileHere: () => Promise<CompiledFacts>,
    use: (facts: CompiledFacts, compiled: readonly W[]) => void,
  ): Promise<CompiledFacts> {
    const first = await this.#compile(workers(), source);
    const facts = first?.facts ?? (await compileHere());
    const all = workers();
    await this.#copy(all, source.reads.snapshot, () => use(facts, all), first?.worker ?? null);
    return facts;
  }

  /**
   * Gives to the workers what others use. `use` is called when all have compiled it, before any uses it. A worker that ended
   * meanwhile is replaced by one that starts from the inputs in use. Throws `ConfigurationError`.
   */
  replace(workers: readonly W[], inputs: InputSnapshot, use: () => void): Promise<void> {
    return this.#copy(workers, inputs, use, null);
  }

  /** Null: no worker runs. */
  async #compile(workers: readonly W[], { occasion, reads }: ReloadSource): Promise<First<W> | null> {
    let ended = 0;
    for (const worker of workers) {
      if (!worker.isConnected()) continue;
      const step = { kind: 'compile', occasion, inputs: reads.snapshot } as const;
      const answer = await this.#step(worker, step);
      if (answer === 'ended') {
        if (++ended === ENDED_MAX) break;
        continue;
      }
      if (answer.reads !== null) {
        addInputs(reads.snapshot, answer.reads.snapshot);
        for (const [path, identity] of answer.reads.files) reads.files.set(path, identity);
      }
      if (answer.facts !== null) return { worker, facts: answer.facts };
      // What it compiles too late is not kept.
      if (answer === LATE) this.#send(worker, { kind: 'discard' });
      throw refused(answer);
    }
    if (ended > 0) throw refused(LATE);
    return null;
  }

  /** `first` has compiled it. */
  async #copy(workers: readonly W[], inputs: InputSnapshot, use: () => void, first: W | null): Promise<void> {
    try {
      // One after the other: compiling holds up the event loop, and the others answer meanwhile.
      for (const worker of workers) {
        if (worker === first) continue;
        const answer = await this.#step(worker, { kind: 'compileSame', inputs });
        if (answer !== 'ended' && !answer.isDone) throw refused(answer);
      }
      use();
    } catch (error) {
      for (const worker of workers) this.#send(worker, { kind: 'discard' });
      throw error;
    }
    const commit = async (worker: W): Promise<void> => {
      const answer = await this.#step(worker, { kind: 'commit' });
      // The one that takes its place starts from the new inputs.
      if (answer !== 'ended' && !answer.isDone) worker.process.kill('SIGKILL');
    };
    await Promise.all(workers.map(commit));
  }

  async #step(worker: W, step: ReloadStep): Promise<StepResult> {
    if (!worker.isConnected()) return 'ended';
    const number = ++this.#number;
    return new Promise((resolve) => {
      const end = (result: StepResult): void => {
        clearTimeout(timer);
        this.#pending.delete(number);
        resolve(result);
      };
      const timer = setTimeout(() => end(LATE), STEP_MILLIS);
      this.#pending.set(number, { worker, end });
      this.#send(worker, { ...step, number });
    });
  }
}

function refused({ problems }: StepAnswer): ConfigurationError {
  if (problems.length > 0) return new ConfigurationError(problems);
  const what = 'A worker could not compile the configuration, or not within a minute.';
  return new ConfigurationError([unplaced(what, 'See the log.')]);
}
