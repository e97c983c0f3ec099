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
}

/**
 * Replaces all workers one by one: the next one takes connections before the one in its place stops to. Workers run the
 * program as it is on disk; this process, which accepts connections, stays as it is.
 */
export class WorkerRoller {
  readonly #slots: readonly WorkerSlot[];
  readonly #options: RollerOptions;
  #rolling: Promise<void> | null = null;

  constructor(slots: readonly WorkerSlot[], options: RollerOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /** Resolves when all are replaced, or one could not be: then the others stay. Asked meanwhile, it begins once. */
  roll(stopped: AbortSignal): Promise<void> {
    this.#rolling ??= this.#rollAll(stopped).finally(() => {
      this.#rolling = null;
    });
    return this.#rolling;
  }

  async #rollAll(stopped: AbortSignal): Promise<void> {
    const { log } = this.#options;
    log.event('info', 'workers are replaced', { workers: this.#slots.length });
    for (const slot of this.#slots) {
      if (stopped.aborted) return;
      if (await this.#rollOne(slot)) continue;
      if (!stopped.aborted) log.event('error', 'a worker could not be replaced: the others stay', {});
      return;
    }
    log.event('info', 'workers were replaced', { workers: this.#slots.length });
  }

  async #rollOne(slot: WorkerSlot): Promise<boolean> {
    const { runOne, log, endMillis } = this.#options;
    const before = slot.current;
    let reportReady = (): void => {};
    const ready = new Promise<boolean>((resolve) => {
      reportReady = () => resolve(true);
    });
    const successor = runOne(() => reportReady());
    slot.successor = successor;
    if (!(await Promise.race([ready, successor.ended.then(() => false)]))) {
      if (slot.successor === successor) slot.successor = null;
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
}
