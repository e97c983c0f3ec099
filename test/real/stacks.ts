import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Other people's SOAP servers and clients, run as child processes. Paths are taken from the repository's root. */

export type Stack = 'php' | 'spyne';
export type Client = 'php' | 'zeep' | 'node';
export const CLIENTS: readonly Client[] = ['php', 'zeep', 'node'];

export interface Backend {
  readonly name: string;
  readonly stack: Stack;
  readonly path: string;
  /** Which calls a client makes: the document/literal order desk, or the rpc/encoded inventory. */
  readonly series: 'desk' | 'inventory';
  readonly version: '1.1' | '1.2';
  /** Namespace of the AuthToken header, and whether its children are in it. */
  readonly auth: string;
  readonly authForm: 'qualified' | 'unqualified';
}

const DESK = { series: 'desk', authForm: 'qualified' } as const;
const PHP = { ...DESK, stack: 'php', path: '/orders.php', auth: 'http://legacy.example.com/orders/2009' } as const;
const SPYNE = { ...DESK, stack: 'spyne', auth: 'http://legacy.example.com/spyne/orders' } as const;

export const BACKENDS: readonly Backend[] = [
  { ...PHP, name: 'php11', version: '1.1' },
  { ...PHP, name: 'php12', version: '1.2' },
  {
    name: 'phprpc',
    stack: 'php',
    path: '/legacy.php',
    series: 'inventory',
    version: '1.1',
    auth: 'urn:legacy:inventory',
    authForm: 'unqualified',
  },
  { ...SPYNE, name: 'spyne11', path: '/soap11', version: '1.1' },
  { ...SPYNE, name: 'spyne12', path: '/soap12', version: '1.2' },
];

export const STACKS = join(process.cwd(), 'test', 'real', 'stacks');
export const PYTHON = '/usr/bin/python3';
const READY_TRIES = 150;
const PORT_ATTEMPTS = 3;
const READY_PAUSE_MILLIS = 100;
const CLIENT_LIMIT_MILLIS = 60_000;

const PROBES = {
  php: { command: ['php', '-r', 'exit(class_exists("SoapServer") ? 0 : 1);'], packages: 'php-cli php-soap' },
  spyne: { command: [PYTHON, '-c', 'import spyne, lxml'], packages: 'python3-spyne python3-lxml' },
  zeep: { command: [PYTHON, '-c', 'import zeep'], packages: 'python3-zeep' },
  node: { command: [process.execPath, '-e', 'require("soap")'], packages: '' },
} as const;

const probed = new Map<string, false | string>();

/** False when the program is here, else the reason to skip with how to install it. */
export function missing(...programs: (Stack | Client)[]): false | string {
  for (const program of programs) {
    const { command, packages } = PROBES[program];
    const known = probed.get(program);
    const [file, ...args] = command;
    const absent =
      known ??
      (spawnSync(file, args, { stdio: 'ignore' }).status === 0
        ? false
        : `${program} is not installed: apt-get install ${packages}`);
    probed.set(program, absent);
    if (absent !== false) return absent;
  }
  return false;
}

export interface RunningStack {
  /** Without a slash at its end. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a server on a free port and waits until it serves its WSDL. Throws when it does not within 15 seconds. */
export async function startStack(stack: Stack): Promise<RunningStack> {
  // Between finding a free port and taking it somebody else may: then another one.
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = await freePort();
    const child = stack === 'php' ? startPhp(port) : start(PYTHON, [join(STACKS, 'spyne', 'server.py'), String(port)]);
    const running = attend(child, `http://127.0.0.1:${port}`);
    const wsdl = `${running.origin}${stack === 'php' ? '/orders.php' : '/soap11'}?wsdl`;
    if (await becomesReady(child, wsdl)) return running;
    await running.stop();
  }
  throw new Error(`${stack} did not come up`);
}

/** Ends the server with this process at the latest. */
function attend(child: ChildProcess, origin: string): RunningStack {
  const killOnExit = (): void => void killGroup(child);
  process.once('exit', killOnExit);
  return {
    origin,
    async stop() {
      process.off('exit', killOnExit);
      const exited = once(child, 'exit');
      if (killGroup(child)) await exited;
    },
  };
}

async function becomesReady(child: ChildProcess, wsdl: string): Promise<boolean> {
  for (let tries = 0; tries < READY_TRIES && child.exitCode === null; tries++) {
    const response = await fetch(wsdl).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok === true) return child.exitCode === null;
    await wait(READY_PAUSE_MILLIS);
  }
  return false;
}

function startPhp(port: number): ChildProcess {
  const settings = ['display_errors=0', 'log_errors=0', 'soap.wsdl_cache_enabled=0'].flatMap((setting) => [
    '-d',
    setting,
  ]);
  return start('php', [...settings, '-S', `127.0.0.1:${port}`, '-t', join(STACKS, 'php')], {
    PHP_CLI_SERVER_WORKERS: '4',
  });
}

/** In a process group of its own, so that the workers it forks end with it. */
function start(command: string, args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(command, args, { detached: true, stdio: 'ignore', env: { ...process.env, ...environment } });
}

/** True when the process was still there to be ended. */
function killGroup(child: ChildProcess): boolean {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
  process.kill(-child.pid, 'SIGKILL');
  return true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const COMMANDS = {
  php: ['php', '-d', 'display_errors=0', join(STACKS, 'php', 'client.php')],
  zeep: [PYTHON, join(STACKS, 'zeep', 'client.py')],
  node: [process.execPath, join(STACKS, 'node', 'client.cjs')],
} as const;

/** Runs all calls of a client against a backend; one line for each, `PASS name` or `FAIL name reason`. */
export async function runClient(
  client: Client,
  backend: Backend,
  wsdl: string,
  endpoint: string,
): Promise<readonly string[]> {
  const [file, ...args] = COMMANDS[client];
  const child = spawn(file, [...args, endpoint, wsdl, backend.series], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CLIENT_LIMIT_MILLIS,
    env: { ...process.env, SOAP: backend.version, AUTH: backend.auth, AUTH_FORM: backend.authForm },
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece;
  });
  const [code, signal] = await once(child, 'close');
  const lines = output.split('\n').filter((line) => line.startsWith('PASS ') || line.startsWith('FAIL '));
  if (code !== 0 && code !== 1) lines.push(`FAIL to the end ${code ?? signal} ${errors.slice(-300)}`);
  return lines;
}
