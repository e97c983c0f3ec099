import type { Duplex } from 'node:stream';

import type { Connection } from './connection.js';

/**
 * Ends connections whose certificates are no longer accepted, after the answer that is on its way.
 * WebSockets end by themselves: they are told why. `ended` is called with the number of
 * connections, and the address of one.
 */
export function endConnections(
  sockets: readonly Duplex[],
  connections: ReadonlyMap<Duplex, Connection>,
  ended: (connections: number, client: string) => void,
): void {
  let client = '';
  for (const socket of sockets) {
    const connection = connections.get(socket);
    client = connection?.client ?? client;
    if (connection === undefined) {
      socket.destroy();
    } else {
      connection.endWhenAnswered();
    }
  }
  ended(sockets.length, client);
}
