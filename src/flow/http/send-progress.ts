import type { Socket } from 'node:net';

/** Whether a connection takes what it is sent. */
export class SendProgress {
  readonly #socket: Socket;
  /** Bytes the system had taken when that number last changed; no moment while nothing waits. */
  #bytes = 0;
  #millis: number | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Nothing waits to be sent. */
  rest(): void {
    this.#millis = null;
  }

  /** Something waits: for how long nothing has been taken, as far as was looked. */
  stalledMillis(nowMillis: number): number {
    const bytes = sentBytes(this.#socket);
    if (this.#millis === null || bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#millis = nowMillis;
    }
    return nowMillis - this.#millis;
  }
}

/**
 * Bytes that the system has taken. Node counts in public what it has handed over, and a long answer
 * is handed over in one piece; only the handle knows the rest of it, and Node's own timeouts look
 * there.
 */
function sentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const isHandle = typeof handle === 'object' && handle !== null;
  const queued = isHandle && 'writeQueueSize' in handle ? Number(handle.writeQueueSize) : 0;
  const handed =
    isHandle && 'bytesWritten' in handle ? Number(handle.bytesWritten) : socket.bytesWritten;
  return handed - queued;
}
