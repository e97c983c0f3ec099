import { parentPort, workerData } from 'node:worker_threads';

import { readDrift } from './drift-reading.js';

/** A thread of its own: reading a large WSDL takes a second in one piece. */
parentPort?.postMessage(await readDrift(workerData));
