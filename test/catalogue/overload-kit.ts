import { createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

import { listen } from '../kit/listen.js';

/**
 * A backend that takes connections, waits for the first bytes of each, and then does what it is
 * told.
 */
export interface StallingBackend {
  readonly url: string;
  readonly sockets: readonly Socket[];
  /** Resolves when so many connections have brought something. */
  begun(count: number): Promise<void>;
}

/**
 * `onFirst` is called with each connection once its first bytes are there; nothing more is read of
 * it.
 */
export async function startStallingBackend(
  t: Test,
  onFirst: (socket: Socket) => void,
): Promise<StallingBackend> {
  const sockets: Socket[] = [];
  let wake = (): void => {};
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.pause();
      sockets.push(socket);
      onFirst(socket);
      wake();
    });
  });
  const { url } = await listen(t, server);
  return {
    url,
    sockets,
    async begun(count) {
      while (sockets.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
