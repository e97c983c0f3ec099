import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import { type Listener, type ListenerLimits, Listeners, type ListenerTarget } from './listeners.js';
import { TicketKeys } from './ticket-keys.js';

/** An HTTP server on its addresses. */
export interface Served {
  /** The first of its addresses as a URL. */
  readonly url: string;
  /** Cuts all connections; resolves when they are closed. */
  close(): Promise<void>;
}

/** Connections of a server that few clients use, at most. */
const CONNECTIONS_MAX = 1000;

/**
 * Serves on addresses of its own, with a server for each, made with its index. Rejects with the
 * error of the system.
 */
export async function serve<L extends Listener>(
  makeServer: (listener: L, index: number) => Server,
  on: readonly L[],
  limits: ListenerLimits & { readonly ticketKeyMillis?: number },
  handshakeFailed: ListenerTarget['handshakeFailed'] = () => {},
): Promise<Served> {
  const tickets = new TicketKeys(null, limits.ticketKeyMillis);
  const served: { readonly server: Server; readonly listeners: Listeners }[] = [];
  const urls: string[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(
      served.map(async ({ server, listeners }) => {
        const closed = listeners.close();
        listeners.cutAll();
        await closed;
        server.close();
      }),
    );
  };
  try {
    for (const [index, listener] of on.entries()) {
      const server = makeServer(listener, index);
      // Node enforces its deadlines once the server listens, which its listeners do for it.
      server.emit('listening');
      const target = {
        accept: (socket: Socket) => server.emit('connection', socket),
        dropped: () => {},
        handshakeFailed,
        certificatesWithdrawn(sockets: readonly Socket[]) {
          for (const socket of sockets) {
            socket.destroy();
          }
        },
        isTrusted: () => false,
      };
      const listeners = new Listeners(target, tickets);
      listeners.configure(limits, CONNECTIONS_MAX);
      served.push({ server, listeners });
      urls.push(await listeners.listen(listener));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urls[0] ?? '', close };
}
