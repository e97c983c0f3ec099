import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Usage } from './usage.js';

/** A server in a process of its own, which says what it uses. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** The compiled file beside this one, or above it. */
export const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * Starts a program as its own process. It is ready when it prints a line of JSON with
 * `msg: "ready"` and its address as `listen`; what it prints after that is read and thrown away.
 * `nodeOptions` are for Node, `node` is its binary.
 */
export async function startServer(
  file: string,
  programArguments: readonly string[],
  nodeOptions: readonly string[] = [],
  node = process.execPath,
): Promise<Server> {
  const child = fork(file, programArguments, {
    execPath: node,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--import', new URL('usage.js', import.meta.url).href, ...nodeOptions],
  });
  return {
    url: await readyUrl(child),
    pid: child.pid ?? 0,
    async usage() {
      child.send('usage');
      const [usage]: Usage[] = await once(child, 'message');
      if (usage === undefined) throw new Error('no answer');
      return usage;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/**
 * Gives a process the first processor for itself, and this one and those it starts the others: on
 * as few processors as a bench has, what is measured would be how the system shares them. False
 * where that cannot be done.
 */
export function isolate(pid: number, others: readonly number[]): boolean {
  const count = availableParallelism();
  if (count < 2) return false;
  const bind = (processors: string, bound: number): boolean =>
    spawnSync('taskset', ['-a', '-c', '-p', processors, String(bound)]).status === 0;
  return bind('0', pid) && [process.pid, ...others].every((other) => bind(`1-${count - 1}`, other));
}

/** Has a server listen, and prints the line for which `startServer` waits. */
export function announce(server: HttpServer): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    print(`${JSON.stringify({ msg: 'ready', listen: `http://127.0.0.1:${port}` })}\n`);
  });
}

/**
 * Resolves to the address of a program that prints a line about it; further lines are read and
 * thrown away.
 */
export function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const { stdout } = child;
    if (stdout === null) throw new Error('no standard output');
    const lines = createInterface(stdout);
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
    lines.on('line', (line) => {
      if (!line.startsWith('{')) return;
      const said: { msg?: string; listen?: string } = JSON.parse(line);
      if (said.msg !== 'ready') return;
      lines.close();
      stdout.resume();
      resolve(said.listen ?? '');
    });
  });
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Columns as wide as their widest cell; numbers to the right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return [heads, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((cells) => `  ${line(cells)}\n`)
    .join('');
}

export const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

export const print = (text: string): void => {
  process.stdout.write(text);
};

/** Runs `use` as in a test: what it says in `teardown` is done at the end, the latest first. */
export async function withEndings<T>(
  use: (t: { teardown(end: () => unknown): void }) => Promise<T>,
): Promise<T> {
  const endings: (() => unknown)[] = [];
  try {
    return await use({ teardown: (end) => void endings.unshift(end) });
  } finally {
    for (const end of endings) await end();
  }
}

/** Whether a module is the program, and not imported by one. */
export const isProgram = (moduleUrl: string): boolean =>
  fileURLToPath(moduleUrl) === process.argv[1];

/** `--quick`: fewer rounds and shorter messages, for a look. */
export const isQuick = (): boolean => process.argv.includes('--quick');

/** Of Linux, for as long as it has existed: `sysconf(_SC_CLK_TCK)` is 100. */
const MICROS_PER_TICK = 10_000;

/**
 * User and system time of any process since its start, as Linux counts it (proc(5), fields 14 and
 * 15 of `stat`).
 */
export function cpuMicrosOf(pid: number): number {
  const behindName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
  const fields = behindName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Bytes that are resident of any process. */
export function residentBytes(pid: number): number {
  return (
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  );
}

/** Makes so many calls, `most` of them at a time. */
export async function callAll(
  count: number,
  most: number,
  call: () => Promise<unknown>,
): Promise<void> {
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: most }, caller));
}

/** Microseconds of a server's processor time for one of so many requests. */
export async function cpuMicros(
  server: Server,
  ask: () => Promise<unknown>,
  count: number,
  atOnce: number,
): Promise<number> {
  const before = await server.usage();
  await callAll(count, atOnce, ask);
  return ((await server.usage()).cpuMicros - before.cpuMicros) / count;
}

/** Microseconds of processor time of one call of each, in turns. */
export function cpuInTurns(
  rounds: number,
  calls: number,
  runs: readonly (() => void)[],
): readonly (readonly number[])[] {
  const times = runs.map((): number[] => []);
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, run] of runs.entries()) {
      const before = process.cpuUsage();
      for (let call = 0; call < calls; call++) run();
      const { user, system } = process.cpuUsage(before);
      // The first two rounds warm up.
      if (round >= 2) times[index]?.push((user + system) / calls);
    }
  }
  return times;
}
