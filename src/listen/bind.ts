import cluster from 'node:cluster';
import { unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';

import { errorCode } from '../core/index.js';

/** A host and a port. */
export interface HostPort {
  /** A name or an IP address, IPv6 without its brackets. */
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
}

/**
 * Connections that wait to be accepted, at most; the system may allow fewer. With Node's 511 a
 * thousand clients that connect at once saw resets.
 */
export const BACKLOG = 4_096;

/**
 * The address of a server: host and port, the path of a Unix socket, or a systemd socket by name.
 */
export type ListenAddress = HostPort | { readonly path: string } | { readonly socketName: string };

/** Binds a server to an address; resolves to it as a URL, with the port the system gave for 0. */
export async function bind(
  server: Server,
  address: ListenAddress,
  scheme: 'http' | 'https',
): Promise<string> {
  if ('path' in address) {
    const { path } = address;
    await listen(server, { path }).catch(async (error: unknown) => {
      // The file of a process that ended without closing it is left behind.
      if (errorCode(error) !== 'EADDRINUSE' || (await isServed(path))) throw error;
      await unlink(path).catch(() => {});
      await listen(server, { path });
    });
    return `unix:${path}`;
  }
  if ('socketName' in address) {
    await listen(server, { fd: inheritedSocket(address.socketName) });
  } else {
    await listen(server, address);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return `unix:${bound ?? ''}`;
  const host = 'host' in address ? address.host : bound.address;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/** The sockets that systemd passes begin after standard error (sd_listen_fds(3)). */
const FIRST_SOCKET = 3;

/**
 * The descriptor of a socket that systemd has opened. Throws with the code `ENOSOCKET` when there
 * is none of the name. In a worker it is one of the parent, which listens for it.
 */
function inheritedSocket(name: string): number {
  const { LISTEN_PID: pid, LISTEN_FDS: count = '0', LISTEN_FDNAMES: names = '' } = process.env;
  const isOurs = Number(pid) === process.pid || (cluster.isWorker && Number(pid) === process.ppid);
  const index = names.split(':').indexOf(name);
  if (!isOurs || index === -1 || index >= Number(count)) {
    throw Object.assign(new Error(`no socket ${name}`), { code: 'ENOSOCKET', address: name });
  }
  return FIRST_SOCKET + index;
}

function listen(
  server: Server,
  options: { readonly path: string } | { readonly fd: number } | HostPort,
): Promise<void> {
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
    probe
      .once('connect', () => resolve(true))
      .once('error', (error) => resolve(errorCode(error) !== 'ECONNREFUSED'));
    probe.once('connect', () => probe.destroy());
  });
