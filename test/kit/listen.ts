import type { AddressInfo, Server, Socket } from 'node:net';
import type { Test } from 'tap';

export interface Listening {
  readonly port: number;
  readonly url: string;
}

/**
 * Has a server of the test's own listen on this machine, until the end of the test cuts its
 * connections.
 */
export async function listen(t: Pick<Test, 'teardown'>, server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}
