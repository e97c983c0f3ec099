import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

import { freePort } from '../kit/free-port.js';
import { childrenOf, killAtExit } from '../kit/gateway-process.js';
import { nginxConfiguration, startHaproxy, startNginx } from '../real/proxies.js';
import { RedisServer } from '../redis/kit.js';
import { fileOf } from './kit.js';

/** A proxy of two workers before the ledger, and what is done to it. */
export interface LedgerProxy {
  readonly name: string;
  readonly url: string;
  /** Whether it knows nothing of GraphQL. */
  readonly isSoapOnly: boolean;
  readonly hasEvents: boolean;
  /** Loads its configuration anew: each time another one. */
  readonly reload: ((turn: number) => Promise<void>) | null;
  readonly replace: (() => Promise<void>) | null;
  /** The worker that has run longest; null where a worker that dies ends the program. */
  readonly victim: (() => Promise<number>) | null;
  /** Resolves when as many workers as before take requests. */
  readonly whole: () => Promise<void>;
  /** Resident memory of all its processes. */
  readonly rssBytes: () => number;
  stop(): Promise<void>;
}

const WORKERS = 2;
/** The other proxies end their old workers at some time, and report nothing. */
const SETTLING_MILLIS = 300;
/** A worker that dies earlier is replaced after a pause. */
const STEADY_MILLIS = 10_500;

function rssOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}

const rssOfAll = (pid: number): number =>
  [pid, ...childrenOf({ pid })].reduce((sum, each) => sum + rssOf(each), 0);

/**
 * A configuration as it could be edited: a time limit of the backend and a limit of documents
 * change in turn.
 */
const soapstoneYaml = (
  addresses: string,
  backend: string,
  redis: string,
  turn: number,
): string => `${addresses}
services:
  ledger:
    url: ${backend}
    namespace: urn:ledger
    timeoutMillis: ${turn % 2 === 0 ? 30_000 : 31_000}
    types: |
      type Query { entry(id: Int!): Int }
      type Mutation { post(id: Int!): Int }
    operations:
      Read: { field: Query.entry }
      Post: { field: Mutation.post }
limits: { graphql: { depth: ${turn % 3 === 0 ? 12 : 13} }, overload: { eventLoopMillis: 0 } }
${
  redis === ''
    ? ''
    : `redis: { url: "${redis}", replicas: 2, secret: secret-of-the-ledger }
subscriptions: { posted: { on: { operation: ledger.Post, fields: { id: request.id } } } }
`
}`;

interface Log {
  /** Resolves to the next line with this message. */
  next(message: string): Promise<void>;
}

/** What this configuration and these actions bring with them. */
const EXPECTED: ReadonlySet<string> = new Set([
  'a worker ended',
  'a connection is handed to another worker',
  'configuration warning',
]);

function logOf({ stdout }: ChildProcess): Log {
  if (stdout === null) throw new Error('no standard output');
  const waiting = new Map<string, () => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    if (line.includes('"msg":"request"')) return;
    const { msg, level }: { readonly msg: string; readonly level: string } = JSON.parse(line);
    waiting.get(msg)?.();
    waiting.delete(msg);
    const isExpected = EXPECTED.has(msg);
    if ((level === 'error' || level === 'warn') && !isExpected) process.stderr.write(`${line}\n`);
  });
  return { next: (message) => new Promise((resolve) => waiting.set(message, resolve)) };
}

/** The gateway as users run it, with events through Redis where `redis` is a server. */
export async function startSoapstone(
  backend: string,
  redis: RedisServer | null,
): Promise<LedgerProxy> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-ledger-'));
  const file = join(home, 'soapstone.yaml');
  const [traffic, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const addresses = `listen: ${traffic}\nadmin: ${admin}`;
  const write = (turn: number): void =>
    writeFileSync(file, soapstoneYaml(addresses, backend, redis?.url ?? '', turn));
  write(0);
  const child = spawn(
    process.execPath,
    [fileOf('../../bin/main.js'), 'start', '-c', file, '--workers', '2'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  killAtExit(child);
  const log = logOf(child);
  const pid = child.pid ?? 0;
  const born = new Map<number, number>();
  const whole = async (): Promise<void> => {
    for (;;) {
      const text = await fetch(`http://${admin}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      for (const each of childrenOf({ pid }))
        if (!born.has(each)) born.set(each, performance.now());
      if (/^soapstone_workers_answered 2$/m.test(text)) return;
      await wait(100);
    }
  };
  await whole();
  return {
    name: 'Soapstone',
    url: `http://${traffic}`,
    isSoapOnly: false,
    hasEvents: redis !== null,
    async reload(turn) {
      write(turn);
      if (turn % 2 === 0) {
        const reloaded = log.next('configuration reloaded');
        child.kill('SIGHUP');
        await reloaded;
      } else {
        const answer = await fetch(`http://${admin}/reload`, { method: 'POST' });
        if (answer.status !== 200)
          throw new Error(`a reload was answered ${answer.status}: ${await answer.text()}`);
      }
    },
    async replace() {
      const replaced = log.next('workers were replaced');
      child.kill('SIGUSR2');
      await replaced;
    },
    async victim() {
      const [oldest = 0] = childrenOf({ pid }).toSorted(
        (one, other) => (born.get(one) ?? 0) - (born.get(other) ?? 0),
      );
      await wait(Math.max(0, (born.get(oldest) ?? 0) + STEADY_MILLIS - performance.now()));
      return oldest;
    },
    async whole() {
      await wait(50);
      await whole();
    },
    rssBytes: () => rssOfAll(pid),
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      await rm(home, { recursive: true });
    },
  };
}

/** HAProxy with a master and a worker of two threads; a worker that dies ends it. */
export async function startLedgerHaproxy(backend: string): Promise<LedgerProxy> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-ledger-'));
  const configuration = (port: number, turn: number): string => `global
  nbthread 2
defaults
  mode http
  timeout connect 5s
  timeout client ${turn % 2 === 0 ? 30 : 31}s
  timeout server 30s
frontend ledger
  bind 127.0.0.1:${port}
  default_backend ledgers
backend ledgers
  server one ${new URL(backend).host}
`;
  const program = await startHaproxy(home, (port) => configuration(port, 0), [
    '-W',
    '-p',
    join(home, 'pid'),
  ]);
  const { port } = program;
  const pid = program.pid;
  const reload = async (turn: number): Promise<void> => {
    writeFileSync(join(home, 'haproxy.cfg'), configuration(port, turn));
    program.signal('SIGUSR2');
    await wait(SETTLING_MILLIS);
  };
  return {
    name: 'HAProxy',
    url: `http://127.0.0.1:${port}`,
    isSoapOnly: true,
    hasEvents: false,
    reload,
    replace: null,
    victim: null,
    whole: async () => {},
    rssBytes: () => rssOfAll(pid),
    async stop() {
      await program.stop();
      await rm(home, { recursive: true });
    },
  };
}

export async function startLedgerNginx(backend: string): Promise<LedgerProxy> {
  const home = await mkdtemp(join(tmpdir(), 'soapstone-ledger-'));
  const blocks = (port: number, turn: number) => ({
    http: `
  keepalive_requests 1000000;
  upstream ledgers { server ${new URL(backend).host}; keepalive 32; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://ledgers;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_read_timeout ${turn % 2 === 0 ? 30 : 31}s;
    }
  }`,
  });
  const program = await startNginx(home, (port) => blocks(port, 0), WORKERS);
  const { port, pid } = program;
  const settle = (): Promise<void> => wait(SETTLING_MILLIS);
  return {
    name: 'nginx',
    url: `http://127.0.0.1:${port}`,
    isSoapOnly: true,
    hasEvents: false,
    async reload(turn) {
      writeFileSync(
        join(home, 'nginx.conf'),
        nginxConfiguration(home, blocks(port, turn), WORKERS),
      );
      program.signal('SIGHUP');
      await settle();
    },
    replace: null,
    victim: async () => childrenOf({ pid })[0] ?? 0,
    whole: settle,
    rssBytes: () => rssOfAll(pid),
    async stop() {
      await program.stop();
      await rm(home, { recursive: true });
    },
  };
}

/** A Redis for events; null where none is installed. */
export const startRedis = (): Promise<RedisServer | null> => RedisServer.start().catch(() => null);
