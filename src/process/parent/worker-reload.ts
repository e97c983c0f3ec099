import { ConfigurationError, diagnosis, inputFiles } from '../../core/index.js';
import type { StepAnswer, WorkerCalls } from '../calls.js';
import { Unanswered } from '../channel.js';
import type { CompiledFacts, ReloadSource } from '../reload/reload-source.js';
import type { Worker } from './worker.js';

/** How long a worker has for one step. Compiling the largest WSDLs takes seconds. */
const STEP_MILLIS = 60_000;

/** A configuration that ends so many workers while they compile it is refused. */
const ENDED_MAX = 2;

const LATE: StepAnswer = { isDone: false, reads: null, facts: null, problems: [] };

/** What the first worker has found. */
interface First {
  readonly worker: Worker;
  readonly facts: CompiledFacts;
}

/**
 * Lets one of the workers compile `source`, which also finds out whether it can be, and then gives
 * it to the others: all of them use it, or none. Where no worker runs, `compileHere` compiles it.
 * `use` is called with all workers that have compiled it, before any uses it. Throws
 * `ConfigurationError`.
 */
export async function reloadWorkers(
  workers: () => readonly Worker[],
  source: ReloadSource,
  compileHere: () => Promise<CompiledFacts>,
  use: (facts: CompiledFacts, compiled: readonly Worker[]) => void,
): Promise<CompiledFacts> {
  const first = await compileFirst(workers(), source);
  const facts = first?.facts ?? (await compileHere());
  const all = workers();
  await replaceInputs(all, source.reads.snapshot, () => use(facts, all), first?.worker ?? null);
  return facts;
}

/**
 * Gives the workers the inputs that others use; `first` has compiled them. `use` is called when all
 * have compiled them, before any uses them. A worker that ended meanwhile is replaced by one that
 * starts from the inputs in use. Throws `ConfigurationError`.
 */
export async function replaceInputs(
  workers: readonly Worker[],
  inputs: inputFiles.InputSnapshot,
  use: () => void,
  first: Worker | null = null,
): Promise<void> {
  try {
    // One after the other: compiling holds up the event loop, and the others answer meanwhile.
    for (const worker of workers) {
      if (worker === first) continue;
      const answer = await askStep(worker, 'compileSame', { inputs });
      if (answer !== 'ended' && !answer.isDone) throw refused(answer);
    }
    use();
  } catch (error) {
    for (const { channel } of workers) {
      void channel.tell('discard', null);
    }
    throw error;
  }
  const commit = async (worker: Worker): Promise<void> => {
    const answer = await askStep(worker, 'commit', null);
    // The one that takes its place starts from the new inputs.
    if (answer !== 'ended' && !answer.isDone) {
      worker.kill();
    }
  };
  await Promise.all(workers.map(commit));
}

/** Null: no worker runs. */
async function compileFirst(
  workers: readonly Worker[],
  { occasion, reads }: ReloadSource,
): Promise<First | null> {
  let ended = 0;
  for (const worker of workers) {
    const answer = await askStep(worker, 'compile', { occasion, inputs: reads.snapshot });
    if (answer === 'ended') {
      if (++ended === ENDED_MAX) break;
      continue;
    }
    if (answer.reads !== null) {
      inputFiles.addInputs(reads.snapshot, answer.reads.snapshot);
      for (const [path, identity] of answer.reads.files) {
        reads.files.set(path, identity);
      }
    }
    if (answer.facts !== null) return { worker, facts: answer.facts };
    // What it compiles too late is not kept.
    if (answer === LATE) {
      void worker.channel.tell('discard', null);
    }
    throw refused(answer);
  }
  if (ended > 0) throw refused(LATE);
  return null;
}

async function askStep<K extends 'compile' | 'compileSame' | 'commit'>(
  { channel }: Worker,
  step: K,
  data: WorkerCalls[K]['data'],
): Promise<StepAnswer | 'ended'> {
  try {
    return await channel.ask(step, data, STEP_MILLIS);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return error.reason === 'ended' ? 'ended' : LATE;
  }
}

function refused({ problems }: StepAnswer): ConfigurationError {
  if (problems.length > 0) return new ConfigurationError(problems);
  const what = 'A worker could not compile the configuration, or not within a minute.';
  return diagnosis.unplacedError(what, 'See the log.');
}
