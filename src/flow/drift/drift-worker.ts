import { Buffer } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { REFUSALS } from '../../config/refusal-tables.js';
import { refusals } from '../../core/index.js';
import type { fetching } from '../../upstream/index.js';
import type { FromDriftWorker, ToDriftWorker } from './drift-messages.js';
import { readDrift } from './drift-reading.js';

refusals.installRefusals(REFUSALS);

/**
 * A thread of its own: reading a large WSDL takes a second in one piece. Documents of the backend
 * come from the main one.
 */
const pending = new Map<number, (answer: ToDriftWorker) => void>();
let asked = 0;

const post = (message: FromDriftWorker): void => parentPort?.postMessage(message);

function fetchByParent(url: string): Promise<fetching.FetchedFile> {
  return new Promise((resolve, reject) => {
    const id = ++asked;
    pending.set(id, ({ document, why }) => {
      if (document === null) {
        reject(new Error(why));
      } else {
        resolve({ ...document, body: Buffer.from(document.body) });
      }
    });
    post({ kind: 'fetch', id, url });
  });
}

parentPort?.on('message', (answer: ToDriftWorker) => {
  pending.get(answer.id)?.(answer);
  pending.delete(answer.id);
});
post({ kind: 'reading', ...(await readDrift(workerData, fetchByParent)) });
parentPort?.close();
