import { unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';

/** A host and a port. */
export interface Address {
  /** A name or an IP address, IPv6 without its brackets. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
}

/**
 * Connections that wait to be accepted, at most; the system may allow fewer. With Node's 511 a thousand clients that
 * connect at once saw resets.
 */
export const BACKLOG = 4_096;

/** Where a server listens: an address, or the path of a Unix socket. */
export type ListenAddress = Address | { readonly path: string };

/** Binds a server to an address; resolves to it as a URL, with the port the system gave for 0. */
export async function bind(server: Server, address: ListenAddress, scheme: 'http' | 'https'): Promise<string> {
  if ('path' in address) {
    const { path } = address;
    await listen(server, { path }).catch(async (error: unknown) => {
      // The file of a process that ended without closing it is left behind.
      if (codeOf(error) !== 'EADDRINUSE' || (await isServed(path))) throw error;
      await unlink(path).catch(() => {});
      await listen(server, { path });
    });
    return `unix:${path}`;
  }
  const { host, port } = address;
  await listen(server, { host, port });
  const bound = server.address();
  const found = typeof bound === 'object' && bound !== null ? bound.port : port;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${found}`;
}

function listen(server: Server, options: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Whether a process listens on a Unix socket. */
const isServed = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => resolve(true)).once('error', (error) => resolve(codeOf(error) !== 'ECONNREFUSED'));
    probe.once('connect', () => probe.destroy());
  });

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
