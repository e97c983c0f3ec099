import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

import { freePort } from '../kit/free-port.js';

export const MAIN = fileURLToPath(new URL('../../bin/main.js', import.meta.url));

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  /** Its configuration. */
  readonly file: string;
  readonly url: string;
  readonly adminUrl: string;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
}

/** Starts it on ports that were free a moment ago, with its log going to `output`. */
export async function startProcess(
  t: Test,
  yaml: string,
  output: number | 'pipe',
  nodeOptions: readonly string[] = [],
  adminHost = '127.0.0.1',
): Promise<GatewayProcess> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  const [url, adminUrl] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const file = join(home, 'soapstone.yaml');
  await writeFile(file, `listen: ${url}\nadmin: ${adminUrl.replace('127.0.0.1', adminHost)}\n${yaml}`);
  const child = spawn(process.execPath, [...nodeOptions, MAIN, 'start', '-c', file], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', output, 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(home, { recursive: true });
  });
  const gateway = {
    child,
    file,
    url: `http://${url}`,
    adminUrl: `http://${adminUrl}`,
    async metric(name: string) {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
  };
  for (;;) {
    const answer = await fetch(`${gateway.adminUrl}/ready`).catch(() => null);
    if (answer?.status === 200) return gateway;
    if (child.exitCode !== null) throw new Error('ended before it was ready');
    await rest();
  }
}

/** Between two looks at something that takes a while: who asks without end takes the processor from who shall answer. */
export const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** Sends SIGTERM; how the process ended. */
export async function terminate(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly millis: number }> {
  const start = performance.now();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const [code]: (number | null)[] = await exit;
  return { code: code ?? null, millis: performance.now() - start };
}

/** A backend that takes connections, waits for the first bytes of each, and then does what it is told. */
export interface StallingBackend {
  readonly url: string;
  readonly sockets: readonly Socket[];
  /** Resolves when so many connections have brought something. */
  begun(count: number): Promise<void>;
}

/** `onFirst` is called with each connection once its first bytes are there; nothing more is read of it. */
export async function startStallingBackend(t: Test, onFirst: (socket: Socket) => void): Promise<StallingBackend> {
  const sockets: Socket[] = [];
  let wake = (): void => {};
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.pause();
      sockets.push(socket);
      onFirst(socket);
      wake();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
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
