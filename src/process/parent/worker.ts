import cluster from 'node:cluster';
import { NotAvailable } from '../../observe/admin.js';
import type { ParentCalls, WorkerCalls, WorkerChannel } from '../calls.js';
import { Channel } from '../channel.js';
import { ensureDisconnect, HandedConnections } from './handed-connections.js';

/** How a worker ended. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker, as its parent sees it. */
export interface Worker {
  readonly pid: number | undefined;
  readonly channel: WorkerChannel;
  readonly ended: Promise<WorkerExit>;
  /** Drains it, which ends it. */
  stop(): void;
  /** Ends it at once. */
  kill(): void;
}

/** How long a worker has to answer what operators ask. */
export const ANSWER_MILLIS = 1000;

/** Resolves to null when the worker does not answer in time, or owes too many answers. */
export const askInTime = <K extends keyof WorkerCalls>(
  { channel }: Worker,
  call: K,
  data: WorkerCalls[K]['data'],
): Promise<WorkerCalls[K]['answer'] | null> =>
  channel.ask(call, data, ANSWER_MILLIS).catch(() => null);

/** The answers of the workers that answer in time, an answer that is null among them. */
export async function askAll<K extends keyof WorkerCalls>(
  taking: ReadonlySet<Worker>,
  call: K,
  data: WorkerCalls[K]['data'],
): Promise<readonly WorkerCalls[K]['answer'][]> {
  const asked = [...taking].map(({ channel }) => channel.ask(call, data, ANSWER_MILLIS));
  const outcomes = await Promise.allSettled(asked);
  return outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/**
 * The first answer that is wanted of workers that take requests, asked one after the other, the one
 * that has run longest first; the last answer where none is. Throws `NotAvailable` where no worker
 * answers.
 */
export async function askAny<K extends keyof WorkerCalls>(
  taking: ReadonlySet<Worker>,
  call: K,
  data: WorkerCalls[K]['data'],
  isWanted: (answer: WorkerCalls[K]['answer']) => boolean = () => true,
): Promise<WorkerCalls[K]['answer']> {
  const answers: WorkerCalls[K]['answer'][] = [];
  for (const { channel } of [...taking]) {
    try {
      const answer = await channel.ask(call, data, ANSWER_MILLIS);
      if (isWanted(answer)) return answer;
      answers.push(answer);
    } catch {
      // The next one may.
    }
  }
  if (answers.length === 0) throw new NotAvailable('no worker answers');
  return answers.at(-1);
}

/** A worker in a process of its own, which runs the same command line. */
export class ForkedWorker implements Worker {
  readonly channel: WorkerChannel;
  readonly ended: Promise<WorkerExit>;
  readonly #worker = cluster.fork();

  /**
   * `lost` is called when nothing more comes from it, and returns whether others take connections.
   */
  constructor(lost: (worker: Worker) => boolean) {
    const worker = this.#worker;
    ensureDisconnect(worker);
    const handed = new HandedConnections(worker);
    this.channel = new Channel<WorkerCalls, ParentCalls>(
      (message) =>
        new Promise((resolve) => {
          if (worker.isConnected()) {
            worker.send(message, undefined, undefined, () => resolve());
          } else {
            resolve();
          }
        }),
    );
    worker.on('message', (message) => this.channel.receive(message));
    // A worker that cannot be reached has ended, or is about to.
    worker.on('error', () => {});
    worker.once('disconnect', () => {
      this.channel.close();
      handed.release(lost(this));
    });
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) =>
        resolve({ code, signal }),
      );
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  stop(): void {
    this.#worker.process.kill('SIGTERM');
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}
