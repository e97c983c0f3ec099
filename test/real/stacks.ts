import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PYTHON, startProgram } from './programs.js';

/**
 * Other people's SOAP servers and clients, run as child processes. Paths are taken from the
 * repository's root.
 */

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
const PHP = {
  ...DESK,
  stack: 'php',
  path: '/orders.php',
  auth: 'http://legacy.example.com/orders/2009',
} as const;
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
const CLIENT_LIMIT_MILLIS = 60_000;

export interface RunningStack {
  /** Without a slash at its end. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a server on a free port and waits until it serves its WSDL. Throws when it does not. */
export async function startStack(stack: Stack): Promise<RunningStack> {
  const path = stack === 'php' ? '/orders.php' : '/soap11';
  const { port, stop } = await startProgram({
    command:
      stack === 'php'
        ? phpCommand
        : (port) => [PYTHON, join(STACKS, 'spyne', 'server.py'), String(port)],
    environment: { PHP_CLI_SERVER_WORKERS: '4' },
    async isReady(port) {
      const response = await fetch(`http://127.0.0.1:${port}${path}?wsdl`).catch(() => null);
      await response?.arrayBuffer();
      return response?.ok === true;
    },
  });
  return { origin: `http://127.0.0.1:${port}`, stop };
}

function phpCommand(port: number): readonly string[] {
  const settings = ['display_errors=0', 'log_errors=0', 'soap.wsdl_cache_enabled=0'].flatMap(
    (setting) => ['-d', setting],
  );
  return ['php', ...settings, '-S', `127.0.0.1:${port}`, '-t', join(STACKS, 'php')];
}

const COMMANDS = {
  php: ['php', '-d', 'display_errors=0', join(STACKS, 'php', 'client.php')],
  zeep: [PYTHON, join(STACKS, 'zeep', 'client.py')],
  node: [process.execPath, join(STACKS, 'node', 'client.cjs')],
} as const;

/**
 * Runs all calls of a client against a backend; one line for each, `PASS name` or
 * `FAIL name reason`.
 */
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
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('PASS ') || line.startsWith('FAIL '));
  if (code !== 0 && code !== 1)
    lines.push(`FAIL to the end ${code ?? signal} ${errors.slice(-300)}`);
  return lines;
}
