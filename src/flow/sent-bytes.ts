import type { Socket } from 'node:net';

/**
 * Bytes that the system has taken. Node counts in public what it has handed over, and a long answer is handed over in
 * one piece; what is left of it is known to the handle alone, which is where Node's own timeouts look.
 */
export function sentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const isHandle = typeof handle === 'object' && handle !== null;
  const queued = isHandle && 'writeQueueSize' in handle ? Number(handle.writeQueueSize) : 0;
  const handed = isHandle && 'bytesWritten' in handle ? Number(handle.bytesWritten) : socket.bytesWritten;
  return handed - queued;
}
