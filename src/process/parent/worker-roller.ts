import type { Log } from '../../observe/log/log.js';
import type { Worker, WorkerExit } from './worker.js';

/** How long a worker took requests, and how it ended. */
export interface Ended extends WorkerExit {
  readonly wasReady: boolean;
  readonly readyMillis: number;
}

export interface RunningWorker {
  readonly worker: Worker;
  readonly ended: Promise<Ended>;
}

/** The place of one worker. */
export interface WorkerSlot {
  current: RunningWorker | null;
  /** Takes the place when the current one ends. */
  successor: RunningWorker | null;
}

interface RollerOptions {
  /** Starts a worker. */
  readonly runOne: (reportReady: () => void) => RunningWorker;
  readonly log: Log;
  /** A worker that drains for longer is killed. */
  readonly endMillis: () => number;
  readonly stopped: AbortSignal;
}

/**
 * Replaces all workers one by one: the next one takes connections before the one in its place stops
 * to. Workers run the program as it is on disk; this process, which accepts connections, stays as
 * it is. Resolves when all are replaced, or one could not be: then the others stay.
 */
export async function rollWorkers(
  slots: readonly WorkerSlot[],
  options: RollerOptions,
): Promise<void> {
  const { log, stopped } = options;
  log.event('info', 'workers are replaced', { workers: slots.length });
  for (const slot of slots) {
    if (stopped.aborted) return;
    if (await rollOne(slot, options)) continue;
    if (!stopped.aborted) {
      log.event('error', 'a worker could not be replaced: the others stay', {});
    }
    return;
  }
  log.event('info', 'workers were replaced', { workers: slots.length });
}

async function rollOne(
  slot: WorkerSlot,
  { runOne, log, endMillis }: RollerOptions,
): Promise<boolean> {
  const before = slot.current;
  const ready = withResolver<boolean>();
  const successor = runOne(() => ready.resolve(true));
  slot.successor = successor;
  if (!(await Promise.race([ready.promise, successor.ended.then(() => false)]))) {
    if (slot.successor === successor) {
      slot.successor = null;
    }
    return false;
  }
  // It may have ended by itself: then the next one has its place.
  if (before === null || slot.current !== before) return true;
  before.worker.stop();
  const late = setTimeout(() => {
    log.event('error', 'a worker did not end and is killed', { pid: before.worker.pid });
    before.worker.kill();
  }, endMillis());
  await before.ended;
  clearTimeout(late);
  return true;
}

/** A promise with the function that resolves it. */
export function withResolver<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
