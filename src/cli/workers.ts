import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Problems } from '../base/problem.js';
import type { LoadedConfig } from '../config/load.js';
import { makeAdminServer } from '../observe/admin.js';
import type { Log } from '../observe/log.js';
import { gatherMetrics } from '../observe/prometheus.js';
import { closeServer, listen } from '../server.js';
import type { ExitCode } from './terminal.js';

/** What a worker tells its parent once it takes requests. */
export interface WorkerReady {
  readonly ready: true;
  readonly url: string;
}

/** Several processes on one traffic address, seen from the one that keeps them. */
export interface Workers {
  readonly url: string;
  readonly adminUrl: string;
  /** Resolves when they cannot go on: a worker failed before it ever took a request. */
  readonly broken: Promise<ExitCode>;
  /** Readiness off, every worker drains; resolves when all have ended. */
  stop(): Promise<void>;
}

/** A worker that lives shorter than this is not started again at once. */
const RESPAWN_MILLIS = 1000;

/** What the command line says about processes; null where it says nothing. Throws `Problems` for what is no number. */
export function workersOption(option: string | null): number | 'auto' | null {
  if (option === null || option === 'auto') return option;
  if (/^[1-9]\d{0,2}$/.test(option) && Number(option) <= 256) return Number(option);
  const remedy = 'Write a number from 1 to 256, or auto.';
  throw new Problems([{ file: null, line: null, column: null, what: '--workers is not valid.', remedy }]);
}

/** How many processes. */
export const workerCount = ({ config }: LoadedConfig): number =>
  config.workers === 'auto' ? availableParallelism() : config.workers;

/** Starts `count` workers, each of which runs the same command line, and serves operators for all of them. */
export async function startWorkers(count: number, loaded: LoadedConfig, log: Log): Promise<Workers> {
  let stopping = false;
  const taking = new Set<Worker>();
  const { promise: broken, resolve: breakOff } = withResolver<ExitCode>();
  const ended = new Map<Worker, Promise<void>>();

  const startOne = (): Promise<string> => {
    const worker = cluster.fork();
    const startedMillis = performance.now();
    const { promise: url, resolve: tell } = withResolver<string>();
    worker.on('message', (message: unknown) => {
      if (!isReady(message)) return;
      taking.add(worker);
      tell(message.url);
    });
    const gone = new Promise<void>((resolve) => {
      worker.once('exit', (code: number | null, signal: string | null) => {
        ended.delete(worker);
        const wasTaking = taking.delete(worker);
        resolve();
        if (stopping) return;
        if (!wasTaking) return breakOff(code === 2 ? 2 : 1);
        log.event('error', 'a worker ended', { code, signal });
        const early = performance.now() - startedMillis < RESPAWN_MILLIS;
        setTimeout(() => !stopping && startOne(), early ? RESPAWN_MILLIS : 0);
      });
    });
    ended.set(worker, gone);
    return url;
  };

  const admin = makeAdminServer({ ...gatherMetrics(), isReady: () => !stopping && taking.size > 0 });
  const stop = async (): Promise<void> => {
    stopping = true;
    const all = [...ended];
    for (const [worker] of all) worker.process.kill('SIGTERM');
    await Promise.all(all.map(([, gone]) => gone));
    await closeServer(admin);
  };
  const adminUrl = await listen(admin, loaded.config.admin);
  const urls = Promise.all(Array.from({ length: count }, startOne));
  const [url] = (await Promise.race([urls, broken.then(() => null)])) ?? [''];
  return { url: url ?? '', adminUrl, broken, stop };
}

/** Tells the parent, if this process is a worker. */
export function tellReady(url: string): void {
  const message: WorkerReady = { ready: true, url };
  process.send?.(message);
}

function isReady(message: unknown): message is WorkerReady {
  return typeof message === 'object' && message !== null && 'ready' in message && 'url' in message;
}

function withResolver<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
