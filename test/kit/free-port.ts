import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port for another process. Not one that the system chose: those it gives to the next who asks
 * for any (on Linux from 32768), and test files that run at the same time ask all the while.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
