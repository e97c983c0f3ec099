import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

import { freePort } from './free-port.js';
import { until } from './until.js';

export const MAIN = fileURLToPath(new URL('../../bin/main.js', import.meta.url));

type Line = Readonly<Record<string, unknown>>;

/** A gateway in a process of its own, with its log. */
export interface GatewayProcess {
  readonly child: ChildProcess;
  /** Its configuration. */
  readonly file: string;
  readonly url: string;
  readonly adminUrl: string;
  /** What it has logged so far. */
  readonly lines: readonly Line[];
  /** Waits for a line, by its message or by a condition. */
  line(wanted: string | ((line: Line) => boolean)): Promise<Line>;
  /** The value of a metric, whose labels stand in the name. */
  metric(name: string): Promise<number>;
}

export interface ProcessOptions {
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Commands of the shell that come first, such as `ulimit -n 400;`. */
  readonly before?: string;
  /** Where its log goes, if it is not read here: a descriptor, or a pipe that nothing reads. */
  readonly log?: number | 'unread';
  readonly adminHost?: string;
  /** The value of `listen` for its address. */
  readonly listen?: (address: string) => string;
}

/** Starts it on ports that were free a moment ago, and waits until it is ready. */
export async function startProcess(
  t: Pick<Test, 'teardown'>,
  yaml: string,
  options: ProcessOptions = {},
): Promise<GatewayProcess> {
  const {
    nodeOptions = [],
    environment = {},
    before = '',
    log = null,
    adminHost = '127.0.0.1',
  } = options;
  const { listen = (address) => address } = options;
  const home = await mkdtemp(join(tmpdir(), 'soapstone-'));
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(home, 'soapstone.yaml');
  await writeFile(
    file,
    `listen: ${listen(`127.0.0.1:${port}`)}\nadmin: ${adminHost}:${adminPort}\n${yaml}`,
  );
  const command = [process.execPath, ...nodeOptions, MAIN, 'start', '-c', file];
  const child = spawn('sh', ['-c', `${before} exec "$0" "$@"`, ...command], {
    // What one process has compiled the next one need not.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...environment,
    },
    stdio: ['ignore', typeof log === 'number' ? log : 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  if (log === null && child.stdout !== null)
    createInterface(child.stdout).on('line', (text) => lines.push(JSON.parse(text)));
  killAtExit(child);
  t.teardown(async () => {
    if (!hasEnded(child)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(home, { recursive: true });
  });
  const gateway: GatewayProcess = {
    child,
    file,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    lines,
    async line(wanted) {
      const isWanted =
        typeof wanted === 'string' ? ({ msg }: Line): boolean => msg === wanted : wanted;
      await until(() => lines.some(isWanted));
      return lines.find(isWanted) ?? {};
    },
    async metric(name) {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
  };
  await until(async () => {
    if (hasEnded(child)) throw new Error('the gateway ended before it was ready');
    return (await fetch(`${gateway.adminUrl}/ready`).catch(() => null))?.status === 200;
  });
  return gateway;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Waits until so many workers answer. */
export const areAnswering = (gateway: GatewayProcess, workers: number): Promise<void> =>
  until(async () => (await gateway.metric('soapstone_workers_answered')) === workers);

/** The processes that this one has forked. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Ends a process with this one at the latest. */
export function killAtExit(child: ChildProcess): void {
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

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
