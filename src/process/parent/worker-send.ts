import type { Worker } from 'node:cluster';

import type { ToWorker } from './worker-messages.js';

/** Sends a message to a worker, or drops it when the worker has ended. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => {});
}

/** Sends a message of a worker to the others. */
export function relay(workers: Iterable<Worker>, from: Worker, message: ToWorker): void {
  for (const worker of workers) if (worker !== from) send(worker, message);
}
