import type { Worker } from 'node:cluster';

import { isRecord } from '../../core/index.js';

/**
 * Has a worker emit `disconnect` once nothing more comes from it. Node does not where the worker
 * died before it took a connection, and would keep it among those that take connections.
 */
export function ensureDisconnect(worker: Worker): void {
  let isOver = false;
  worker.once('disconnect', () => {
    isOver = true;
  });
  const look = (): void => {
    if (isOver) return;
    // The last messages of the worker are not read yet.
    if (worker.isConnected()) {
      setImmediate(look);
    } else {
      worker.process.emit('disconnect');
    }
  };
  worker.once('exit', () => setImmediate(look));
}

/**
 * Connections that this process has accepted and handed to a worker, which has not taken them yet.
 * Node forgets them when the worker dies first: they would stay open and unanswered for as long as
 * this process runs.
 */
export class HandedConnections {
  readonly #worker: Worker;
  /** Numbers of the messages that hand them over. */
  readonly #pending = new Set<number>();

  constructor(worker: Worker) {
    this.#worker = worker;
    const { process: child } = worker;
    const send = child.send.bind(child);
    const track = (...args: Parameters<typeof send>): boolean => {
      const [message] = args;
      if (isHandover(message)) {
        this.#pending.add(message.seq);
      }
      return send(...args);
    };
    Object.defineProperty(child, 'send', { value: track, configurable: true });
    child.on('internalMessage', (message: unknown) => {
      if (isRecord(message) && typeof message['ack'] === 'number') {
        this.#pending.delete(message['ack']);
      }
    });
  }

  /** The worker has ended: hands them to others, or closes them where there are none. */
  release(hasOthers: boolean): void {
    for (const ack of this.#pending) {
      // What a worker answers that has not taken a connection; one that is taken is closed here.
      this.#worker.process.emit('internalMessage', { cmd: CLUSTER, ack, accepted: !hasOthers });
    }
    this.#pending.clear();
  }
}

/** The mark of messages of the module `cluster`. */
const CLUSTER = 'NODE_CLUSTER';

const isHandover = (message: unknown): message is { readonly seq: number } =>
  isRecord(message) &&
  message['cmd'] === CLUSTER &&
  message['act'] === 'newconn' &&
  typeof message['seq'] === 'number';
